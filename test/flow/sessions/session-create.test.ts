import { createHmac } from "node:crypto";
import { graphql } from "../../../tools/graphql/graphql-http";
import { HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import {
  applicationToken,
  newUser,
  rest,
  signedParameters,
  type TestUser,
} from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

/** Keys of a user in REST; only guests have is_guest and _id. */
const USER_KEYS = [
  "id",
  "login",
  "email",
  "external_user_id",
  "external_id",
  "facebook_id",
  "twitter_id",
  "full_name",
  "phone",
  "website",
  "custom_data",
  "user_tags",
  "avatar",
  "blob_id",
  "created_at",
  "updated_at",
  "last_request_at",
  "timezone",
].sort();
const SESSION_KEYS = [
  "id",
  "application_id",
  "user_id",
  "nonce",
  "token",
  "ts",
  "created_at",
  "updated_at",
].sort();

const clock = new MovingClock();
let node: TestNode;
let user: TestUser;
beforeAll(async () => {
  node = await startNode({}, { clock });
  user = await newUser(node, { email: "Session.User@Example.com", full_name: "Zoë" });
});
afterAll(() => node.stop());

const create = (body: unknown, headers?: Record<string, string>, path = "/session") =>
  rest(node, "POST", path, { body, headers });

/** Signs a base string as a client does. */
const hmac = (line: string, secret = node.application.authSecret) =>
  createHmac("sha1", secret).update(line).digest("hex");

let nonces = 5_000_000;

/** A request signed over all of its parameters, which are given by wire name. */
function signedOverAll(more: Record<string, string>): URLSearchParams {
  const named: Record<string, string> = {
    application_id: String(node.application.id),
    auth_key: node.application.authKey,
    nonce: String(++nonces),
    timestamp: String(Math.floor(clock.now() / 1000)),
    ...more,
  };
  const line = Object.keys(named)
    .sort()
    .map((name) => `${name}=${named[name]}`)
    .join("&");
  return new URLSearchParams({ ...named, signature: hmac(line) });
}

async function countSessions(): Promise<number> {
  const [row] = await node.sql<{ count: number }>("SELECT count(*) AS count FROM sessions");
  return row?.count ?? 0;
}

describe("an application session", () => {
  it.each([
    ["JSON", (body: object) => body],
    ["a form", (body: object) => new URLSearchParams(body as Record<string, string>)],
    [
      "JSON with numbers as text",
      (body: object) =>
        Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)])),
    ],
  ])("is created from %s", async (_what, form) => {
    const body = signedParameters(node, clock.now());
    const { status, body: answer, headers } = await create(form(body));
    expect(status).toBe(201);
    expect(Object.keys(answer)).toEqual(["session"]);
    expect(Object.keys(answer.session).sort()).toEqual([...SESSION_KEYS, "device_id"].sort());
    expect(answer.session).toMatchObject({
      application_id: node.application.id,
      user_id: null,
      device_id: null,
      nonce: body.nonce,
      ts: body.timestamp,
    });
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  it.each(["/session?", "/session.json", "/session.json?"])("is created at %s", async (path) => {
    expect((await create(signedParameters(node, clock.now()), {}, path)).status).toBe(201);
  });

  it.each(["not-a-token", ""])("is created regardless of the token header: %j", async (token) => {
    const other = token === "" ? user.token : token;
    const answer = await create(signedParameters(node, clock.now()), { "Svc-Token": other });
    expect(answer.status).toBe(201);
    expect(answer.body.session).toMatchObject({ user_id: null });
    expect(answer.body.session.token).not.toBe(other);
  });

  it("ignores session fields that a client sends", async () => {
    const answer = await create({
      ...signedParameters(node, clock.now()),
      id: 1,
      user_id: user.id,
      token: "x",
      created_at: "2000-01-01T00:00:00Z",
      user: {},
    });
    expect(answer.status).toBe(201);
    expect(answer.body.session.user_id).toBeNull();
    expect(answer.body.session.token).not.toBe("x");
  });

  it("has a token of which only the hash is stored", async () => {
    const token = await applicationToken(node, clock.now());
    const rows = await node.sql("SELECT * FROM sessions");
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(token).toMatch(/^[\w-]{43}$/);
  });
});

