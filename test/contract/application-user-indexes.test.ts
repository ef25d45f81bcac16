import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import type { ApplicationUsersRequest } from "../../src/domain/users/lists/application-users";
import { listApplicationUsers } from "../../src/domain/users/lists/application-users";
import { USER_LIST_FIELDS, type UserListField } from "../../src/domain/users/lists/user-filter";
import { openStore } from "../../src/platform/store/open";
import type { Statement, Store } from "../../src/platform/store/store";
import { explainAnalyze, type PlanNode } from "../../tools/explain";
import { type FreshDatabase, freshDatabase } from "../support/operations/database";
import { fillTables } from "../support/operations/fill-tables";

/** The owner's list of users with each of its arguments, at a size at which reading all users is slow. */

const ROWS = 100_000;
const PAGE = 10;
/** Blocked users, and guests, of an application: few of all. */
const FEW = ROWS / 500;
/** Users at the end of the ids whose logins, and e-mails, begin alike. */
const LATE = ROWS / 5;
/**
 * What a list with a filter may read: all users who match, or users in its order until it has found enough of them,
 * which the planner prefers if it expects to read less.
 */
const SOME = ROWS / 4;
/** The total stops here. */
const COUNT_MAX = 10_001;

/** Inserts a quarter of the users; all at once exceed the time limit of a statement on a slow machine. */
const users = (
  quarter: number,
) => `INSERT INTO users (application_id, login, login_key, email, email_key, full_name,
    phone, is_guest, blocked_at, last_request_at, created_at, updated_at)
  SELECT CASE WHEN n % 50 = 0 THEN 2 ELSE 1 END, word || n, lower(word) || n,
    CASE word WHEN 'Late' THEN 'late' ELSE '' END || n || '@mail.example',
    CASE word WHEN 'Late' THEN 'late' ELSE '' END || n || '@mail.example', 'Name' || n % 997, CASE WHEN n % 3 = 0 THEN '+49' || n END, n % 1000 < 2,
    CASE WHEN (n / 7) % 500 = 1 THEN now() END,
    CASE WHEN n % 3 = 0 THEN timestamptz '2026-01-01 10:00:00+00' + n * interval '0.3 s' END,
    timestamptz '2026-01-01 10:00:00+00' + n * interval '0.3 s',
    timestamptz '2026-01-01 10:00:00+00' - n * interval '0.3 s'
  FROM generate_series(${(quarter * ROWS) / 4 + 1}, ${((quarter + 1) * ROWS) / 4}) n,
    LATERAL (SELECT CASE WHEN n > ${ROWS - LATE} THEN 'Late' ELSE 'Login' END AS word) of`;

const FILL = [
  "INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'key', now())",
  `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
    SELECT id, 'x', 'k', 's', '{}', now() FROM accounts, generate_series(1, 2)`,
  ...[0, 1, 2, 3].map(users),
  `INSERT INTO user_tags (user_id, application_id, tag, position)
    SELECT id, application_id, 'tag' || id % 1000, 0 FROM users`,
];

let database: FreshDatabase;
let store: Store;

beforeAll(async () => {
  database = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  store = await openStore({ config, log: openLog("silent"), isNode: true });
  await fillTables(store, FILL);
});
afterAll(async () => {
  await store.close();
  await database.remove();
});

/** The rows of users and tags that a plan read; reading without an index counts as reading all. */
function rowsRead(plan: PlanNode[]): number {
  const scans = plan.filter(({ relation, type }) => relation !== undefined || /^Bitmap/.test(type));
  return scans.reduce((sum, { type, rows }) => sum + (type === "Seq Scan" ? 2 * ROWS : rows), 0);
}

/** Lists a page and its total. @returns the rows that each of the two statements read */
async function read(request: ApplicationUsersRequest) {
  const recorded: Array<{ statement: Statement; values: unknown[] }> = [];
  const recording: Store = {
    ...store,
    query: (statement, values) => {
      recorded.push({ statement, values });
      return store.query(statement, values);
    },
  };
  const page = await listApplicationUsers({ store: recording }, 1, { first: PAGE, ...request });
  const ofPage = recorded.length;
  const { count } = await page.total();
  const rows: number[] = [];
  for (const { statement, values } of recorded) {
    rows.push(rowsRead(await explainAnalyze(store, statement.text, values)));
  }
  const sum = (some: number[]) => some.reduce((before, each) => before + each, 0);
  return {
    nodes: page.list.users,
    count,
    page: sum(rows.slice(0, ofPage)),
    total: sum(rows.slice(ofPage)),
    unprepared: recorded.every(({ statement }) => statement.unprepared),
    cursorAt: page.cursorAt,
  };
}

const ORDERS = (Object.keys(USER_LIST_FIELDS) as UserListField[])
  .filter((field) => field !== "userTags")
  .flatMap((field) => [{ asc: field }, { desc: field }]);

/** Lists whose users are many, so that a page ends early, and the most rows that it may read. */
const MANY: Array<[what: string, request: ApplicationUsersRequest]> = [
  ["all users", {}],
  ["users who are not blocked", { blocked: false }],
  ["users who are no guests", { guest: false }],
  ["users who are neither", { blocked: false, guest: false }],
];

