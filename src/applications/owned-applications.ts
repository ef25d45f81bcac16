import { Fault } from "../core/errors";
import { newToken } from "../core/random";
import { checkName } from "../core/text/field-checks";
import { parseId } from "../core/text/ids";
import type { PushEnvironment, PushSenders } from "../store/generated/enums";
import {
  type ApplicationChanges,
  checkCallPushDelay,
  checkWebOrigins,
  mergeProviderSettings,
} from "./application-changes";
import type { ApplicationDeps, ApplicationReader } from "./application-deps";
import { insertApplication } from "./insert-application";
import { AUTH_SECRET_PURPOSE } from "./secret-key";
import { type ApplicationSettings, unsealSettings } from "./settings";

/** An application as its owner sees it, including the secret. */
export interface OwnedApplication {
  id: number;
  name: string;
  authKey: string;
  authSecret: string;
  accountKey: string;
  /** Until when the previous secret stays valid after a rotation; null if it is not valid. */
  previousSecretValidUntil: Date | null;
  v1ListDisabled: boolean;
  signUpOpen: boolean;
  emailNeedsPassword: boolean;
  pushSenders: PushSenders;
  answeredElsewhere: boolean;
  /** Whether a call sends a push notification to the devices of a recipient whom it does not reach. */
  incomingCallPush: boolean;
  incomingCallPushDelaySeconds: number;
  incomingCallPushEnvironment: PushEnvironment;
  webOrigins: string[];
  settings: ApplicationSettings;
  createdAt: Date;
}

const COLUMNS = `a.id, a.name, a.auth_key, a.auth_secret, a.previous_secret_until, a.v1_list_disabled,
  a.sign_up_open, a.email_needs_password, a.push_senders, a.answered_elsewhere, a.wake_phones, a.wake_after_seconds, a.wake_environment,
  coalesce(a.web_origins, '{}') AS web_origins, a.settings, a.created_at, o.account_key`;
const LIST = {
  name: "applications_of_account",
  text: `SELECT ${COLUMNS} FROM applications a JOIN accounts o ON o.id = a.account_id
    WHERE a.account_id = $1 ORDER BY a.id`,
};
const FIND = {
  name: "application_of_account",
  text: `SELECT ${COLUMNS} FROM applications a JOIN accounts o ON o.id = a.account_id
    WHERE a.account_id = $1 AND a.id = $2`,
};
const ROTATE = {
  name: "rotate_secret",
  // One statement, so that concurrent rotations are applied one after the other.
  text: `UPDATE applications SET auth_secret = $3,
      previous_secret = CASE WHEN $4::timestamptz IS NULL THEN NULL ELSE auth_secret END,
      previous_secret_until = $4, updated_at = $5
    WHERE account_id = $1 AND id = $2`,
};

const LOCK = {
  name: "lock_application",
  text: "SELECT id FROM applications WHERE id = $1 FOR UPDATE",
};
const LOCK_ACCOUNT = {
  name: "lock_account",
  text: "SELECT id FROM accounts WHERE id = $1 FOR UPDATE",
};

/** Maximum number of applications of an account; their list has no pages. */
export const APPLICATIONS_MAX = 1_000;

/** Maximum time that the old secret stays valid after a rotation, in seconds: 30 days. */
export const OVERLAP_MAX = 30 * 24 * 60 * 60;
/** Default time that the old secret stays valid, in seconds. */
const OVERLAP_DEFAULT = 24 * 60 * 60;

interface Row {
  id: number;
  name: string;
  auth_key: string;
  auth_secret: string;
  previous_secret_until: Date | null;
  v1_list_disabled: boolean;
  sign_up_open: boolean;
  email_needs_password: boolean;
  push_senders: PushSenders;
  answered_elsewhere: boolean;
  wake_phones: boolean;
  wake_after_seconds: number;
  wake_environment: PushEnvironment;
  web_origins: string[];
  settings: unknown;
  created_at: Date;
  account_key: string;
}

/** Lists the applications of an account, oldest first. */
export async function listApplications(
  deps: ApplicationReader,
  accountId: number,
): Promise<OwnedApplication[]> {
  const rows = await deps.store.query<Row>(LIST, [accountId]);
  return rows.map((row) => toOwned(deps, row));
}

/** Reads an application of an account. @throws Fault NOT_FOUND also if it belongs to another account */
export async function findOwnedApplication(
  deps: ApplicationReader,
  accountId: number,
  id: string,
): Promise<OwnedApplication> {
  const parsed = parseId(id);
  const [row] = parsed === null ? [] : await deps.store.query<Row>(FIND, [accountId, parsed]);
  if (!row) throw notFound();
  return toOwned(deps, row);
}

/** Creates an application. @throws Fault INVALID on name, or if the account has too many applications */
export async function createApplication(
  deps: ApplicationDeps,
  accountId: number,
  name: string,
): Promise<OwnedApplication> {
  checkName(name);
  const id = await deps.store.transaction(async (transaction) => {
    const owner = { accountId: BigInt(accountId) };
    // Locks the account, so that concurrent calls count each other's applications.
    await transaction.query(LOCK_ACCOUNT, [accountId]);
    const { application } = await transaction.prisma();
    if ((await application.count({ where: owner })) >= APPLICATIONS_MAX) throw tooMany();
    const created = await insertApplication(transaction, deps.sealer, owner.accountId, name);
    return created.id;
  });
  return findOwnedApplication(deps, accountId, String(id));
}

