import { Fault } from "../../core/errors";
import type { PushSenders } from "../../platform/store/generated/enums";
import type { ApplicationReader } from "./application-deps";
import { findApplicationRow } from "./application-queries";
import { AUTH_SECRET_PURPOSE } from "./secret-key";
import { type ApplicationSettings, unsealSettings } from "./settings";

/** The properties of an application that requests need. */
export interface Application {
  id: number;
  accountId: number;
  authKey: string;
  /** The valid secrets: the current one, and during an overlap the previous one. */
  secrets: string[];
  signUpOpen: boolean;
  /** Whether users need their password to change their e-mail. */
  emailNeedsPassword: boolean;
  /** Who may send push notifications, in addition to the account's developers and owners. */
  pushSenders: PushSenders;
  /** Whether the deprecated user list (V1) is refused. */
  v1ListDisabled: boolean;
  /** Whether the first session that a backend creates for a login or external id creates the user. */
  serverSessionsCreateUsers: boolean;
  /** Where they create users, whether a login or external id also reaches a user who signed up without the backend. */
  serverSessionsReachSignedUpUsers: boolean;
  settings: ApplicationSettings;
}

/** Reads an application. @throws Fault INVALID on applicationId if it does not exist */
export async function findApplication(deps: ApplicationReader, id: number): Promise<Application> {
  const row = await findApplicationRow(deps.store, id);
  if (row === null) throw Fault.field("applicationId", "names no application");
  const { sealer } = deps;
  const overlapEnd = row.previous_secret_until?.getTime() ?? 0;
  const secrets = [sealer.open(row.auth_secret, AUTH_SECRET_PURPOSE)];
  if (row.previous_secret !== null && overlapEnd > deps.clock.now()) {
    secrets.push(sealer.open(row.previous_secret, AUTH_SECRET_PURPOSE));
  }
  return {
    id: row.id,
    accountId: row.account_id,
    authKey: row.auth_key,
    secrets,
    signUpOpen: row.sign_up_open,
    emailNeedsPassword: row.email_needs_password,
    pushSenders: row.push_senders,
    v1ListDisabled: row.v1_list_disabled,
    serverSessionsCreateUsers: row.server_sessions_create_users,
    serverSessionsReachSignedUpUsers: row.server_sessions_reach_signed_up_users,
    settings: unsealSettings(row.settings, sealer),
  };
}
