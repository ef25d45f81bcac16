import { WebSocket } from "ws";
import { graphql } from "../../../tools/graphql/graphql-http";
import { eventually, HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import {
  applicationToken,
  newUser,
  rest,
  signedParameters,
  signIn,
} from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

const CHALLENGE = 'Bearer realm="Signalbox: token in Svc-Token, or in Authorization: Bearer"';
const NO_SESSION = { errors: { base: ["Required session does not exist"] } };
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

describe("GET /session", () => {
  it("shows an application session with exactly its keys", async () => {
    const body = signedParameters(node);
    const created = await rest(node, "POST", "/session", { body });
    const { token, id } = created.body.session;
    const shown = await rest(node, "GET", "/session", { token });
    expect([shown.status, shown.body]).toEqual([
      200,
      {
        session: {
          id,
          application_id: node.application.id,
          user_id: null,
          nonce: body.nonce,
          token,
          ts: body.timestamp,
          created_at: expect.stringMatching(DATE),
          updated_at: expect.stringMatching(DATE),
          device_id: null,
        },
      },
    ]);
    expect(shown.body).toEqual(created.body);
  });

  it("shows a user session with the user and without device_id", async () => {
    const user = await newUser(node, { tag_list: "a,b" });
    const { status, body } = await rest(node, "GET", "/session", { token: user.token });
    expect(status).toBe(200);
    expect(body.session).toEqual({
      id: user.sessionId,
      application_id: node.application.id,
      user_id: user.id,
      nonce: expect.any(Number),
      token: user.token,
      ts: expect.any(Number),
      created_at: expect.stringMatching(DATE),
      updated_at: expect.stringMatching(DATE),
      user: {
        id: user.id,
        login: user.login,
        email: null,
        full_name: null,
        phone: null,
        external_user_id: null,
        external_id: null,
        facebook_id: null,
        twitter_id: null,
        website: null,
        custom_data: null,
        user_tags: "a,b",
        avatar: null,
        blob_id: null,
        created_at: expect.stringMatching(DATE),
        updated_at: expect.stringMatching(DATE),
        last_request_at: body.session.user.last_request_at,
        timezone: null,
      },
    });
  });

  it.each(["/session.json", "/session?", "/session?x=1"])("answers at %s", async (path) => {
    const token = await applicationToken(node);
    expect((await rest(node, "GET", path, { token })).body.session.token).toBe(token);
  });

  it.each([
    ["no token", undefined],
    ["an empty token", ""],
    ["an unknown token", "x".repeat(43)],
    ["a word", "token"],
    ["a token with a character more", "+"],
  ])("is rejected for %s, with the same text", async (_what, token) => {
    const sent = token === "+" ? `${await applicationToken(node)}x` : token;
    const headers = sent === undefined ? undefined : { "Svc-Token": sent };
    const answer = await rest(node, "GET", "/session", { headers });
    expect([answer.status, answer.body]).toEqual([401, NO_SESSION]);
  });

  it("sends the expiry header in the documented form", async () => {
    const token = await applicationToken(node);
    const { headers } = await rest(node, "GET", "/session", { token });
    const text = headers.get("svc-token-expirationdate");
    expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    const lifetime = Date.parse(`${text?.slice(0, 10)}T${text?.slice(11, 19)}Z`) - Date.now();
    expect(Math.round(lifetime / MINUTE)).toBeGreaterThan(110);
    expect(Math.round(lifetime / MINUTE)).toBeLessThanOrEqual(120);
  });
});

describe("DELETE /session", () => {
  it.each(["/session", "/session.json"])("ends the session immediately: %s", async (path) => {
    const user = await newUser(node);
    const other = await signIn(node, user);
    const destroyed = await rest(node, "DELETE", path, { token: user.token });
    expect([destroyed.status, destroyed.text]).toEqual([200, ""]);
    for (const [method, at] of [
      ["GET", "/session"],
      ["DELETE", "/session"],
      ["GET", `/users/${user.id}`],
      ["DELETE", "/login"],
    ] as const) {
      const gone = await rest(node, method, at, { token: user.token });
      expect([at, gone.status, gone.body]).toEqual([at, 401, NO_SESSION]);
    }
    const { errors } = await graphql(node, "{ currentSession { id } }", {}, user.token);
    expect(errors?.[0].extensions.code).toBe("UNAUTHENTICATED");
    expect((await rest(node, "GET", "/session", { token: other.token })).status).toBe(200);
    const rows = await node.sql("SELECT id FROM sessions WHERE id = $1", [user.sessionId]);
    expect(rows).toEqual([]);
  });
});

describe("POST and DELETE /login", () => {
  it.each(["login", "email"])("signs in by %s on the application's token", async (name) => {
    const user = await newUser(node, { email: `by-${name}@example.com` });
    const who = name === "login" ? { login: user.login } : { email: `By-${name}@example.com` };
    const token = await applicationToken(node);
    for (const body of [
      { ...who, password: user.password },
      new URLSearchParams([...Object.entries(who), ["password", user.password]]),
    ]) {
      const answer = await rest(node, "POST", "/login", { token, body });
      expect([answer.status, Object.keys(answer.body), answer.body.user.id]).toEqual([
        200,
        ["user"],
        user.id,
      ]);
    }
    const shown = await rest(node, "GET", "/session", { token });
    expect(shown.body.session).toMatchObject({ token, user_id: user.id, user: { id: user.id } });
    expect((await rest(node, "GET", `/users/${user.id}`, { token })).status).toBe(200);
  });

  it("moves a session from one user to another", async () => {
    const [first, second] = [await newUser(node), await newUser(node)];
    const body = { login: second.login, password: second.password };
    await rest(node, "POST", "/login", { token: first.token, body });
    const shown = await rest(node, "GET", "/session", { token: first.token });
    expect(shown.body.session.user_id).toBe(second.id);
  });

  it.each([
    ["a wrong password", { login: "", password: "wrong horse" }, 401, "base"],
    ["an unknown login", { login: "nobody-here", password: "correct horse" }, 401, "base"],
    ["no password", { login: "" }, 422, "password"],
    ["no name", { password: "correct horse" }, 422, "base"],
    ["nothing", {}, 422, "base"],
    ["an object as the login", { login: { $ne: "" }, password: "x" }, 422, "login"],
  ] as const)("is rejected for %s and changes nothing", async (_what, fields, status, field) => {
    const user = await newUser(node);
    const token = await applicationToken(node);
    const body = {
      ...fields,
      ...("login" in fields && fields.login === "" ? { login: user.login } : {}),
    };
    const answer = await rest(node, "POST", "/login", { token, body });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([status, [field]]);
    if (status === 401) {
      expect(answer.body.errors.base[0]).toBe("Unauthorized: the login or the password is wrong");
    }
    expect((await rest(node, "GET", "/session", { token })).body.session.user_id).toBeNull();
  });

  it("rejects a sign-in without a token and a user of another application", async () => {
    const user = await newUser(node);
    const body = { login: user.login, password: user.password };
    const without = await rest(node, "POST", "/login", { body });
    expect([without.status, without.body]).toEqual([401, NO_SESSION]);
    const other = await secondApplication(node);
    const token = await applicationToken(other);
    expect((await rest(other, "POST", "/login", { token, body })).status).toBe(401);
  });

  it.each([
    "/login",
    "/login.json",
  ])("signs out and keeps the token valid: DELETE %s", async (path) => {
    const user = await newUser(node);
    const { token } = user;
    const out = await rest(node, "DELETE", path, { token });
    expect([out.status, out.text]).toEqual([200, ""]);
    const shown = await rest(node, "GET", "/session", { token });
    expect(shown.body.session).toMatchObject({ id: user.sessionId, token, user_id: null });
    expect(shown.body.session).toHaveProperty("device_id", null);
    expect(shown.body.session).not.toHaveProperty("user");
    const reading = await rest(node, "GET", `/users/${user.id}`, { token });
    expect(reading.status).toBe(403);
    expect((await rest(node, "DELETE", "/login", { token })).status).toBe(403);
    const body = { login: user.login, password: user.password };
    expect((await rest(node, "POST", "/login", { token, body })).status).toBe(200);
    expect((await rest(node, "GET", `/users/${user.id}`, { token })).status).toBe(200);
  });

  it("work the same through GraphQL", async () => {
    const user = await newUser(node);
    const token = await applicationToken(node);
    const login = await graphql(
      node,
      `mutation ($input: LoginInput!) {
        login(input: $input) { user { databaseId } session { userId token } }
      }`,
      { input: { login: user.login, password: user.password } },
      token,
    );
    expect(login.data.login).toEqual({
      user: { databaseId: user.id },
      session: { userId: String(user.id), token },
    });
    const out = await graphql(node, "mutation { logout { session { userId token } } }", {}, token);
    expect(out.data.logout).toEqual({ session: { userId: null, token } });
    const end = await graphql(node, "mutation { destroySession { destroyed } }", {}, token);
    expect(end.data.destroySession).toEqual({ destroyed: true });
    const gone = await graphql(node, "{ currentSession { id } }", {}, token);
    expect(gone.errors?.[0]).toMatchObject({
      message: expect.stringMatching(/^Required session does not exist: send a valid token in /),
      extensions: { code: "UNAUTHENTICATED" },
    });
  });
});

describe("tokens in GraphQL", () => {
  const ask = async (headers: Record<string, string>) => {
    const response = await fetch(node.graphqlUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ query: "{ currentSession { token } }" }),
    });
    const { data, errors } = JSON.parse(await response.text());
    return data?.currentSession?.token ?? errors[0].extensions.code;
  };

  it("are accepted in Svc-Token or as Bearer", async () => {
    const token = await applicationToken(node);
    expect(await ask({ "Svc-Token": token })).toBe(token);
    expect(await ask({ Authorization: `Bearer ${token}` })).toBe(token);
    expect(await ask({ Authorization: `bearer ${token}` })).toBe(token);
  });

  it.each([
    "Basic {token}",
    "{token}",
    "Bearer",
    "Bearer  ",
    "Bearer x{token}",
  ])("are accepted in no other form: %s", async (form) => {
    const token = await applicationToken(node);
    expect(await ask({ Authorization: form.replace("{token}", token) })).toBe("UNAUTHENTICATED");
  });
});

