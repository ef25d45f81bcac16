import type { Identity } from "../identity";

const FIND = {
  name: "answered_elsewhere",
  text: "SELECT answered_elsewhere FROM applications WHERE id = $1",
};

/** Whether an application wants chat clients told of an answer on another device by a `hangUp`. */
export async function isAnsweredElsewhereTold(
  identity: Identity,
  applicationId: number,
): Promise<boolean> {
  const [row] = await identity.store.query<{ answered_elsewhere: boolean }>(FIND, [applicationId]);
  return row?.answered_elsewhere ?? false;
}
