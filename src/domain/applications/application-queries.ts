import type { Prisma } from "../../platform/store/generated/client";
import type { PushEnvironment, PushSenders } from "../../platform/store/generated/enums";
import { streamRows } from "../../platform/store/rows/stream-rows";
import type { Statement, Store, Transaction } from "../../platform/store/store";

/**
 * Statements on applications. A function takes the store, or what it uses of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** The columns of an application that requests need. */
export interface ApplicationRow {
  id: number;
  account_id: number;
  auth_key: string;
  auth_secret: string;
  previous_secret: string | null;
  previous_secret_until: Date | null;
  sign_up_open: boolean;
  email_needs_password: boolean;
  push_senders: PushSenders;
  v1_list_disabled: boolean;
  server_sessions_create_users: boolean;
  server_sessions_reach_signed_up_users: boolean;
  settings: unknown;
}

/** The sealed secrets of an application. */
export interface SecretsRow {
  id: number;
  auth_secret: string;
  previous_secret: string | null;
  settings: unknown;
}

/** How an application sends incoming-call pushes. */
export interface CallPushSettings {
  /** Seconds after which users with a connected device get a push, too. */
  delaySeconds: number;
  /** Builds of the app that pushes are for. */
  environment: PushEnvironment;
}

/** The columns of an application that its owner sees; secrets are sealed. */
const OWNED = {
  id: true,
  name: true,
  authKey: true,
  authSecret: true,
  previousSecretUntil: true,
  v1ListDisabled: true,
  signUpOpen: true,
  emailNeedsPassword: true,
  pushSenders: true,
  answeredElsewhere: true,
  newCallsPerMinute: true,
  incomingCallPush: true,
  incomingCallPushDelaySeconds: true,
  incomingCallPushEnvironment: true,
  callEndPush: true,
  callEndVoip: true,
  missedCallPush: true,
  missedCallBadge: true,
  conferencesOnJoin: true,
  serverSessionsCreateUsers: true,
  serverSessionsReachSignedUpUsers: true,
  webOrigins: true,
  settings: true,
  createdAt: true,
} as const satisfies Prisma.ApplicationSelect;

/** A row of {@link OWNED}. */
export type OwnedApplicationRow = Prisma.ApplicationGetPayload<{ select: typeof OWNED }>;

const FIND: Statement = {
  name: "find_application",
  text: `SELECT id, account_id, auth_key, auth_secret, previous_secret, previous_secret_until,
      sign_up_open, email_needs_password, push_senders, v1_list_disabled,
      server_sessions_create_users, server_sessions_reach_signed_up_users, settings
    FROM applications WHERE id = $1`,
};

const CALL_PUSH_SETTINGS: Statement = {
  name: "call_push_settings",
  text: `SELECT id, incoming_call_push_delay_seconds, incoming_call_push_environment FROM applications
    WHERE id = ANY($1::bigint[]) AND incoming_call_push`,
};

const CALL_END_SETTINGS: Statement = {
  name: "call_end_settings",
  text: "SELECT id, call_end_voip AS voip FROM applications WHERE id = ANY($1::bigint[]) AND call_end_push",
};

const MISSED_CALL_SETTINGS: Statement = {
  name: "missed_call_settings",
  text: `SELECT id, incoming_call_push_environment AS environment, missed_call_badge AS badge FROM applications
    WHERE id = ANY($1::bigint[]) AND missed_call_push`,
};

const NEW_CALLS: Statement = {
  name: "new_calls_per_minute",
  text: "SELECT new_calls_per_minute AS max FROM applications WHERE id = $1",
};

const LOCK: Statement = {
  name: "lock_application",
  text: "SELECT id FROM applications WHERE id = $1 FOR UPDATE",
};

/** One statement, so that concurrent rotations are applied one after the other. */
const ROTATE: Statement = {
  name: "rotate_secret",
  text: `UPDATE applications SET auth_secret = $3,
      previous_secret = CASE WHEN $4::timestamptz IS NULL THEN NULL ELSE auth_secret END,
      previous_secret_until = $4, updated_at = $5
    WHERE account_id = $1 AND id = $2`,
};

