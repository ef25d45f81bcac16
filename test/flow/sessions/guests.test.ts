import { openLog } from "../../../src/core/log";
import { INVALID_TEXT_MESSAGE } from "../../../src/core/text/text";
import { openJobs } from "../../../src/platform/jobs/pg-boss";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { eventually, HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signedParameters, type TestUser } from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

const clock = new MovingClock();
let node: TestNode;
/** A user who is not a guest. */
let regular: TestUser;
beforeAll(async () => {
  node = await startNode({}, { clock });
  regular = await newUser(node);
});
afterAll(() => node.stop());

const DAY = 24 * HOUR;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Creates a session with a signed request and the given additional fields. */
const create = (more: object = { user: { guest: 1 } }, on: TestNode = node) =>
  rest(on, "POST", "/session", { body: { ...signedParameters(on, clock.now()), ...more } });
const stored = async (id: number) => {
  const [row] = await node.sql<Record<string, unknown>>("SELECT * FROM users WHERE id = $1", [id]);
  return row;
};
const seconds = (iso: unknown) => Math.floor(new Date(String(iso)).getTime() / 1000);

describe("POST /session with user[guest]", () => {
  test.each([
    ["1 in JSON", { user: { guest: 1 } }],
    ["true in JSON", { user: { guest: true } }],
    ['"true" in JSON', { user: { guest: "true" } }],
    ["1 in a form", new URLSearchParams({ "user[guest]": "1" })],
    ["true in a form", new URLSearchParams({ "user[guest]": "true" })],
  ])("%s creates a guest and its session", async (_what, more) => {
    const base = signedParameters(node, clock.now());
    const body =
      more instanceof URLSearchParams
        ? new URLSearchParams(`${new URLSearchParams(base as Record<string, string>)}&${more}`)
        : { ...base, ...more };
    const answer = await rest(node, "POST", "/session", { body });
    expect(answer.status).toBe(201);
    const { session } = answer.body;
    expect(answer.body).toEqual({
      session: {
        id: expect.any(Number),
        application_id: node.application.id,
        user_id: session.user.id,
        nonce: base.nonce,
        token: expect.any(String),
        ts: base.timestamp,
        created_at: expect.stringMatching(ISO),
        updated_at: expect.stringMatching(ISO),
        user: {
          id: expect.any(Number),
          _id: String(session.user.id),
          is_guest: true,
          login: expect.stringMatching(/^guest-[\w-]{16}$/),
          email: null,
          phone: null,
          full_name: null,
          website: null,
          custom_data: null,
          external_user_id: null,
          external_id: null,
          facebook_id: null,
          twitter_id: null,
          user_tags: null,
          avatar: null,
          blob_id: null,
          timezone: null,
          created_at: expect.stringMatching(ISO),
          updated_at: expect.stringMatching(ISO),
          last_request_at: session.user.last_request_at,
        },
      },
    });
    const again = await rest(node, "GET", "/session", { token: session.token });
    expect(again.body.session.user).toMatchObject({ is_guest: true, _id: String(session.user.id) });
  });

  test("the full name is stored unchanged", async () => {
    const { body } = await create({ user: { guest: true, full_name: "Zoë 🦊" } });
    expect(body.session.user.full_name).toBe("Zoë 🦊");
    expect(await stored(body.session.user.id)).toMatchObject({
      full_name: "Zoë 🦊",
      is_guest: true,
      password_hash: null,
      email: null,
    });
  });

  test.each([
    ["is too long (maximum is 255 characters)", "x".repeat(256)],
    [INVALID_TEXT_MESSAGE, "a\0b"],
    [INVALID_TEXT_MESSAGE, "a\ud800b"],
  ])("a full name that %s is rejected", async (message, full_name) => {
    const answer = await create({ user: { guest: 1, full_name } });
    expect([answer.status, answer.body]).toEqual([422, { errors: { full_name: [message] } }]);
  });

  test("0 creates no guest, and a guest with a login is rejected", async () => {
    const none = await create({ user: { guest: 0 } });
    expect([none.status, none.body.session.user_id, none.body.session.user]).toEqual([
      201,
      null,
      undefined,
    ]);
    const both = await create({ user: { guest: 1, login: "a", password: "correct horse" } });
    expect([both.status, both.body]).toEqual([
      422,
      { errors: { base: ["user[guest] and user[login] or user[email] do not go together"] } },
    ]);
  });

  test("an application with sign-up closed accepts no guests", async () => {
    const other = await secondApplication(node);
    const id = other.application.id;
    await node.sql("UPDATE applications SET sign_up_open = false WHERE id = $1", [id]);
    const answer = await create({ user: { guest: 1 } }, { ...node, ...other });
    expect([answer.status, answer.body]).toEqual([
      403,
      { errors: { base: ["This application does not accept sign-ups"] } },
    ]);
    expect(await node.sql("SELECT id FROM users WHERE application_id = $1", [id])).toEqual([]);
  });
});

test("createSession in GraphQL creates a guest", async () => {
  const { application_id, auth_key, nonce, timestamp, signature } = signedParameters(
    node,
    clock.now(),
  );
  const { data, errors } = await graphql(
    node,
    `mutation ($input: CreateSessionInput!) {
      createSession(input: $input) { session { token user { login email phone fullName isGuest } } }
    }`,
    {
      input: {
        applicationId: application_id,
        authKey: auth_key,
        nonce,
        timestamp,
        signature,
        user: { guest: true, fullName: "Ann" },
      },
    },
  );
  expect(errors).toBeUndefined();
  expect(data.createSession.session).toEqual({
    token: expect.any(String),
    user: {
      login: expect.stringMatching(/^guest-/),
      email: null,
      phone: null,
      fullName: "Ann",
      isGuest: true,
    },
  });
});

