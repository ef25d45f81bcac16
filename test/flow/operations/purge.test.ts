import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { hashToken } from "../../../src/core/random";
import { findSession } from "../../../src/domain/sessions/sessions";
import { purgeExpired } from "../../../src/open-domain";
import { openStore } from "../../../src/platform/store/open";
import type { Store } from "../../../src/platform/store/store";
import { openTestModules, type TestModules } from "../../support/auth-modules";
import { HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { type FreshDatabase, freshDatabase } from "../../support/operations/database";

const clock = new MovingClock();
let database: FreshDatabase;
let store: Store;
let modules: TestModules;
/** Number of executions of each statement. */
const executions = new Map<string, number>();

beforeAll(async () => {
  clock.hold(true);
  database = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  const log = openLog("silent");
  store = await openStore({ config, log, isNode: true });
  const listening: Store = {
    ...store,
    query: (statement, values) => {
      executions.set(statement.name, (executions.get(statement.name) ?? 0) + 1);
      return store.query(statement, values);
    },
  };
  modules = await openTestModules({ config, store: listening, clock });
  await sql("INSERT INTO accounts (id, name, account_key, updated_at) VALUES (1, 'a', 'k', now())");
  await sql(
    "INSERT INTO account_members (id, account_id, email, password_hash, role) VALUES (1, 1, 'a', 'h', 'owner')",
  );
  await sql(
    `INSERT INTO applications (id, account_id, name, auth_key, auth_secret, web_origins, updated_at)
     VALUES (1, 1, 'x', 'k', 's', '{}', now())`,
  );
});
beforeEach(async () => {
  executions.clear();
  for (const table of ["users", "sessions", "account_sessions", "nonces"]) {
    await sql(`DELETE FROM ${table}`);
  }
});
afterAll(async () => {
  await modules.close();
  await store.close();
  await database.remove();
});

const sql = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  store.query<Row>({ name: "test", text }, values);
const ids = async (table: string) =>
  (await sql<{ id: number }>(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);
const at = (ms: number) => new Date(clock.now() + ms);

/** Sessions with the ids 1, 2, … that expire in so many milliseconds from now. */
async function sessions(...expiries: number[]): Promise<void> {
  for (const [index, ms] of expiries.entries()) {
    await sql(
      `INSERT INTO sessions (id, application_id, token_hash, nonce, ts, expires_at,
         last_activity_at, updated_at) VALUES ($1, 1, $2, 1, 1, $3, $3, $3)`,
      [index + 1, hashToken(`token-${index + 1}`), at(ms)],
    );
  }
}

test("without expired rows each statement runs once", async () => {
  await purgeExpired(modules.sessions);
  const looks = [...executions].filter(([name]) => name.startsWith("purge_"));
  expect(looks).toEqual([
    ["purge_guests", 1],
    ["purge_sessions", 1],
    ["purge_nonces", 1],
    ["purge_consumed_jwts", 1],
    ["purge_account_sessions", 1],
    ["purge_account_invitations", 1],
    ["purge_password_resets", 1],
    ["purge_conference_guests", 1],
    ["purge_audit_entries", 1],
  ]);
});

test("deletes only expired guests", async () => {
  const users: Array<[boolean, Date | null]> = [
    [true, at(-1)],
    [true, at(0)],
    [true, at(MINUTE)],
    [false, null],
  ];
  for (const [index, [guest, until]] of users.entries()) {
    await sql(
      `INSERT INTO users (id, application_id, login, login_key, is_guest, guest_until, updated_at)
       VALUES ($1, 1, $2, $2, $3, $4, now())`,
      [index + 1, `user-${index + 1}`, guest, until],
    );
  }
  const closed: number[] = [];
  const withdraw = [1, 2, 3, 4].map((userId) =>
    modules.sessionEvents.track({ userId, sessionId: null, close: () => closed.push(userId) }),
  );
  await purgeExpired(modules.sessions);
  expect(await ids("users")).toEqual([3, 4]);
  expect(closed).toEqual([1, 2]);
  for (const each of withdraw) each();
});

test("deletes guests by link an hour after their tokens have ended", async () => {
  await sql(
    `WITH c AS (INSERT INTO conferences (application_id, name, seats, video, access, origin, bitrate)
        VALUES (1, 'guests', 12, true, 'everyone', 'graphql', 600000) RETURNING id),
      l AS (INSERT INTO conference_links (conference_id, secret_hash, expires_at, max_uses)
        SELECT id, sha256('link'), $1::timestamptz, 5 FROM c RETURNING id, conference_id)
      INSERT INTO conference_guests (id, conference_id, link_id, name, token_hash, expires_at)
        SELECT g.id, l.conference_id, l.id, 'Guest', sha256(convert_to('guest' || g.id, 'UTF8')), g.until
        FROM l, (VALUES (1, $2::timestamptz), (2, $3), (3, $1)) g(id, until)`,
    [at(HOUR), at(-HOUR - 1), at(-HOUR + MINUTE)],
  );
  await purgeExpired(modules.sessions);
  expect(await ids("conference_guests")).toEqual([2, 3]);
});

test("deletes sessions a minute after they expire", async () => {
  await sessions(-2 * HOUR, -MINUTE - 1, -MINUTE + 1, -1, HOUR);
  await purgeExpired(modules.sessions);
  expect(await ids("sessions")).toEqual([3, 4, 5]);
});

test("keeps a session whose last use is not written yet", async () => {
  await sessions(MINUTE, MINUTE);
  const used = await findSession(modules.sessions, "token-2");
  expect(used.id).toBe(2);
  clock.advance(HOUR);
  await purgeExpired(modules.sessions);
  expect(await ids("sessions")).toEqual([2]);
  expect((await findSession(modules.sessions, "token-2")).id).toBe(2);
  await expect(findSession(modules.sessions, "token-1")).rejects.toThrow(
    "Required session does not exist",
  );
});

test("deletes a guest's session at its expiry, even if it was just used", async () => {
  await sessions(HOUR);
  await sql("UPDATE sessions SET sliding = false");
  await findSession(modules.sessions, "token-1");
  clock.advance(HOUR + 2 * MINUTE);
  await purgeExpired(modules.sessions);
  expect(await ids("sessions")).toEqual([]);
});

test("deletes expired sessions of owners, invitations and password reset links", async () => {
  await sql(
    "INSERT INTO users (id, application_id, login, login_key, updated_at) VALUES (1, 1, 'a', 'a', now())",
  );
  for (const [id, ms] of [
    [1, -1],
    [2, MINUTE],
  ] as const) {
    await sql(
      `INSERT INTO account_sessions (id, member_id, token_hash, expires_at, last_activity_at)
       VALUES ($1, 1, $2, $3, $3)`,
      [id, hashToken(`owner-${id}`), at(ms)],
    );
    await sql(
      `INSERT INTO account_invitations (id, account_id, email, role, expires_at)
       VALUES ($1::bigint, 1, $1::text, 'owner', $2)`,
      [id, at(ms)],
    );
    await sql(
      "INSERT INTO password_resets (id, user_id, token_hash, expires_at) VALUES ($1, 1, $2, $3)",
      [id, hashToken(`link-${id}`), at(ms)],
    );
  }
  await purgeExpired(modules.sessions);
  expect(await ids("account_sessions")).toEqual([2]);
  expect(await ids("account_invitations")).toEqual([2]);
  expect(await ids("password_resets")).toEqual([2]);
});

test("keeps nonces while their timestamp is accepted", async () => {
  const now = Math.floor(clock.now() / 1000);
  const kept = [now - 3600, now, now + 3600];
  for (const ts of [...kept, now - 2 * 3600, now - 3600 - 301]) {
    await sql("INSERT INTO nonces (application_id, ts, nonce) VALUES (1, $1, 7)", [ts]);
  }
  await purgeExpired(modules.sessions);
  const left = await sql<{ ts: number }>("SELECT ts FROM nonces ORDER BY ts");
  expect(left.map(({ ts }) => ts)).toEqual(kept);
});

test("deletes many rows in batches", async () => {
  await sql(
    `INSERT INTO users (application_id, login, login_key, is_guest, guest_until, updated_at)
     SELECT 1, 'g' || n, 'g' || n, true, $1, now() FROM generate_series(1, 1100) n`,
    [at(-1)],
  );
  await sql(
    `INSERT INTO sessions (application_id, token_hash, nonce, ts, expires_at, last_activity_at,
       updated_at)
     SELECT 1, sha256(convert_to('many' || n, 'UTF8')), n, 1, $1, $1, $1
     FROM generate_series(1, 1000) n`,
    [at(-HOUR)],
  );
  await sql(
    "INSERT INTO nonces (application_id, ts, nonce) SELECT 1, 1, n FROM generate_series(1, 1499) n",
  );
  await Promise.all([purgeExpired(modules.sessions), purgeExpired(modules.sessions)]);
  for (const table of ["users", "sessions"]) expect(await ids(table)).toEqual([]);
  expect(await sql("SELECT 1 FROM nonces")).toEqual([]);
  expect(executions.get("purge_nonces")).toBeGreaterThanOrEqual(3);
});

test("deletes entries of the audit log after 90 days, batch by batch", async () => {
  const day = 24 * HOUR;
  await sql(
    `INSERT INTO audit_entries (account_id, member_id, email, role, action, targets, fields, ip, request_id,
       created_at)
     SELECT 1, 1, 'a@example.com', 'owner', 'createApplication', '[]', '[]', '127.0.0.1', 'r', $1::timestamptz
     FROM generate_series(1, 1200)`,
    [at(-90 * day)],
  );
  await sql(
    `INSERT INTO audit_entries (account_id, member_id, email, role, action, targets, fields, ip, request_id,
       created_at)
     VALUES (1, 1, 'a@example.com', 'owner', 'kept', '[]', '[]', '127.0.0.1', 'r', $1::timestamptz)`,
    [at(-90 * day + MINUTE)],
  );
  await purgeExpired(modules.sessions);
  expect(await sql("SELECT action FROM audit_entries")).toEqual([{ action: "kept" }]);
  expect(executions.get("purge_audit_entries")).toBe(3);
  clock.advance(MINUTE);
  await purgeExpired(modules.sessions);
  expect(await sql("SELECT action FROM audit_entries")).toEqual([]);
});
