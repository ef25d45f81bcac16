import type { ApplicationDeps } from "./application-deps";

const FIND = {
  name: "answered_elsewhere",
  text: "SELECT answered_elsewhere FROM applications WHERE id = $1",
};

/** Whether an application notifies chat clients by a `hangUp` when another device of their user answers. */
export async function isAnsweredElsewhereEnabled(
  { store }: Pick<ApplicationDeps, "store">,
  applicationId: number,
): Promise<boolean> {
  const [row] = await store.query<{ answered_elsewhere: boolean }>(FIND, [applicationId]);
  return row?.answered_elsewhere ?? false;
}
