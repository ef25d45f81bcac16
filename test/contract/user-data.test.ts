import { callUserData } from "../../src/domain/calls/history/user-data";
import { decodeText } from "../../src/domain/push/payload/message";
import { pushUserData } from "../../src/domain/push/user-data";
import { readExports } from "../support/operations/read-exports";
import { universal } from "../support/push/push";
import { openPushFixture, type PushFixture } from "../support/push/push-fixture";

/** What the modules of push and calls export and erase of a user. */

let fixture: PushFixture;
let applicationId: number;
beforeAll(async () => {
  fixture = await openPushFixture();
  applicationId = await insert(
    `WITH a AS (INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'k', now())
        RETURNING id)
      INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
        SELECT id, 'x', 'k', 's', '{}', now() FROM a`,
  );
});
afterAll(() => fixture.close());

const sql = <Row>(text: string, values: unknown[] = []) =>
  fixture.store.query<Row>({ name: "test", text }, values);

/** Runs an INSERT and returns the new row's id. */
async function insert(text: string, values: unknown[] = []): Promise<number> {
  const [row] = await sql<{ id: number }>(`${text} RETURNING id`, values);
  return row?.id ?? 0;
}

/** The message of an incoming-call push. */
const RING = {
  message: "Incoming call from Ann",
  expiration: 1,
  call: {
    callId: "1",
    callerId: "7",
    callerName: "Ann",
    callerAvatar: "a.png",
    userInfo: { a: 1 },
  },
};

let made = 0;
/** A user with a device, and an event that was delivered to it. */
async function newUser() {
  made += 1;
  const name = `user-${made}`;
  const id = await insert(
    "INSERT INTO users (application_id, login, login_key, updated_at) VALUES ($1, $2, $2, now())",
    [applicationId, name],
  );
  const subscription = await insert(
    `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
      token, updated_at) VALUES ($1, $2, 'gcm', 'production', 'android', $3, $3, now())`,
    [applicationId, id, name],
  );
  const event = await insert(
    `INSERT INTO push_events (application_id, user_id, channel, environment, message, selector,
        idempotency_key, request_hash, updated_at)
      VALUES ($1, $2, 'gcm', 'production', $3, '{"by":"any","tags":["a_b"]}', $3, 'hash'::bytea, now())`,
    [applicationId, id, name],
  );
  const delivery = await insert(
    "INSERT INTO push_deliveries (event_id, subscription_id, updated_at) VALUES ($1, $2, now())",
    [event, subscription],
  );
  return { id, subscription, event, delivery };
}

/** A call with its incoming-call push to the callee. @returns the id of the push */
async function newCall(caller: number, callee: number, state = "hung_up"): Promise<number> {
  made += 1;
  const call = await insert(
    "INSERT INTO calls (application_id, session_id, caller_id, state) VALUES ($1, $2, $3, $4::call_state)",
    [applicationId, `call-${made}`, caller, state],
  );
  await sql(
    `INSERT INTO call_participants (call_id, user_id, session_id, rang_at)
      SELECT c.id, p.id, c.session_id, c.started_at FROM calls c, unnest($2::bigint[]) AS p(id)
      WHERE c.id = $1`,
    [call, [caller, callee]],
  );
  return insert(
    `INSERT INTO push_events (application_id, channel, environment, message, selector, kind, call_id,
        updated_at)
      VALUES ($1, 'gcm', 'production', $4, $2::text::jsonb, 'CALL', $3, now())`,
    [applicationId, JSON.stringify({ by: "ids", ids: [callee] }), call, universal(RING)],
  );
}

/** Every column of rows, by id. */
async function rowsOf(table: string, ...ids: number[]): Promise<object[]> {
  const rows = await sql<{ row: object }>(
    `SELECT to_jsonb(t) AS row FROM ${table} t WHERE t.id = ANY($1::bigint[]) ORDER BY t.id`,
    [ids],
  );
  return rows.map(({ row }) => row);
}