test("createSession in GraphQL names conflicting credentials by its fields", async () => {
  const { application_id, auth_key, ...signed } = signedParameters(node, clock.now());
  const user = { guest: true, login: "a", password: "correct horse" };
  const { errors } = await graphql(
    node,
    "mutation ($input: CreateSessionInput!) { createSession(input: $input) { session { id } } }",
    { input: { applicationId: application_id, authKey: auth_key, ...signed, user } },
  );
  const text = "guest and login or email do not go together";
  expect([errors?.[0].message, errors?.[0].extensions]).toEqual([
    text,
    { code: "INVALID", fields: { base: [text] } },
  ]);
});

describe("a guest", () => {
  test("can neither sign in with a password nor set one", async () => {
    const { session } = (await create()).body;
    const { id, login } = session.user;
    const set = await rest(node, "PUT", `/users/${id}`, {
      token: session.token,
      body: { user: { password: "correct horse" } },
    });
    expect([set.status, set.body]).toEqual([
      422,
      { errors: { password: ["cannot be set: a guest has none"] } },
    ]);
    const old = await rest(node, "PUT", `/users/${id}`, {
      token: session.token,
      body: { user: { password: "correct horse", old_password: "correct horse" } },
    });
    expect(old.status).toBe(422);
    expect((await stored(id))?.password_hash).toBeNull();
    // Not even with a password hash in its row.
    await node.sql(
      "UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $1) WHERE id = $2",
      [regular.id, id],
    );
    const signIn = await create({ user: { login, password: regular.password } });
    expect([signIn.status, signIn.body]).toEqual([
      401,
      { errors: { base: ["Unauthorized: the login or the password is wrong"] } },
    ]);
  });

  test("may change its name and stays a guest", async () => {
    const { session } = (await create()).body;
    const { status, body } = await rest(node, "PUT", `/users/${session.user.id}`, {
      token: session.token,
      body: { user: { full_name: "Bea", is_guest: false } },
    });
    expect([status, body.user.full_name, body.user.is_guest]).toEqual([200, "Bea", true]);
  });

  test("expires after a day, regardless of requests", async () => {
    const { session } = (await create()).body;
    const [row] = await node.sql<Record<string, unknown>>(
      `SELECT s.sliding, s.created_at, s.expires_at, u.guest_until FROM sessions s
       JOIN users u ON u.id = s.user_id WHERE s.id = $1`,
      [session.id],
    );
    const createdAt = seconds(row?.created_at);
    expect(row?.sliding).toBe(false);
    expect(seconds(row?.expires_at) - createdAt).toBe(DAY / 1000);
    expect(Math.abs(seconds(row?.guest_until) - createdAt - DAY / 1000)).toBeLessThanOrEqual(1);
    const get = () => rest(node, "GET", "/session", { token: session.token });
    // Idle for longer than the lifetime of a default session.
    clock.advance(3 * HOUR);
    expect((await get()).status).toBe(200);
    clock.advance(21 * HOUR - MINUTE);
    const last = await get();
    expect(last.status).toBe(200);
    expect(seconds(last.headers.get("svc-token-expirationdate")?.replace(" UTC", "Z"))).toBe(
      seconds(row?.expires_at),
    );
    clock.advance(2 * MINUTE);
    const over = await get();
    expect([over.status, over.body]).toEqual([
      401,
      { errors: { base: ["Required session does not exist"] } },
    ]);
  });
});

test("after a day a guest is deleted with all its data and its sockets are closed", async () => {
  const { session } = (await create({ user: { guest: 1, full_name: "Cleo" } })).body;
  const { id } = session.user;
  await node.sql("INSERT INTO user_tags VALUES ($1, $2, 'tag', 0)", [id, node.application.id]);
  await node.sql(
    "INSERT INTO calls (application_id, session_id, caller_id) VALUES ($1, 'call', $2)",
    [node.application.id, id],
  );
  await node.sql(
    `INSERT INTO call_participants (call_id, user_id, session_id, rang_at)
     SELECT c.id, u.id, c.session_id, c.started_at FROM calls c, users u WHERE u.id IN ($1, $2)`,
    [id, regular.id],
  );
  await node.sql(
    `INSERT INTO password_resets (user_id, token_hash, expires_at)
     VALUES ($1, '\\x00', now() + interval '1 year')`,
    [id],
  );
  const socket = await openSocket(node, session.token);
  clock.advance(DAY + MINUTE);

  // The node's worker also runs jobs that another client enqueued.
  const jobs = openJobs({ store: node.app.store, log: openLog("silent"), singleNode: false });
  await jobs.enqueue("purge", {});
  await jobs.close();
  await socket.closed;
  await eventually(
    () => stored(id),
    (row) => row === undefined,
  );
  for (const table of ["sessions", "user_tags", "call_participants", "password_resets"]) {
    expect(await node.sql(`SELECT 1 FROM ${table} WHERE user_id = $1`, [id])).toEqual([]);
  }
  expect(await node.sql("SELECT session_id, caller_id FROM calls")).toEqual([
    { session_id: "call", caller_id: null },
  ]);
  expect(await node.sql("SELECT user_id FROM call_participants")).toEqual([
    { user_id: regular.id },
  ]);
  expect(await stored(regular.id)).toMatchObject({ is_guest: false });
  expect((await rest(node, "GET", "/session", { token: session.token })).status).toBe(401);
});