const SECRETS: Statement = {
  name: "all_auth_secrets",
  text: `SELECT id, auth_secret, previous_secret, settings FROM applications
    WHERE id > $1 ORDER BY id LIMIT 500`,
};

/** Finds an application; null if there is none. */
export async function findApplicationRow(
  { query }: Pick<Store, "query">,
  id: number,
): Promise<ApplicationRow | null> {
  return (await query<ApplicationRow>(FIND, [id]))[0] ?? null;
}

/** Finds the name of an application; null if it does not exist. */
export async function findApplicationName(
  { db }: Pick<Store, "db">,
  id: number,
): Promise<string | null> {
  const where = { id: BigInt(id) };
  return (await db.application.findUnique({ where, select: { name: true } }))?.name ?? null;
}

/** Finds the web origins of an application; empty if it does not exist. */
export async function findWebOrigins({ db }: Pick<Store, "db">, id: number): Promise<string[]> {
  const where = { id: BigInt(id) };
  const row = await db.application.findUnique({ where, select: { webOrigins: true } });
  return row?.webOrigins ?? [];
}

/** Whether an application notifies chat clients by a `hangUp` when another device of their user answers. */
export async function isAnsweredElsewhereEnabled(
  { db }: Pick<Store, "db">,
  id: number,
): Promise<boolean> {
  const where = { id: BigInt(id) };
  const row = await db.application.findUnique({ where, select: { answeredElsewhere: true } });
  return row?.answeredElsewhere ?? false;
}

/** The maximum number of new calls of a user in a minute that an application has set; null without one. */
export async function findNewCallsPerMinute(
  { query }: Pick<Store, "query">,
  id: number,
): Promise<number | null> {
  return (await query<{ max: number | null }>(NEW_CALLS, [id]))[0]?.max ?? null;
}

/** Whether the first join of a legacy client creates the conference that it names. */
export async function areConferencesOnJoin(
  { db }: Pick<Store, "db">,
  id: number,
): Promise<boolean> {
  const where = { id: BigInt(id) };
  const row = await db.application.findUnique({ where, select: { conferencesOnJoin: true } });
  return row?.conferencesOnJoin ?? false;
}

/** Finds the settings of those applications that send incoming-call pushes, by id. */
export async function findCallPushSettings(
  { query }: Pick<Store, "query">,
  applicationIds: readonly number[],
): Promise<Map<number, CallPushSettings>> {
  interface Row {
    id: number;
    incoming_call_push_delay_seconds: number;
    incoming_call_push_environment: PushEnvironment;
  }
  const rows = await query<Row>(CALL_PUSH_SETTINGS, [[...new Set(applicationIds)]]);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        delaySeconds: row.incoming_call_push_delay_seconds,
        environment: row.incoming_call_push_environment,
      },
    ]),
  );
}

/**
 * Reads of applications that tell woken devices when a call stops ringing whether they tell VoIP subscriptions as well;
 * omits the others.
 */
export async function findCallEndSettings(
  { query }: Pick<Store, "query">,
  applicationIds: readonly number[],
): Promise<Map<number, { voip: boolean }>> {
  type Row = { id: number; voip: boolean };
  const rows = await query<Row>(CALL_END_SETTINGS, [[...new Set(applicationIds)]]);
  return new Map(rows.map(({ id, voip }) => [id, { voip }]));
}

/** What an application sends to the devices of a user who missed a call. */
export interface MissedCallSettings {
  environment: PushEnvironment;
  /** Whether the badge is the number of missed calls. */
  badge: boolean;
}

/** Reads the settings of applications that send missed-call pushes; omits the others. */
export async function findMissedCallSettings(
  { query }: Pick<Store, "query">,
  applicationIds: readonly number[],
): Promise<Map<number, MissedCallSettings>> {
  type Row = MissedCallSettings & { id: number };
  const rows = await query<Row>(MISSED_CALL_SETTINGS, [[...new Set(applicationIds)]]);
  return new Map(rows.map(({ id, ...settings }) => [id, settings]));
}