describe("a user session", () => {
  const shapes: Array<[string, (body: Record<string, string | number>, who: object) => unknown]> = [
    ["JSON", (body, who) => ({ ...body, user: who })],
    [
      "a form with brackets",
      (body, who) =>
        new URLSearchParams([
          ...Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]),
          ...Object.entries(who).map(([name, value]): [string, string] => [`user[${name}]`, value]),
        ]),
    ],
  ];
  const names: Array<[string, () => object]> = [
    ["login", () => ({ login: user.login })],
    ["login in upper case", () => ({ login: user.login.toUpperCase() })],
    ["e-mail", () => ({ email: "session.user@example.COM" })],
  ];
  const cases = shapes.flatMap(([shape, make]) =>
    names.map(([name, who]) => [name, shape, make, who] as const),
  );

  it.each(cases)("is created with %s in %s", async (_name, _shape, make, who) => {
    const body = signedParameters(node, clock.now());
    const answer = await create(make(body, { ...who(), password: user.password }));
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    const { session } = answer.body;
    expect(Object.keys(session).sort()).toEqual([...SESSION_KEYS, "user"].sort());
    expect(session.user_id).toBe(user.id);
    expect(Object.keys(session.user).sort()).toEqual(USER_KEYS);
    expect(session.user).toMatchObject({
      id: user.id,
      login: user.login,
      email: "Session.User@Example.com",
      full_name: "Zoë",
    });
    expect(answer.text).not.toMatch(/password/);
  });

  const wrong: Array<[what: string, who: () => object]> = [
    ["a wrong password", () => ({ login: user.login, password: "wrong horse" })],
    ["an unknown login", () => ({ login: "nobody-at-all", password: user.password })],
    ["an unknown e-mail", () => ({ email: "nobody@example.com", password: user.password })],
    ["a login with a quote", () => ({ login: "no'body", password: user.password })],
    [
      "a known e-mail as the login",
      () => ({ login: "session.user@example.com", password: user.password }),
    ],
  ];
  it.each(
    wrong,
  )("is rejected for %s, with the same text, and creates nothing", async (_what, who) => {
    const before = await countSessions();
    const answer = await create({ ...signedParameters(node, clock.now()), user: who() });
    expect([answer.status, answer.body]).toEqual([
      401,
      { errors: { base: ["Unauthorized: the login or the password is wrong"] } },
    ]);
    expect(await countSessions()).toBe(before);
  });

  it("is rejected without a name or a password, and the error names the parameter", async () => {
    const nameless = await create({
      ...signedParameters(node, clock.now()),
      user: { password: "x" },
    });
    expect([nameless.status, nameless.body]).toEqual([
      422,
      { errors: { base: ["login or email is required"] } },
    ]);
    const bare = await create({
      ...signedParameters(node, clock.now()),
      user: { login: user.login },
    });
    expect([bare.status, bare.body]).toEqual([422, { errors: { password: ["is required"] } }]);
  });

  it("is rejected for a user of another application", async () => {
    const other = await secondApplication(node);
    const answer = await rest(other, "POST", "/session", {
      body: {
        ...signedParameters(other, clock.now()),
        user: { login: user.login, password: user.password },
      },
    });
    expect(answer.status).toBe(401);
  });

  it("stores the client's address and its User-Agent, cut to 255 characters", async () => {
    const answer = await create(signedParameters(node, clock.now()), {
      "User-Agent": `agent ${"x".repeat(300)}`,
    });
    const [row] = await node.sql<{ ip: string; user_agent: string }>(
      "SELECT ip, user_agent FROM sessions WHERE id = $1",
      [answer.body.session.id],
    );
    expect(row?.ip).toBe("127.0.0.1");
    expect(row?.user_agent).toBe(`agent ${"x".repeat(249)}`);
  });
});