describe.each(MANY)("%s", (_what, request) => {
  test.each(ORDERS)("by %j: a page and the total read few users", async (sort) => {
    const first = await read({ ...request, sort });
    expect(first.nodes).toHaveLength(PAGE);
    expect(first.page).toBeLessThanOrEqual(20 * PAGE);
    expect(first.count).toBe(COUNT_MAX - 1);
    expect(first.total).toBeLessThanOrEqual(2 * COUNT_MAX);
    const after = first.cursorAt(PAGE - 1);
    const next = await read({ ...request, sort, after });
    expect(next.page).toBeLessThanOrEqual(20 * PAGE);
    const last = await read({ ...request, sort, first: null, last: PAGE });
    expect(last.page).toBeLessThanOrEqual(20 * PAGE);
  });
});

/** Lists whose users are few, with an index of their own. */
const RARE: Array<[what: string, request: ApplicationUsersRequest]> = [
  ["blocked users", { blocked: true }],
  ["guests", { guest: true }],
  ["guests who are not blocked", { guest: true, blocked: false }],
];

test.each(
  RARE,
)("%s: a page reads few users, and the total reads them once", async (_what, request) => {
  for (const sort of [{ asc: "id" }, { desc: "id" }] as const) {
    const found = await read({ ...request, sort });
    expect(found.page).toBeLessThanOrEqual(2 * PAGE + 2);
    expect(found.total).toBeLessThanOrEqual(2 * FEW);
    expect(found.count).toBeLessThanOrEqual(2 * FEW);
    const after = found.cursorAt(PAGE - 1);
    expect((await read({ ...request, sort, after })).page).toBeLessThanOrEqual(2 * PAGE + 2);
  }
});

/** Lists with a filter, which selects few users. */
const FILTERED: Array<[what: string, request: ApplicationUsersRequest]> = [
  ["blocked users of a tag", { blocked: true, filter: { userTags: { eq: "tag7" } } }],
  ["users of a tag", { filter: { userTags: { eq: "tag7" } } }],
  ["users of a tag who are no guests", { guest: false, filter: { userTags: { in: ["tag7"] } } }],
  ["users of a name", { blocked: false, filter: { fullName: { eq: "Name7" } } }],
];

describe.each(FILTERED)("%s", (_what, request) => {
  test.each([...ORDERS])("by %j: a page and the total read few users", async (sort) => {
    const found = await read({ ...request, sort });
    // The plans that `read` explains are those for the values, so they must be those that are executed.
    expect(found.unprepared).toBe(true);
    expect(found.page).toBeLessThanOrEqual(SOME);
    expect(found.total).toBeLessThanOrEqual(SOME);
    expect(found.count).toBeLessThanOrEqual(2 * FEW);
  });
});

test("the total of a filter that many users match stops at its bound, wherever their ids are", async () => {
  const found = await read({ filter: { login: { startWith: "late" } } });
  expect(found.count).toBe(COUNT_MAX - 1);
  expect(found.total).toBeLessThanOrEqual(2 * COUNT_MAX);
});

/** Searches, with how many users match, and the most rows that a page may read. */
const SEARCHES: Array<[request: ApplicationUsersRequest, found: number, rows: number]> = [
  [{ search: "l" }, COUNT_MAX - 1, 3 * PAGE],
  [{ search: "login" }, COUNT_MAX - 1, 3 * PAGE],
  [{ search: "late" }, COUNT_MAX - 1, 3 * PAGE],
  [{ search: "late", blocked: false, guest: false }, COUNT_MAX - 1, 3 * PAGE],
  [{ search: "login7777" }, 11, 3 * PAGE],
  [{ search: "77" }, 1089, 3 * PAGE],
  [{ search: "nobody of that name" }, 0, 0],
  [{ search: "login", blocked: true }, 161, 3 * PAGE],
  [{ search: "login77", blocked: true }, 7, 3 * PAGE],
  [{ search: "late", filter: { userTags: { eq: "tag7" } } }, 20, SOME],
];

describe.each(SEARCHES)("search with %j", (request, count, rows) => {
  test("reads few users for a page, for its neighbours, and for the total", async () => {
    const first = await read(request);
    expect(first.nodes).toHaveLength(Math.min(count, PAGE));
    expect(first.count).toBe(count);
    expect(first.page).toBeLessThanOrEqual(rows);
    expect(first.total).toBeLessThanOrEqual(3 * COUNT_MAX);
    expect(first.unprepared).toBe(Boolean(request.filter));
    if (first.nodes.length === 0) return;
    const after = first.cursorAt(first.nodes.length - 1);
    const next = await read({ ...request, after });
    expect(next.page).toBeLessThanOrEqual(rows);
    if (next.nodes.length === 0) return;
    const back = await read({ ...request, first: null, last: PAGE, before: next.cursorAt(0) });
    expect(back.nodes).toEqual(first.nodes);
    expect(back.page).toBeLessThanOrEqual(rows);
  });
});

test("reading all users is detected: no index serves the order by tags of many", async () => {
  const found = await read({
    sort: { asc: "userTags" },
    filter: { userTags: { in: Array.from({ length: 1_000 }, (_, n) => `tag${n}`) } },
  });
  expect(found.page).toBeGreaterThan(ROWS / 2);
});