/** The user's pushes as the two modules export them. */
async function exportPushes({ id }: { id: number }): Promise<Record<string, unknown>> {
  const { query } = fixture.store;
  const { calls: _calls, ...pushes } = await readExports([callUserData, pushUserData], query, id);
  return pushes;
}

it("exports every column but the hash of a request, and nothing of other users", async () => {
  const user = await newUser();
  const other = await newUser();
  const third = await newUser();
  const placed = await newCall(user.id, other.id);
  const received = await newCall(other.id, user.id);
  await newCall(other.id, third.id);
  const [event] = await rowsOf("push_events", user.event);
  const { request_hash: hash, ...exported } = event as Record<string, unknown>;
  expect(hash).toEqual(expect.any(String));

  expect(await exportPushes(user)).toEqual({
    subscriptions: await rowsOf("push_subscriptions", user.subscription),
    events: [exported],
    deliveries: await rowsOf("push_deliveries", user.delivery),
    incoming_call_pushes: await rowsOf("push_events", placed, received),
  });
});

it("exports to a callee of a call with several users only the callee's own push", async () => {
  const [caller, callee, third] = [await newUser(), await newUser(), await newUser()];
  const push = await newCall(caller.id, callee.id);
  await sql(
    `INSERT INTO call_participants (call_id, user_id, session_id, rang_at)
      SELECT e.call_id, $2, 'call', now() FROM push_events e WHERE e.id = $1`,
    [push, third.id],
  );

  const pushesOf = async (user: { id: number }) => (await exportPushes(user)).incoming_call_pushes;
  expect(await pushesOf(callee)).toEqual(await rowsOf("push_events", push));
  expect(await pushesOf(third)).toEqual([]);
});

it("exports to a caller nothing that says what the callee did", async () => {
  const [caller, callee] = [await newUser(), await newUser()];
  const push = await newCall(caller.id, callee.id);
  for (const kind of ["CALL_END", "MISSED_CALL"]) {
    await sql(
      `INSERT INTO push_events (application_id, channel, environment, message, selector, kind, call_id, updated_at)
        SELECT application_id, channel, environment, message, selector, $2, call_id, now() FROM push_events WHERE id = $1`,
      [push, kind],
    );
  }
  const kindsOf = async (user: { id: number }) =>
    ((await exportPushes(user)).incoming_call_pushes as { kind: string }[]).map(({ kind }) => kind);
  expect(await kindsOf(caller)).toEqual(["CALL"]);
  expect(await kindsOf(callee)).toEqual(["CALL", "CALL_END", "MISSED_CALL"]);
});

it("exports empty lists of a user without data", async () => {
  expect(await exportPushes({ id: 0 })).toEqual({
    subscriptions: [],
    events: [],
    deliveries: [],
    incoming_call_pushes: [],
  });
});

it("keeps of a call that rings for others which devices ring, and nothing of its caller but the id", async () => {
  const [user, other] = [await newUser(), await newUser()];
  const placed = await newCall(user.id, other.id, "ringing");
  const received = await newCall(other.id, user.id, "ringing");

  await fixture.store.transaction(
    ({ query }) => callUserData.eraseUsers?.(query, [user.id]) ?? Promise.resolve([]),
  );

  const left = await rowsOf("push_events", placed, received);
  expect(left).toHaveLength(1);
  const { message } = left[0] as { message: string };
  expect(JSON.parse(decodeText(message))).toEqual({
    message: "Incoming call",
    expiration: 1,
    call: { callId: "1", callerId: "7", callerName: null, callerAvatar: null, userInfo: null },
  });
});

it("erases the pushes for the users' calls, and no others", async () => {
  const [user, other, third] = [await newUser(), await newUser(), await newUser()];
  const [placed, received] = [await newCall(user.id, other.id), await newCall(other.id, user.id)];
  const foreign = await newCall(other.id, third.id);

  await fixture.store.transaction(
    ({ query }) => callUserData.eraseUsers?.(query, [user.id]) ?? Promise.resolve([]),
  );

  const left = await rowsOf("push_events", placed, received, foreign, other.event);
  expect(left).toEqual(await rowsOf("push_events", foreign, other.event));
  expect(left).toHaveLength(2);
});