describe("a signature", () => {
  it("over all parameters is accepted, including nested and unknown ones", async () => {
    const cases: Array<Record<string, string>> = [
      {},
      { long: "1" },
      { "user[login]": user.login, "user[password]": user.password },
      {
        "user[password]": user.password,
        "user[email]": "session.user@example.com",
        zeta: "a&b=c d",
      },
      {
        "extra[b]": "2",
        "extra[a]": "1",
        "user[login]": user.login,
        "user[password]": user.password,
      },
    ];
    for (const more of cases) {
      const answer = await create(signedOverAll(more));
      expect([more, answer.status]).toEqual([more, 201]);
    }
  });

  it("over all parameters of a JSON body is accepted, with numbers and booleans as text", async () => {
    const parameters = {
      application_id: node.application.id,
      auth_key: node.application.authKey,
      flag: true,
      nonce: ++nonces,
      timestamp: Math.floor(clock.now() / 1000),
    };
    const mandatory = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
    const line = `${mandatory.join("&")}&user[login]=${user.login}&user[password]=${user.password}`;
    const body = {
      user: { password: user.password, login: user.login },
      ...parameters,
      signature: hmac(line),
    };
    expect((await create(body)).status).toBe(201);
  });

  it("over the mandatory parameters is accepted when there are others", async () => {
    const answer = await create({
      ...signedParameters(node, clock.now()),
      unknown: { deep: [1] },
      long: 1,
    });
    expect(answer.status).toBe(201);
  });

  it("in upper case is accepted", async () => {
    const body = signedParameters(node, clock.now());
    const signature = String(body.signature).toUpperCase();
    expect((await create({ ...body, signature })).status).toBe(201);
  });

  it("that is wrong is rejected, and the error lists the parameters in signing order", async () => {
    const body = {
      ...signedParameters(node, clock.now()),
      user: { password: "hunter2hunter2", login: "alice" },
      signature: "0".repeat(40),
    };
    const before = await countSessions();
    const { status, body: answer, text } = await create(body);
    expect(status).toBe(422);
    expect(Object.keys(answer.errors)).toEqual(["signature"]);
    const [message] = answer.errors.signature;
    expect(message).toContain("application_id&auth_key&nonce&timestamp");
    expect(message).toContain("application_id&auth_key&nonce&timestamp&user[login]&user[password]");
    expect(text).not.toContain(node.application.authSecret);
    expect(text).not.toContain("hunter2");
    expect(text).not.toMatch(/[0-9a-f]{40}/);
    expect(await countSessions()).toBe(before);
  });

  it("over a tampered parameter is rejected", async () => {
    for (const name of ["nonce", "timestamp"]) {
      const signed = signedParameters(node, clock.now());
      const answer = await create({ ...signed, [name]: Number(signed[name]) + 1 });
      expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, ["signature"]]);
    }
  });

  it("that is wrong consumes no nonce", async () => {
    const body = signedParameters(node, clock.now());
    expect((await create({ ...body, signature: "0".repeat(40) })).status).toBe(422);
    expect((await create(body)).status).toBe(201);
  });

  it("with the previous secret is accepted until the overlap ends", async () => {
    const other = await secondApplication(node);
    const old = other.application.authSecret;
    await node.sql(
      `UPDATE applications SET auth_secret = 'a new secret', previous_secret = $2,
        previous_secret_until = $3 WHERE id = $1`,
      [other.application.id, old, new Date(clock.now() + 60_000)],
    );
    const attempt = async (secret: string) => {
      const application = { ...other.application, authSecret: secret };
      const body = signedParameters({ application }, clock.now());
      return (await rest(other, "POST", "/session", { body })).status;
    };
    expect([await attempt(old), await attempt("a new secret")]).toEqual([201, 201]);
    clock.advance(60_000);
    expect([await attempt(old), await attempt("a new secret")]).toEqual([422, 201]);
  });
});

describe("the timestamp", () => {
  beforeAll(() => clock.hold(true));
  afterAll(() => clock.hold(false));

  const attempt = (seconds: number) => create(signedParameters(node, clock.now() + seconds * 1000));

  it.each([
    -3_600, -1_800, 0, 1_800, 3_600,
  ])("may differ from the server's time by %i seconds", async (seconds) => {
    expect((await attempt(seconds)).status).toBe(201);
  });

  it.each([
    [-3_601, "3601 seconds behind"],
    [-86_400, "86400 seconds behind"],
    [3_601, "3601 seconds ahead of"],
    [86_400, "86400 seconds ahead of"],
  ])("must not differ by %i seconds, and the error gives the difference", async (seconds, difference) => {
    const server = Math.floor(clock.now() / 1000);
    const date = `${new Date(server * 1000).toISOString().slice(0, 19)}Z`;
    const { status, body } = await attempt(seconds);
    expect([status, body]).toEqual([
      422,
      {
        errors: {
          timestamp: [
            `is ${difference} the server's time, ${server} (${date}); at most 3600 are allowed`,
          ],
        },
      },
    ]);
  });

  it("is compared with the server's current time: an accepted one is rejected later", async () => {
    const body = signedParameters(node, clock.now());
    clock.advance(HOUR + 5_000);
    const answer = await create(body);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["timestamp"]]);
    expect((await create(signedParameters(node, clock.now()))).status).toBe(201);
  });

  it.each([-1, 2 ** 53 - 1])("must not be %i", async (timestamp) => {
    const answer = await create(signedParameters(node, timestamp * 1000));
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["timestamp"]]);
  });
});

