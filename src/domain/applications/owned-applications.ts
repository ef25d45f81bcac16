import { Fault } from "../../core/errors";
import { newId, newToken } from "../../core/random";
import type { Sealer } from "../../core/sealer";
import { checkName } from "../../core/text/field-checks";
import { parseId } from "../../core/text/ids";
import type { PushEnvironment, PushSenders } from "../../platform/store/generated/enums";
import type { Transaction } from "../../platform/store/store";
import { findAccountById, lockAccount } from "../accounts/account-queries";
import {
  type ApplicationChanges,
  checkCallPushDelay,
  checkNewCalls,
  checkWebOrigins,
  mergeProviderSettings,
} from "./application-changes";
import type { ApplicationDeps, ApplicationReader } from "./application-deps";
import {
  countApplications,
  findApplicationOfAccount,
  insertApplicationRow,
  listApplicationsOfAccount,
  lockSettings,
  type OwnedApplicationRow,
  rotateAuthSecret,
  writeApplication,
} from "./application-queries";
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
  /** Maximum number of new calls of a user in a minute; null for that of the deployment. */
  newCallsPerMinute: number | null;
  /** Whether a call sends a push notification to the devices of a recipient whom it does not reach. */
  incomingCallPush: boolean;
  incomingCallPushDelaySeconds: number;
  incomingCallPushEnvironment: PushEnvironment;
  /** Whether devices that such a push woke get another push when the call stops ringing. */
  callEndPush: boolean;
  /** Whether VoIP subscriptions get it as well. */
  callEndVoip: boolean;
  /** Whether a missed call sends a push to the callee's devices. */
  missedCallPush: boolean;
  /** Whether that push has the number of missed calls as the badge. */
  missedCallBadge: boolean;
  /** Whether the first join of a legacy client creates the conference that it names. */
  conferencesOnJoin: boolean;
  /** Whether the first session that a backend creates for a login or external id creates the user. */
  serverSessionsCreateUsers: boolean;
  serverSessionsReachSignedUpUsers: boolean;
  webOrigins: string[];
  settings: ApplicationSettings;
  createdAt: Date;
}

/** Maximum number of applications of an account; their list has no pages. */
export const APPLICATIONS_MAX = 1_000;

/** Maximum time that the old secret stays valid after a rotation, in seconds: 30 days. */
export const OVERLAP_MAX = 30 * 24 * 60 * 60;
/** Default time that the old secret stays valid, in seconds. */
const OVERLAP_DEFAULT = 24 * 60 * 60;

/** Lists the applications of an account, oldest first. */
export async function listApplications(
  deps: ApplicationReader,
  accountId: number,
): Promise<OwnedApplication[]> {
  const rows = await listApplicationsOfAccount(deps.store, accountId);
  if (rows.length === 0) return [];
  const accountKey = await accountKeyOf(deps, accountId);
  return rows.map((row) => toOwned(deps, row, accountKey));
}

/** Reads an application of an account. @throws Fault NOT_FOUND also if it belongs to another account */
export async function findOwnedApplication(
  deps: ApplicationReader,
  accountId: number,
  id: string,
): Promise<OwnedApplication> {
  const parsed = parseId(id);
  const row =
    parsed === null ? null : await findApplicationOfAccount(deps.store, accountId, parsed);
  if (row === null) throw noApplication();
  return toOwned(deps, row, await accountKeyOf(deps, accountId));
}