/** Lists the applications of an account, oldest first. */
export function listApplicationsOfAccount(
  { db }: Pick<Store, "db">,
  accountId: number,
): Promise<OwnedApplicationRow[]> {
  const where = { accountId: BigInt(accountId) };
  return db.application.findMany({ where, orderBy: { id: "asc" }, select: OWNED });
}

/** Finds an application of an account; null if there is none. */
export function findApplicationOfAccount(
  { db }: Pick<Store, "db">,
  accountId: number,
  id: number,
): Promise<OwnedApplicationRow | null> {
  const where = { id: BigInt(id), accountId: BigInt(accountId) };
  return db.application.findUnique({ where, select: OWNED });
}

/** The ids of the applications of an account. */
export async function applicationIdsOfAccount(
  { db }: Pick<Store, "db">,
  accountId: number,
): Promise<number[]> {
  const where = { accountId: BigInt(accountId) };
  const rows = await db.application.findMany({ where, select: { id: true } });
  return rows.map(({ id }) => Number(id));
}

/** Counts the applications of an account. */
export async function countApplications(
  { prisma }: Pick<Transaction, "prisma">,
  accountId: number,
): Promise<number> {
  return (await prisma()).application.count({ where: { accountId: BigInt(accountId) } });
}

/** Inserts an application. @returns its id */
export async function insertApplicationRow(
  { prisma }: Pick<Transaction, "prisma">,
  data: Prisma.ApplicationUncheckedCreateInput,
): Promise<number> {
  const { application } = await prisma();
  return Number((await application.create({ data, select: { id: true } })).id);
}

/**
 * Locks an application of an account until the end of the transaction.
 * @returns its settings; null if there is none
 */
export async function lockSettings(
  { query, prisma }: Pick<Transaction, "query" | "prisma">,
  accountId: number,
  id: number,
): Promise<{ settings: Prisma.JsonValue } | null> {
  await query(LOCK, [id]);
  const where = { id: BigInt(id), accountId: BigInt(accountId) };
  return (await prisma()).application.findUnique({ where, select: { settings: true } });
}

/** Changes an application. */
export async function writeApplication(
  { prisma }: Pick<Transaction, "prisma">,
  id: number,
  data: Prisma.ApplicationUncheckedUpdateInput,
): Promise<void> {
  const where = { id: BigInt(id) };
  await (await prisma()).application.update({ where, data, select: { id: true } });
}

/**
 * Gives an application a new sealed secret.
 * @param previousUntil until when the old one stays valid; null to end it at once
 */
export async function rotateAuthSecret(
  { query }: Pick<Store, "query">,
  { accountId, id }: { accountId: number; id: number },
  authSecret: string,
  previousUntil: Date | null,
  now: Date,
): Promise<void> {
  await query(ROTATE, [accountId, id, authSecret, previousUntil, now]);
}

/** Deletes an application of an account. @returns whether there was one */
export async function deleteApplication(
  { db }: Pick<Store, "db">,
  accountId: number,
  id: number,
): Promise<boolean> {
  const where = { id: BigInt(id), accountId: BigInt(accountId) };
  return (await db.application.deleteMany({ where })).count > 0;
}

/** Streams the sealed secrets of all applications, by id. */
export function streamApplicationSecrets(store: Pick<Store, "query">): AsyncGenerator<SecretsRow> {
  return streamRows<SecretsRow>(store, SECRETS);
}

/** Replaces the sealed secrets of an application, unless they have changed since `row` was read. */
export async function replaceSecrets(
  { db }: Pick<Store, "db">,
  row: SecretsRow,
  authSecret: string,
  previousSecret: string | null,
): Promise<void> {
  await db.application.updateMany({
    where: {
      id: BigInt(row.id),
      authSecret: row.auth_secret,
      previousSecret: row.previous_secret,
    },
    data: { authSecret, previousSecret },
  });
}

/** Replaces the settings of an application, unless they have changed since `row` was read. */
export async function replaceSettings(
  { db }: Pick<Store, "db">,
  row: SecretsRow,
  settings: Prisma.InputJsonValue,
): Promise<void> {
  const stored = row.settings as Prisma.InputJsonValue;
  await db.application.updateMany({
    where: { id: BigInt(row.id), settings: { equals: stored } },
    data: { settings },
  });
}