describe("a nonce", () => {
  it("is accepted once with its timestamp, regardless of the credentials", async () => {
    const body = signedParameters(node, clock.now());
    expect((await create(body)).status).toBe(201);
    const again = await create({ ...body, user: { login: user.login, password: user.password } });
    expect([again.status, Object.keys(again.body.errors)]).toEqual([422, ["nonce"]]);
  });

  it("of fifty concurrent requests is accepted once", async () => {
    const body = signedParameters(node, clock.now());
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(body)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(49).fill(422)]);
  });

  it("is accepted again with another timestamp and for another application", async () => {
    const other = await secondApplication(node);
    const sign = (target: TestNode, timestamp: number) => {
      const { id, authKey, authSecret } = target.application;
      const line = `application_id=${id}&auth_key=${authKey}&nonce=7&timestamp=${timestamp}`;
      const signature = hmac(line, authSecret);
      return { application_id: id, auth_key: authKey, nonce: 7, timestamp, signature };
    };
    const now = Math.floor(clock.now() / 1000);
    expect((await create(sign(node, now))).status).toBe(201);
    expect((await create(sign(node, now - 1))).status).toBe(201);
    expect((await create(sign(other, now))).status).toBe(201);
    expect((await create(sign(other, now))).status).toBe(422);
  });

  it("is consumed by a wrong password too", async () => {
    const body = {
      ...signedParameters(node, clock.now()),
      user: { login: user.login, password: "wrong" },
    };
    expect((await create(body)).status).toBe(401);
    expect((await create(body)).status).toBe(422);
  });
});

describe("a captured signed request", () => {
  /** An old signed request: its timestamp and nonce, its other parameters and its signature. */
  function captured(nonce: number, more = "") {
    const { id, authKey } = node.application;
    const old = `nonce=${nonce}&timestamp=1353966601`;
    const signature = hmac(`application_id=${id}&auth_key=${authKey}&${old}${more}`);
    return { old, mandatory: { application_id: id, auth_key: authKey }, signature };
  }

  /** Puts the rest of the old base string into one parameter's name, next to a new timestamp and nonce. */
  const hidden = (line: string): Record<string, string> => {
    const at = line.lastIndexOf("=");
    return { [line.slice(0, at)]: line.slice(at + 1) };
  };

  const kinds: Array<[what: string, path: string, more: string]> = [
    ["of the application", "/session", ""],
    ["of a guest", "/session", "&user[guest]=1"],
    ["of a web session", "/session/web", ""],
    ["of a long web session", "/session/web", "&long=1"],
  ];
  const places: Array<[place: string, inQuery: boolean]> = [
    ["the query", true],
    ["the body", false],
  ];
  const cases = kinds.flatMap(([what, path, more]) =>
    places.map(([place, inQuery]) => ({ what, place, path, more, inQuery })),
  );

  it.each(cases)("$what cannot be replayed with a new timestamp in $place", async (params) => {
    const { path, more, inQuery } = params;
    const before = await countSessions();
    for (const form of [false, true]) {
      const { old, mandatory, signature } = captured(33_432, more);
      const fresh = { nonce: ++nonces, timestamp: Math.floor(clock.now() / 1000) };
      const text = (fields: object) =>
        Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
      const body = {
        ...mandatory,
        ...(inQuery ? {} : fresh),
        ...hidden(`${old}${more}`),
        signature,
      };
      const target = inQuery ? `${path}?${new URLSearchParams(text(fresh))}` : path;
      const answer = await create(form ? new URLSearchParams(text(body)) : body, {}, target);
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, expect.any(Array)]);
    }
    expect(await countSessions()).toBe(before);
  });

  it("is rejected with an error that explains the parameter's name", async () => {
    const { old, mandatory, signature } = captured(33_432);
    const fresh = { nonce: ++nonces, timestamp: Math.floor(clock.now() / 1000) };
    const answer = await create({ ...mandatory, ...fresh, ...hidden(old), signature });
    const text = 'The name of a signed parameter must not hold "=", "&" or a control character';
    expect([answer.status, answer.body]).toEqual([422, { errors: { base: [text] } }]);
  });

  it("takes all parameters from the query when there is no body", async () => {
    const query = new URLSearchParams(Object.entries(signedParameters(node, clock.now())) as never);
    expect((await rest(node, "POST", `/session?${query}`)).status).toBe(201);
    expect((await rest(node, "POST", `/session?${query}`)).status).toBe(422);
  });

  it("takes no parameter from the query when there is a body", async () => {
    const { timestamp, ...body } = signedParameters(node, clock.now());
    const answer = await create(body, {}, `/session?timestamp=${timestamp}`);
    expect([answer.status, answer.body]).toEqual([422, { errors: { timestamp: ["is required"] } }]);
  });
});