/**
 * Changes the given settings of an application.
 * @throws Fault NOT_FOUND; INVALID on the invalid field
 */
export async function updateApplication(
  deps: ApplicationDeps,
  accountId: number,
  applicationId: string,
  changes: ApplicationChanges,
): Promise<OwnedApplication> {
  const { id } = await findOwnedApplication(deps, accountId, applicationId);
  const { name, v1ListDisabled, signUpOpen, pushSenders, answeredElsewhere, webOrigins } = changes;
  const { incomingCallPush, incomingCallPushDelaySeconds, incomingCallPushEnvironment } = changes;
  checkCallPushDelay(incomingCallPushDelaySeconds);
  if (name !== undefined && name !== null) checkName(name);
  const data = {
    name: name ?? undefined,
    v1ListDisabled: v1ListDisabled ?? undefined,
    signUpOpen: signUpOpen ?? undefined,
    emailNeedsPassword: changes.emailNeedsPassword ?? undefined,
    pushSenders: pushSenders ?? undefined,
    answeredElsewhere: answeredElsewhere ?? undefined,
    incomingCallPush: incomingCallPush ?? undefined,
    incomingCallPushDelaySeconds: incomingCallPushDelaySeconds ?? undefined,
    incomingCallPushEnvironment: incomingCallPushEnvironment ?? undefined,
    webOrigins: webOrigins === undefined ? undefined : checkWebOrigins(webOrigins ?? []),
    updatedAt: new Date(deps.clock.now()),
  };
  const where = { id: BigInt(id), accountId: BigInt(accountId) };
  await deps.store.transaction(async ({ query, prisma }) => {
    // All providers share one column, so concurrent changes without the lock would be lost.
    await query(LOCK, [id]);
    const { application } = await prisma();
    const row = await application.findFirst({ where, select: { settings: true } });
    if (row === null) throw notFound();
    const settings = mergeProviderSettings(row.settings, changes, deps);
    await application.update({ where, data: { ...data, settings }, select: { id: true } });
  });
  deps.sessionEvents.publish({ kind: "application changed", applicationId: id });
  return findOwnedApplication(deps, accountId, applicationId);
}

/**
 * Gives an application a new secret; the old one stays valid for the overlap.
 * @param overlapSeconds 0 to 30 days; one day by default
 * @throws Fault NOT_FOUND; INVALID on overlapSeconds
 */
export async function rotateSecret(
  deps: ApplicationDeps,
  accountId: number,
  applicationId: string,
  overlapSeconds: number | null | undefined,
): Promise<OwnedApplication> {
  const overlap = overlapSeconds ?? OVERLAP_DEFAULT;
  if (overlap < 0 || overlap > OVERLAP_MAX) {
    throw Fault.field("overlapSeconds", `must be from 0 to ${OVERLAP_MAX}`);
  }
  const { id } = await findOwnedApplication(deps, accountId, applicationId);
  const now = deps.clock.now();
  await deps.store.query(ROTATE, [
    accountId,
    id,
    deps.sealer.seal(newToken(), AUTH_SECRET_PURPOSE),
    overlap === 0 ? null : new Date(now + overlap * 1000),
    new Date(now),
  ]);
  return findOwnedApplication(deps, accountId, applicationId);
}

/**
 * Deletes an application without users, and all of its remaining data. Then notifies every node, which ends
 * the application's sessions and connections.
 * @throws Fault NOT_FOUND
 */
export async function removeApplication(
  { store, sessionEvents }: Pick<ApplicationDeps, "store" | "sessionEvents">,
  accountId: number,
  applicationId: number,
): Promise<void> {
  const { count } = await store.db.application.deleteMany({
    where: { id: BigInt(applicationId), accountId: BigInt(accountId) },
  });
  if (count === 0) throw notFound();
  sessionEvents.publish({ kind: "application deleted", applicationId });
}

function toOwned({ clock, sealer }: ApplicationReader, row: Row): OwnedApplication {
  const until = row.previous_secret_until;
  return {
    id: row.id,
    name: row.name,
    authKey: row.auth_key,
    authSecret: sealer.open(row.auth_secret, AUTH_SECRET_PURPOSE),
    accountKey: row.account_key,
    previousSecretValidUntil: until !== null && until.getTime() > clock.now() ? until : null,
    v1ListDisabled: row.v1_list_disabled,
    signUpOpen: row.sign_up_open,
    emailNeedsPassword: row.email_needs_password,
    pushSenders: row.push_senders,
    answeredElsewhere: row.answered_elsewhere,
    incomingCallPush: row.wake_phones,
    incomingCallPushDelaySeconds: row.wake_after_seconds,
    incomingCallPushEnvironment: row.wake_environment,
    webOrigins: row.web_origins,
    settings: unsealSettings(row.settings, sealer),
    createdAt: row.created_at,
  };
}

function tooMany(): Fault {
  const text = `An account has at most ${APPLICATIONS_MAX} applications`;
  return new Fault("INVALID", text, { base: [text] });
}

function notFound(): Fault {
  return new Fault("NOT_FOUND", "There is no such application");
}
