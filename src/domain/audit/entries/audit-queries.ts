import type { MemberRole } from "../../../core/viewer";
import type { Prisma } from "../../../platform/store/generated/client";
import type { AuditOutcome } from "../../../platform/store/generated/enums";
import { PURGE_BATCH } from "../../../platform/store/rows/expired-rows";
import {
  type KeysetStatements,
  keyset,
  readRange,
  type TimeIdRange,
} from "../../../platform/store/rows/keyset";
import type { Statement, Store } from "../../../platform/store/store";
import type { AuditActor, AuditEntry, AuditField, AuditTarget } from "./audit-entry";

/** Statements on audit_entries. A function throws Fault UNAVAILABLE if the database cannot be reached. */

/** An entry to insert. */
export type NewAuditEntry = AuditActor & Omit<AuditEntry, "id" | keyof AuditActor>;

/** By what a list of entries can be filtered. Each has an index. */
export type AuditFilter = { applicationId: number } | { memberId: number } | { action: string };

const COLUMNS = `id, application_id, member_id, email, role, api_key_id, api_key_name, action, targets, fields, outcome, error_code, ip,
  user_agent, request_id, created_at`;

const BY_TIME = { created_at: "?::timestamptz", id: "?::bigint" };

const ALL = keyset(
  { name: "audit_entries", values: 1, columns: BY_TIME },
  ({ within, order, limit }) => `SELECT ${COLUMNS} FROM audit_entries
    WHERE account_id = $1 AND ${within} ORDER BY ${order} LIMIT ${limit}`,
);

const filteredBy = (name: string, column: string, value: string) =>
  keyset(
    { name, values: 2, columns: { [column]: value, ...BY_TIME } },
    ({ within, order, limit }) => `SELECT ${COLUMNS} FROM audit_entries
    WHERE account_id = $1 AND ${within} ORDER BY ${order} LIMIT ${limit}`,
  );
const OF_APPLICATION = filteredBy("audit_entries_of_application", "application_id", "$2::bigint");
const OF_MEMBER = filteredBy("audit_entries_of_member", "member_id", "$2::bigint");
const OF_ACTION = filteredBy("audit_entries_of_action", "action", "$2::text");

/** Inserts nothing for nobody, with the same statement. */
const INSERT_FAILED_SIGN_IN: Statement = {
  name: "insert_failed_sign_in",
  text: `INSERT INTO audit_entries (account_id, member_id, email, role, action, targets, fields, outcome,
      error_code, ip, user_agent, request_id, created_at)
    SELECT $1::bigint, $2::bigint, $3::text, $4::account_role, $5::text, '[]', '[]', 'failed', $6::text,
      $7::text, $8::text, $9::text, $10::timestamptz WHERE $1::bigint IS NOT NULL`,
};

/** Deletes a batch of entries that were created by `$1`. */
export const OLD_AUDIT_ENTRIES: Statement = {
  name: "purge_audit_entries",
  text: `DELETE FROM audit_entries WHERE id = ANY(ARRAY(
      SELECT id FROM audit_entries WHERE created_at <= $1 ORDER BY created_at LIMIT ${PURGE_BATCH}
      FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
};

interface AuditEntryRow {
  id: number;
  application_id: number | null;
  member_id: number;
  email: string;
  role: MemberRole;
  api_key_id: number | null;
  api_key_name: string | null;
  action: string;
  targets: AuditTarget[];
  fields: AuditField[];
  outcome: AuditOutcome;
  error_code: string | null;
  ip: string;
  user_agent: string | null;
  request_id: string;
  created_at: Date;
}

/** Inserts an entry. @returns its id */
export async function insertAuditEntry(
  { db }: { db: Pick<Store["db"], "auditEntry"> },
  { accountId, applicationId, memberId, apiKey, targets, fields, ...entry }: NewAuditEntry,
): Promise<number> {
  const data = {
    ...entry,
    accountId: BigInt(accountId),
    applicationId: applicationId === null ? null : BigInt(applicationId),
    memberId: BigInt(memberId),
    apiKeyId: apiKey && BigInt(apiKey.id),
    apiKeyName: apiKey?.name,
    targets: targets as unknown as Prisma.InputJsonArray,
    fields: fields as unknown as Prisma.InputJsonArray,
  };
  const { id } = await db.auditEntry.create({ data, select: { id: true } });
  return Number(id);
}

/** Inserts the entry of a failed sign-in, of a member or, without an effect, of nobody. */
export async function insertFailedSignIn(
  { query }: Pick<Store, "query">,
  actor: AuditActor | null,
  entry: Pick<AuditEntry, "action" | "errorCode" | "ip" | "userAgent" | "requestId" | "createdAt">,
): Promise<void> {
  const { action, errorCode, ip, userAgent, requestId, createdAt } = entry;
  const { accountId = null, memberId = null, email = null, role = null } = actor ?? {};
  const values = [accountId, memberId, email, role, action, errorCode, ip, userAgent, requestId];
  await query(INSERT_FAILED_SIGN_IN, [...values, createdAt]);
}

/** Writes the outcome of an entry. Targets and application are those of the whole entry. */
export async function updateAuditEntry(
  { db }: Pick<Store, "db">,
  id: number,
  {
    applicationId,
    targets,
    ...outcome
  }: Pick<AuditEntry, "applicationId" | "targets"> & Pick<AuditEntry, "outcome" | "errorCode">,
): Promise<void> {
  await db.auditEntry.updateMany({
    where: { id: BigInt(id) },
    data: {
      ...outcome,
      applicationId: applicationId === null ? null : BigInt(applicationId),
      targets: targets as unknown as Prisma.InputJsonArray,
    },
  });
}

/** Lists entries of an account in a range of times and ids, in its direction; null for all of them. */
export async function findAuditEntries(
  { query }: Pick<Store, "query">,
  accountId: number,
  filter: AuditFilter | null,
  range: TimeIdRange,
): Promise<AuditEntry[]> {
  const [statements, value] = statementsOf(filter);
  const rows = await readRange<AuditEntryRow>(query, statements, [accountId, ...value], range);
  return rows.map(toAuditEntry);
}

function statementsOf(filter: AuditFilter | null): [KeysetStatements, unknown[]] {
  if (filter === null) return [ALL, []];
  if ("applicationId" in filter) return [OF_APPLICATION, [filter.applicationId]];
  if ("memberId" in filter) return [OF_MEMBER, [filter.memberId]];
  return [OF_ACTION, [filter.action]];
}

function toAuditEntry(row: AuditEntryRow): AuditEntry {
  const { id, email, role, action, targets, fields, outcome, ip } = row;
  return {
    ...{ id, email, role, action, targets, fields, outcome, ip },
    applicationId: row.application_id,
    memberId: row.member_id,
    apiKey:
      row.api_key_id === null || row.api_key_name === null
        ? null
        : { id: row.api_key_id, name: row.api_key_name },
    errorCode: row.error_code,
    userAgent: row.user_agent,
    requestId: row.request_id,
    createdAt: row.created_at,
  };
}