describe("tokens in REST", () => {
  const read = (headers: Record<string, string>) => rest(node, "GET", "/session", { headers });

  it("are accepted in Svc-Token or as Bearer, Svc-Token first", async () => {
    const token = await applicationToken(node);
    const other = await applicationToken(node);
    const bearer = { Authorization: `Bearer ${token}` };
    for (const [headers, expected] of [
      [{ "Svc-Token": token }, token],
      [bearer, token],
      [{ "Svc-Token": "", ...bearer }, token],
      [{ "Svc-Token": other, ...bearer }, other],
    ] as const) {
      const { status, body } = await read(headers);
      expect([status, body.session.token]).toEqual([200, expected]);
    }
  });

  it.each<[what: string, headers: Record<string, string>, challenge: string]>([
    ["no token", {}, CHALLENGE],
    ["Basic credentials", { Authorization: "Basic dXNlcjpwYXNz" }, CHALLENGE],
    ["an unknown token", { "Svc-Token": "x".repeat(43) }, `${CHALLENGE}, error="invalid_token"`],
  ])("with %s get 401 with a challenge, and the body of old", async (_what, headers, challenge) => {
    const response = await read(headers);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(challenge);
    expect(response.text).toBe('{"errors":{"base":["Required session does not exist"]}}');
  });
});

