import { systemClock } from "../../src/core/clock";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import type { AuditDeps } from "../../src/domain/audit/entries/audit-entry";
import {
  AUDIT_RETENTION_MS,
  listAuditEntries,
  NEWEST_ENTRY_FIRST,
  purgeAuditEntries,
} from "../../src/domain/audit/entries/audit-log";
import { recordRefused, runAudited } from "../../src/domain/audit/entries/record-entry";
import { openStore } from "../../src/platform/store/open";
import type { Statement, Store } from "../../src/platform/store/store";
import { explainAnalyze } from "../../tools/explain";
import { type FreshDatabase, freshDatabase } from "../support/operations/database";
import { fillTables } from "../support/operations/fill-tables";

/** Entries of one account; another has as many. */
const ROWS = 100_000;
const SECOND = 1000;

/**
 * One entry a second, until now. Application, member and mutation 7 have two of them; 3 has the older half, which an
 * index on the time alone would find after all others; 1 the rest.
 */
const FILL = [
  "INSERT INTO accounts (id, name, account_key, updated_at) VALUES (1, 'a', 'a', now()), (2, 'b', 'b', now())",
  `INSERT INTO audit_entries (account_id, application_id, member_id, email, role, action, targets, fields,
      outcome, ip, request_id, created_at)
    SELECT a, k, k, 'a@example.com', 'owner', k::text, '[]', '[]', 'succeeded', '127.0.0.1', 'r',
      now() - n * interval '1 second'
    FROM generate_series(1, ${ROWS}) n, unnest(ARRAY[1, 2]) a,
      LATERAL (SELECT CASE WHEN n IN (50, 99999) THEN 7 WHEN n > ${ROWS / 2} THEN 3 ELSE 1 END AS k) of`,
];

let database: FreshDatabase;
let store: Store;
/** Rows that each statement read at most, and whether it scanned the table. */
const reads = new Map<string, { rows: number; scans: boolean }>();
let deps: AuditDeps;

beforeAll(async () => {
  database = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  const log = openLog("silent");
  store = await openStore({ config, log, isNode: true });
  await fillTables(store, FILL);
  const query = async <Row>(statement: Statement, values: unknown[]): Promise<Row[]> => {
    if (statement.text.startsWith("SELECT")) {
      const scans = (await explainAnalyze(store, statement.text, values)).filter(
        ({ relation }) => relation === "audit_entries",
      );
      const rows = scans.reduce((sum, each) => sum + each.rows, 0);
      const isScan = scans.some(({ type }) => type === "Seq Scan");
      const known = reads.get(statement.name);
      reads.set(statement.name, {
        rows: Math.max(rows, known?.rows ?? 0),
        scans: isScan || (known?.scans ?? false),
      });
    }
    return store.query<Row>(statement, values);
  };
  deps = { store: { ...store, query }, clock: systemClock, log };
});
afterAll(async () => {
  await store.close();
  await database.remove();
});

/** Number of sequential scans of the table. */
async function countScans(): Promise<number> {
  await store.query({ name: "flush", text: "SELECT pg_stat_force_next_flush()::text" }, []);
  const [row] = await store.query<{ scans: number }>(
    {
      name: "scans",
      text: "SELECT seq_scan AS scans FROM pg_stat_user_tables WHERE relname = 'audit_entries'",
    },
    [],
  );
  return row?.scans ?? 0;
}

test("every list reads about as many rows as it returns", async () => {
  const now = systemClock.now();
  const at = (secondsAgo: number) => new Date(now - secondsAgo * SECOND);
  const filters = [
    {},
    ...["7", "3", "1", "9"].flatMap((value) => [
      { applicationId: value },
      { memberId: value },
      { action: value },
    ]),
  ];
  const middle = NEWEST_ENTRY_FIRST.cursorOf({ createdAt: at(70_000), id: 1 });
  const pages = [
    { first: 50 },
    { last: 50 },
    { first: 50, after: middle },
    { last: 50, before: middle },
    { first: 50, since: at(80_000), until: at(70_000) },
    { last: 50, since: at(80_000), until: at(70_000) },
    { first: 50, since: at(-60), until: at(-120) },
  ];
  const found: number[] = [];
  for (const filter of filters) {
    for (const page of pages) {
      found.push((await listAuditEntries(deps, 1, { ...filter, ...page })).nodes.length);
    }
  }
  // Of all entries; of 7; of 3, whose newest one is the 50,001st; of 1; of 9, which has none.
  const thrice = (counts: number[]) => [...counts, ...counts, ...counts];
  expect(found).toEqual([
    ...[50, 50, 50, 50, 50, 50, 0],
    ...thrice([2, 2, 1, 1, 0, 0, 0]),
    ...thrice([50, 50, 50, 50, 50, 50, 0]),
    ...thrice([50, 50, 0, 50, 0, 0, 0]),
    ...thrice([0, 0, 0, 0, 0, 0, 0]),
  ]);
  expect([...reads.keys()].sort()).toEqual([
    "audit_entries",
    "audit_entries_ascending",
    "audit_entries_of_action",
    "audit_entries_of_action_ascending",
    "audit_entries_of_application",
    "audit_entries_of_application_ascending",
    "audit_entries_of_member",
    "audit_entries_of_member_ascending",
  ]);
  for (const [name, { rows, scans }] of reads) {
    expect([name, rows <= 51, scans]).toEqual([name, true, false]);
  }
});

test("writing an entry, its outcome and the purge scan nothing", async () => {
  const before = await countScans();
  const action = {
    actor: { accountId: 1, memberId: 1, email: "a@example.com", role: "owner", apiKey: null },
    action: "createApplication",
    input: { targets: [], fields: [] },
    caller: { ip: "127.0.0.1", requestId: "r" },
  } as const;
  const input = { targets: [], fields: [] };
  await runAudited(deps, { ...action, input }, async () => undefined);
  await recordRefused(deps, { ...action, input }, "FORBIDDEN");
  // The 1,000 oldest of both accounts.
  const clock = { now: () => systemClock.now() + AUDIT_RETENTION_MS - (ROWS - 500) * SECOND };
  await purgeAuditEntries({ ...deps, clock });
  expect(await countScans()).toBe(before);
  const { nodes } = await listAuditEntries(deps, 1, { last: 1 });
  const oldest = systemClock.now() - (nodes[0]?.createdAt.getTime() ?? 0);
  expect(oldest).toBeLessThan((ROWS - 499) * SECOND + 60 * SECOND);
  expect((await listAuditEntries(deps, 2, { first: 1 })).nodes).toHaveLength(1);
});