/** Creates an application. @throws Fault INVALID on name, or if the account has too many applications */
export async function createApplication(
  deps: ApplicationDeps,
  accountId: number,
  name: string,
): Promise<OwnedApplication> {
  checkName(name);
  const id = await deps.store.transaction(async (transaction) => {
    // Concurrent calls count each other's applications.
    await lockAccount(transaction.query, accountId);
    if ((await countApplications(transaction, accountId)) >= APPLICATIONS_MAX) throw tooMany();
    const created = await insertApplication(transaction, deps.sealer, accountId, name);
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
  checkNewCalls(changes.newCallsPerMinute);
  if (name !== undefined && name !== null) checkName(name);
  const data = {
    name: name ?? undefined,
    v1ListDisabled: v1ListDisabled ?? undefined,
    signUpOpen: signUpOpen ?? undefined,
    emailNeedsPassword: changes.emailNeedsPassword ?? undefined,
    pushSenders: pushSenders ?? undefined,
    answeredElsewhere: answeredElsewhere ?? undefined,
    newCallsPerMinute: changes.newCallsPerMinute,
    incomingCallPush: incomingCallPush ?? undefined,
    incomingCallPushDelaySeconds: incomingCallPushDelaySeconds ?? undefined,
    incomingCallPushEnvironment: incomingCallPushEnvironment ?? undefined,
    callEndPush: changes.callEndPush ?? undefined,
    callEndVoip: changes.callEndVoip ?? undefined,
    missedCallPush: changes.missedCallPush ?? undefined,
    missedCallBadge: changes.missedCallBadge ?? undefined,
    conferencesOnJoin: changes.conferencesOnJoin ?? undefined,
    serverSessionsCreateUsers: changes.serverSessionsCreateUsers ?? undefined,
    serverSessionsReachSignedUpUsers: changes.serverSessionsReachSignedUpUsers ?? undefined,
    webOrigins: webOrigins === undefined ? undefined : checkWebOrigins(webOrigins ?? []),
    updatedAt: new Date(deps.clock.now()),
  };
  await deps.store.transaction(async (transaction) => {
    // All providers share one column, so concurrent changes without the lock would be lost.
    const stored = await lockSettings(transaction, accountId, id);
    if (stored === null) throw noApplication();
    const settings = mergeProviderSettings(stored.settings, changes, deps);
    await writeApplication(transaction, id, { ...data, settings });
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
  const secret = deps.sealer.seal(newToken(), AUTH_SECRET_PURPOSE);
  const previousUntil = overlap === 0 ? null : new Date(now + overlap * 1000);
  const application = { accountId, id };
  await rotateAuthSecret(deps.store, application, secret, previousUntil, new Date(now));
  return findOwnedApplication(deps, accountId, applicationId);
}

async function accountKeyOf({ store }: ApplicationReader, accountId: number): Promise<string> {
  const account = await findAccountById(store, accountId);
  if (account === null) throw noApplication();
  return account.accountKey;
}

function toOwned(
  { clock, sealer }: ApplicationReader,
  { previousSecretUntil: until, ...row }: OwnedApplicationRow,
  accountKey: string,
): OwnedApplication {
  return {
    ...row,
    id: Number(row.id),
    authSecret: sealer.open(row.authSecret, AUTH_SECRET_PURPOSE),
    accountKey,
    previousSecretValidUntil: until !== null && until.getTime() > clock.now() ? until : null,
    settings: unsealSettings(row.settings, sealer),
  };
}

/** An inserted application with its credentials. */
export interface NewApplication {
  id: number;
  authKey: string;
  authSecret: string;
}

/** Inserts an application with new credentials; the database holds the sealed secret. */
export async function insertApplication(
  transaction: Transaction,
  sealer: Sealer,
  accountId: number,
  name: string,
): Promise<NewApplication> {
  const authSecret = newToken();
  const authKey = newId();
  const id = await insertApplicationRow(transaction, {
    accountId: BigInt(accountId),
    name,
    authKey,
    webOrigins: [],
    // Off for applications of before: their apps know only rings, and would show the end as a second call.
    callEndPush: true,
    authSecret: sealer.seal(authSecret, AUTH_SECRET_PURPOSE),
  });
  return { id, authKey, authSecret };
}

function tooMany(): Fault {
  return Fault.base(`An account has at most ${APPLICATIONS_MAX} applications`);
}

/** NOT_FOUND, for a missing application as well as for that of another account. */
export function noApplication(): Fault {
  return new Fault("NOT_FOUND", "There is no such application");
}