describe("the two-hour lifetime of a session", () => {
  it("is extended by every request, expires, and survives a restart", async () => {
    const clock = new MovingClock();
    const first = await startNode({}, { clock });
    let second: TestNode | undefined;
    try {
      const token = await applicationToken(first, clock.now());
      const idle = await applicationToken(first, clock.now());
      const status = async (at: TestNode, of: string) =>
        (await rest(at, "GET", "/session", { token: of })).status;

      for (let round = 0; round < 3; round++) {
        clock.advance(2 * HOUR - MINUTE);
        expect(await status(first, token)).toBe(200);
      }
      expect(await status(first, idle)).toBe(401);

      // The node flushes pending activity during its shutdown.
      await first.app.close();
      second = await startNode({}, { clock }, first);
      clock.advance(2 * HOUR - MINUTE);
      expect(await status(second, token)).toBe(200);
      expect(await status(second, idle)).toBe(401);

      clock.advance(2 * HOUR + MINUTE);
      const late = await rest(second, "GET", "/session", { token });
      expect([late.status, late.body]).toEqual([401, NO_SESSION]);
    } finally {
      await second?.stop();
      await first.stop();
    }
  });

  it("matches the expiry header", async () => {
    const clock = new MovingClock();
    const own = await startNode({}, { clock });
    try {
      clock.hold(true);
      const created = await rest(own, "POST", "/session", {
        body: signedParameters(own, clock.now()),
      });
      const { token } = created.body.session;
      for (const elapsed of [0, HOUR, 90 * MINUTE]) {
        clock.advance(elapsed);
        const { headers } = await rest(own, "GET", "/session", { token });
        const text = new Date(clock.now() + 2 * HOUR).toISOString().slice(0, 19).replace("T", " ");
        expect(headers.get("svc-token-expirationdate")).toBe(`${text} UTC`);
      }
      const denied = await rest(own, "GET", "/users/1", { token });
      expect(denied.status).toBe(403);
    } finally {
      await own.stop();
    }
  });

  it("ends exactly after two hours", async () => {
    const clock = new MovingClock();
    const own = await startNode({}, { clock });
    try {
      clock.hold(true);
      const tokens = await Promise.all([1, 2].map(() => applicationToken(own, clock.now())));
      clock.advance(2 * HOUR - 1);
      expect((await rest(own, "GET", "/session", { token: tokens[0] })).status).toBe(200);
      clock.advance(1);
      expect((await rest(own, "GET", "/session", { token: tokens[1] })).status).toBe(401);
      expect((await rest(own, "GET", "/session", { token: tokens[0] })).status).toBe(200);
    } finally {
      await own.stop();
    }
  });
});