describe("a missing or wrong parameter", () => {
  it.each([
    "application_id",
    "auth_key",
    "timestamp",
    "nonce",
    "signature",
  ])("is named: %s", async (name) => {
    for (const missing of [undefined, null]) {
      const answer = await create({ ...signedParameters(node, clock.now()), [name]: missing });
      expect([answer.status, answer.body]).toEqual([422, { errors: { [name]: ["is required"] } }]);
    }
  });

  it("is named together with all other missing ones", async () => {
    const empty = await create({});
    expect([empty.status, Object.keys(empty.body.errors).sort()]).toEqual([
      422,
      ["application_id", "auth_key", "nonce", "signature", "timestamp"],
    ]);
  });

  it.each([
    ["application_id", "seven"],
    ["application_id", {}],
    ["application_id", 1.5],
    ["timestamp", "now"],
    ["nonce", [1, 2]],
    ["auth_key", { $ne: "" }],
    ["signature", ["a"]],
  ])("is named when its value has the wrong type: %s = %j", async (name, value) => {
    const answer = await create({ ...signedParameters(node, clock.now()), [name]: value });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [name]]);
  });

  it("is only application_id for an unknown application", async () => {
    const body = { ...signedParameters(node, clock.now()), application_id: 999_999 };
    const answer = await create(body);
    expect([answer.status, answer.body]).toEqual([
      422,
      { errors: { application_id: ["names no application"] } },
    ]);
  });

  it("is named when it is an auth_key of another application", async () => {
    const other = await secondApplication(node);
    for (const auth_key of ["x", other.application.authKey, `${node.application.authKey}x`]) {
      const answer = await create({ ...signedParameters(node, clock.now()), auth_key });
      expect([answer.status, answer.body]).toEqual([
        422,
        { errors: { auth_key: ["does not belong to this application"] } },
      ]);
    }
  });
});

describe("createSession in GraphQL", () => {
  const CREATE = `mutation ($input: CreateSessionInput!) {
    createSession(input: $input) { session { databaseId userId token user { databaseId login } } }
  }`;
  const input = () => {
    const { application_id, auth_key, ...rest } = signedParameters(node, clock.now());
    return { applicationId: application_id, authKey: auth_key, ...rest };
  };

  it("creates the same sessions", async () => {
    const { data } = await graphql(node, CREATE, {
      input: { ...input(), user: { login: user.login, password: user.password } },
    });
    const { session } = data.createSession;
    expect(session).toMatchObject({ userId: String(user.id), user: { login: user.login } });
    const shown = await rest(node, "GET", "/session", { token: session.token });
    expect(shown.body.session.id).toBe(session.databaseId);
  });

  it("accepts a signature over all parameters by their REST names", async () => {
    const { applicationId, authKey, nonce, timestamp } = input() as Record<string, unknown>;
    const line =
      `application_id=${applicationId}&auth_key=${authKey}&nonce=${nonce}&timestamp=${timestamp}` +
      `&user[login]=${user.login}&user[password]=${user.password}`;
    const { data } = await graphql(node, CREATE, {
      input: {
        applicationId,
        authKey,
        nonce,
        timestamp,
        signature: hmac(line),
        user: { login: user.login, password: user.password },
      },
    });
    expect(data.createSession.session.userId).toBe(String(user.id));
  });

  it("fails with the documented codes and the GraphQL names of the fields", async () => {
    const cases: Array<[object, string, string[] | undefined]> = [
      [{ signature: "0" }, "INVALID", ["signature"]],
      [{ authKey: "x" }, "INVALID", ["authKey"]],
      [{ applicationId: 999_999 }, "INVALID", ["applicationId"]],
      [{ timestamp: 1 }, "INVALID", ["timestamp"]],
      [{ user: { login: user.login, password: "wrong" } }, "UNAUTHENTICATED", undefined],
    ];
    for (const [change, code, fields] of cases) {
      const { errors } = await graphql(node, CREATE, { input: { ...input(), ...change } });
      expect(errors?.[0].extensions.code).toBe(code);
      expect(errors?.[0].extensions.fields && Object.keys(errors[0].extensions.fields)).toEqual(
        fields,
      );
    }
  });
});
