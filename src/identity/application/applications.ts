import { Fault } from "../../core/errors";
import type { Identity } from "../identity";

/** An application as signing needs it. */
export interface Application {
  id: number;
  authKey: string;
  /** The secrets that are valid now: the current one, and the one before it during an overlap. */
  secrets: string[];
  signUpOpen: boolean;
}

const FIND = {
  name: "find_application",
  text: `SELECT id, auth_key, auth_secret, previous_secret, previous_secret_until, sign_up_open
    FROM applications WHERE id = $1`,
};

interface ApplicationRow {
  id: number;
  auth_key: string;
  auth_secret: string;
  previous_secret: string | null;
  previous_secret_until: Date | null;
  sign_up_open: boolean;
}

/** Reads an application. @throws Fault INVALID on applicationId when there is none */
export async function findApplication(identity: Identity, id: number): Promise<Application> {
  const [row] = await identity.store.query<ApplicationRow>(FIND, [id]);
  if (!row) throw Fault.field("applicationId", "names no application");
  const overlap = row.previous_secret_until?.getTime() ?? 0;
  const secrets = [row.auth_secret];
  if (row.previous_secret !== null && overlap > identity.clock.now()) {
    secrets.push(row.previous_secret);
  }
  return { id: row.id, authKey: row.auth_key, secrets, signUpOpen: row.sign_up_open };
}