describe("activity", () => {
  it("is stored in batches: requests only read", async () => {
    const own = await startNode();
    try {
      const user = await newUser(own);
      const lastRequest = async () => {
        const rows = await own.sql<{ last_request_at: Date | null; last_activity_at: Date }>(
          `SELECT u.last_request_at, s.last_activity_at FROM users u
            JOIN sessions s ON s.user_id = u.id WHERE u.id = $1`,
          [user.id],
        );
        return rows[0];
      };
      const before = await eventually(lastRequest, (row) => row?.last_request_at != null);

      const query = jest.spyOn(own.app.store, "query");
      const paths = ["/session", `/users/${user.id}`, `/users/v2?id=${user.id}`];
      const requests = Array.from({ length: 60 }, (_, index) => paths[index % 3] ?? "");
      for (const path of requests) {
        expect((await rest(own, "GET", path, { token: user.token })).status).toBe(200);
      }
      const writes = query.mock.calls.filter(([{ text }]) => !/^\s*SELECT/i.test(text));
      query.mockRestore();
      // Intervals of background work end during the requests, and one flush covers all requests so far.
      for (const [{ name }] of writes) {
        const runs = writes.filter(([each]) => each.name === name);
        expect([name, runs.length < requests.length / paths.length]).toEqual([name, true]);
      }
      const changes = writes
        .map(([{ text }]) => text.trimStart())
        // The counts of statistics have columns of these names.
        .filter((text) => /\b(UPDATE|INTO|FROM) (users|sessions)\b/i.test(text));
      expect(changes.length).toBeLessThan(requests.length / 4);
      for (const text of changes) expect(text).toMatch(/^UPDATE \w+ \w SET last_/);

      const after = await eventually(
        lastRequest,
        (row) => Number(row?.last_request_at) > Number(before?.last_request_at),
      );
      expect(Number(after?.last_activity_at)).toBeGreaterThan(Number(before?.last_activity_at));
      const shown = await rest(own, "GET", `/users/${user.id}`, { token: user.token });
      const second = after?.last_request_at?.toISOString().slice(0, 19);
      expect(Date.parse(shown.body.user.last_request_at)).toBeGreaterThanOrEqual(
        Date.parse(`${second}Z`),
      );
    } finally {
      await own.stop();
    }
  });
});

it("a socket with an invalid token is closed with 4401", async () => {
  const socket = new WebSocket(node.graphqlUrl.replace(/^http/, "ws"), "graphql-transport-ws");
  const code = await new Promise<number>((resolve, reject) => {
    socket.on("open", () => {
      socket.send(JSON.stringify({ type: "connection_init", payload: { token: "x".repeat(43) } }));
    });
    socket.on("close", resolve);
    socket.on("error", reject);
  });
  expect(code).toBe(4401);
});
