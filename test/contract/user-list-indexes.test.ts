import { systemClock } from "../../src/core/clock";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { newKey } from "../../src/core/random";
import { Sealer } from "../../src/core/sealer";
import type { UserViewer } from "../../src/core/viewer";
import { AUTH_SECRET_PURPOSE } from "../../src/domain/applications/secret-key";
import { USER_LIST_FIELDS, type UserListField } from "../../src/domain/users/lists/user-filter";
import { encodeUserCursor, positionColumn } from "../../src/domain/users/lists/user-keyset";
import { listUsers, type UserListRequest } from "../../src/domain/users/lists/user-list";
import { openStore } from "../../src/platform/store/open";
import type { Statement, Store } from "../../src/platform/store/store";
import { explainAnalyze, type PlanNode } from "../../tools/explain";
import { type FreshDatabase, freshDatabase } from "../support/operations/database";
import { fillTables } from "../support/operations/fill-tables";

/** The pages of a user list without a filter, in every order, at a size at which reading all users is slow. */

const ROWS = 100_000;
const PAGE = 10;
/** A page of each of the two parts of a list, and ties. Near an end, a plan may read all of the few users left. */
const MAX_ROWS = 10 * PAGE;

const sealer = new Sealer([newKey()]);

// Ties of up to four users; columns in which all, many, few and none have a value; the times of some users
// are in one second.
const FILL = [
  "INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'key', now())",
  `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, v1_list_disabled, updated_at)
    SELECT id, 'x', 'k', '${sealer.seal("s", AUTH_SECRET_PURPOSE)}', '{}', false, now()
    FROM accounts, generate_series(1, 2)`,
  `INSERT INTO users (application_id, login, login_key, email, email_key, external_id, facebook_id,
      full_name, phone, last_request_at, created_at, updated_at)
    SELECT CASE WHEN n % 50 = 0 THEN 2 ELSE 1 END, 'Login' || n, 'login' || n,
      CASE WHEN n % 2 = 0 THEN n || '@mail.example' END, CASE WHEN n % 2 = 0 THEN n || '@mail.example' END,
      CASE WHEN n > ${ROWS / 2} THEN 'ext' || n END, CASE WHEN n % 1000 = 1 THEN 'fb' || n END,
      'Name' || (n::bigint * 7919) % ${ROWS} / 4, CASE WHEN n % 1000 > 1 THEN '+49' || (n::bigint * 104729) % ${ROWS} / 4 END,
      CASE WHEN n % 3 = 0 THEN timestamptz '2026-01-01 10:00:00+00' + n * interval '0.3 s' END,
      timestamptz '2026-01-01 10:00:00+00' + n * interval '0.3 s',
      timestamptz '2026-01-01 10:00:00+00' - n * interval '0.3 s'
    FROM generate_series(1, ${ROWS}) n`,
];

let database: FreshDatabase;
let store: Store;
let viewer: UserViewer;
/** The statements of the last list. */
const recorded: Array<{ statement: Statement; values: unknown[] }> = [];

beforeAll(async () => {
  database = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  store = await openStore({ config, log: openLog("silent"), isNode: true });
  await fillTables(store, FILL);
  const [user] = await sql<{ id: number }>("SELECT id FROM users WHERE application_id = 1 LIMIT 1");
  viewer = { kind: "user", sessionId: 1, applicationId: 1, userId: user?.id ?? 0 };
});
afterAll(async () => {
  await store.close();
  await database.remove();
});

const sql = <Row>(text: string) => store.query<Row>({ name: "test", text }, []);

/** Lists users; the ids of the page, and the plan of its statement. */
async function read(request: UserListRequest): Promise<{ ids: number[]; plan: PlanNode[] }> {
  const recording: Store = {
    ...store,
    query: (statement, values) => {
      recorded.push({ statement, values });
      return store.query(statement, values);
    },
  };
  recorded.length = 0;
  const deps = { store: recording, sealer, clock: systemClock };
  const { list } = await listUsers(deps, viewer, { withCursors: true, ...request });
  const { statement, values } = recorded.find(({ statement: { name } }) => name === "user_list")!;
  const plan = await explainAnalyze(store, statement.text, values);
  return { ids: list.users.map(({ id }) => id), plan };
}

/** The rows that a plan read of the table `users`, by index; a scan without an index has the scan's name. */
function rowsRead(plan: PlanNode[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { type, relation, index, rows } of plan) {
    if (relation !== "users" && !type.startsWith("Bitmap")) continue;
    const source = index ?? type;
    counts.set(source, (counts.get(source) ?? 0) + rows);
  }
  return counts;
}

const total = (counts: Map<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);

interface Position {
  id: number;
  value: string | null;
}

const isIndexed = (field: string) => field !== "userTags";
const ORDERS = (Object.keys(USER_LIST_FIELDS) as UserListField[])
  .filter(isIndexed)
  .flatMap((field) => (["asc", "desc"] as const).map((direction) => [field, direction] as const));

describe.each(ORDERS)("by %s %s", (field, direction) => {
  const order = { field, descending: direction === "desc" };
  const sort = { [direction]: field };
  /** The whole list, as a statement without parts sorts it. */
  let all: Position[];

  beforeAll(async () => {
    const value = field === "id" ? "u.id" : USER_LIST_FIELDS[field].sql;
    const nulls = direction === "asc" ? "NULLS FIRST" : "NULLS LAST";
    all = await sql<Position>(
      `SELECT u.id, ${positionColumn(order) ?? "NULL"} AS value FROM users u WHERE u.application_id = 1
        ORDER BY ${value} ${direction} ${nulls}, u.id`,
    );
  });

  /** Reads a page, whose users are those from an index of the list on. */
  async function expectPage(request: UserListRequest, start: number): Promise<void> {
    const { ids, plan } = await read({ sort, ...request });
    expect(ids).toEqual(all.slice(start, start + PAGE).map(({ id }) => id));
    const counts = rowsRead(plan);
    expect([...counts.keys()]).not.toContain("Seq Scan");
    expect(total(counts)).toBeGreaterThanOrEqual(PAGE);
    expect(total(counts)).toBeLessThanOrEqual(MAX_ROWS);
  }

  const cursorAt = (index: number) => encodeUserCursor(order, all[index] as Position);

  test("the first and the last page read few users", async () => {
    await expectPage({ first: PAGE }, 0);
    await expectPage({ last: PAGE }, all.length - PAGE);
  });

  test.each([
    0.0003, 0.1, 0.25, 0.5, 0.75, 0.9, 0.9997,
  ])("the pages after and before the position at %d of the list read few users", async (share) => {
    const at = Math.floor(share * all.length) + PAGE;
    const index = Math.min(at, all.length - PAGE - 2);
    await expectPage({ first: PAGE, after: cursorAt(index) }, index + 1);
    await expectPage({ last: PAGE, before: cursorAt(index) }, index - PAGE);
    const between = { after: cursorAt(index - 1), before: cursorAt(index + PAGE) };
    await expectPage({ first: PAGE, ...between }, index);
    await expectPage({ last: PAGE, ...between }, index);
  });
});

test("reading all users is detected: no index serves the order by tags", async () => {
  const { plan } = await read({ sort: { asc: "userTags" }, first: PAGE });
  expect(total(rowsRead(plan))).toBeGreaterThan(ROWS / 2);
});
