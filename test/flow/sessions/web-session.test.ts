import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, toString as drawQrCode } from "qrcode";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { eventually, HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signedParameters, type TestUser } from "../../support/rest-client";
import { userBody, webSessionBody } from "../../support/security/permission-routes";
import { secondApplication } from "../../support/sessions/second-application";

const NO_SESSION = { errors: { base: ["Required session does not exist"] } };
const NOT_FOUND = { errors: { base: ["There is no web session that waits for this code"] } };
const DAY = 24 * HOUR;

const clock = new MovingClock();
let node: TestNode;
let user: TestUser;
beforeAll(async () => {
  node = await startNode({}, { clock });
  user = await newUser(node);
});
afterAll(() => node.stop());

/** Parameters of POST /session/web, signed over all of them as legacy clients do. */
function signedWith(extra: Record<string, string | number>): Record<string, string | number> {
  const { signature: _, ...parameters } = { ...signedParameters(node, clock.now()), ...extra };
  const line = Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("&");
  const { authSecret } = node.application;
  return { ...parameters, signature: createHmac("sha1", authSecret).update(line).digest("hex") };
}

interface WebSession {
  id: number;
  token: string;
  qrCode: string;
}

async function webSession(extra: Record<string, string | number> = {}): Promise<WebSession> {
  const answer = await rest(node, "POST", "/session/web", { body: signedWith(extra) });
  expect([answer.status, answer.body]).toEqual([201, webSessionBody(node.application.id)]);
  const { session, qr_code: qrCode } = answer.body;
  expect(session._id).toBe(String(session.id));
  return { id: session.id, token: session.token, qrCode };
}

const whoAmI = (token: string) => rest(node, "GET", "/session", { token });
const bind = (webToken: string, token = user.token) =>
  rest(node, "PATCH", "/session/web", { token, body: { web_token: webToken } });

/** Replaces a session's binding code by a known one, because the test does not decode QR codes. */
async function knownCode({ id }: WebSession): Promise<string> {
  const code = `code-of-${id}`;
  const hash = createHash("sha256").update(code).digest();
  const rows = await node.sql(
    "UPDATE sessions SET binding_code_hash = $2 WHERE id = $1 RETURNING id",
    [id, hash],
  );
  expect(rows).toHaveLength(1);
  return code;
}

describe("creating a web session", () => {
  it("returns a session without a user and a QR code of a binding code that is not the token", async () => {
    const { id, token, qrCode } = await webSession();
    expect(await drawQrCode(token, { type: "svg" })).not.toBe(qrCode);
    // The code is as long as a token; the size of a QR code also depends slightly on the characters.
    const largest = create([{ data: Buffer.from(token), mode: "byte" }]).modules.size;
    const size = Number(/viewBox="0 0 (\d+) \1"/.exec(qrCode)?.[1]) - 8;
    expect(size).toBeGreaterThanOrEqual(largest - 4);
    expect(size).toBeLessThanOrEqual(largest);
    const [row] = await node.sql<{ token_hash: Uint8Array; binding_code_hash: Uint8Array }>(
      "SELECT token_hash, binding_code_hash FROM sessions WHERE id = $1",
      [id],
    );
    expect(row?.binding_code_hash).toHaveLength(32);
    expect(row?.binding_code_hash).not.toEqual(row?.token_hash);
    expect((await whoAmI(token)).body.session).toMatchObject({ id, user_id: 0 });
  });

  it("accepts long in the signature, whichever parameters are signed", async () => {
    await webSession({ long: 1 });
    const body = new URLSearchParams(
      Object.entries(signedWith({ long: 1 })).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
    );
    expect((await rest(node, "POST", "/session/web", { body })).status).toBe(201);
    const loose = { ...signedParameters(node, clock.now()), long: 1 };
    expect((await rest(node, "POST", "/session/web", { body: loose })).status).toBe(201);
    const CREATE = `mutation ($input: CreateWebSessionInput!) {
      createWebSession(input: $input) { session { userId userDatabaseId } qrCode } }`;
    const { application_id, auth_key, ...rest_ } = signedWith({ long: 1 });
    const input = { ...rest_, applicationId: application_id, authKey: auth_key, long: true };
    const { data, errors } = await graphql(node, CREATE, { input });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      createWebSession: {
        session: { userId: null, userDatabaseId: 0 },
        qrCode: expect.stringMatching(/^<svg /),
      },
    });
  });

  it("accepts for long a boolean, as OpenAPI says, and the forms that legacy clients send", async () => {
    const days = async (long: unknown) => {
      const answer = await rest(node, "POST", "/session/web", {
        body: { ...signedParameters(node, clock.now()), long },
      });
      if (answer.status !== 201) return Object.keys(answer.body.errors);
      const [row] = await node.sql<{ expires_at: Date }>(
        "SELECT expires_at FROM sessions WHERE id = $1",
        [answer.body.session.id],
      );
      return Math.round(((row?.expires_at.getTime() ?? 0) - clock.now()) / DAY);
    };
    const path = join(__dirname, "../../../schema/openapi.json");
    const { components } = JSON.parse(readFileSync(path, "utf8"));
    const { long: described } = components.schemas.CreateWebSessionRequest.properties;
    expect(described.type).toEqual(["boolean", "null"]);
    for (const long of [true, 1, "1", "true"]) expect([long, await days(long)]).toEqual([long, 30]);
    for (const long of [false, 0, "0", "false", null]) {
      expect([long, await days(long)]).toEqual([long, 0]);
    }
    for (const long of [2, -1, "yes", "", [1], { long: 1 }]) {
      expect([long, await days(long)]).toEqual([long, ["long"]]);
    }
  });

  it("is rejected with a wrong signature and when it is repeated", async () => {
    const wrong = { ...signedWith({}), signature: "0".repeat(40) };
    const refused = await rest(node, "POST", "/session/web", { body: wrong });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["signature"]]);
    const body = signedWith({});
    expect((await rest(node, "POST", "/session/web", { body })).status).toBe(201);
    const again = await rest(node, "POST", "/session/web", { body });
    expect([again.status, Object.keys(again.body.errors)]).toEqual([422, ["nonce"]]);
  });
});

describe("binding a web session", () => {
  it("sets its user, by the code or the token, in JSON and as a form", async () => {
    for (const by of ["code", "token"]) {
      for (const form of [false, true]) {
        const web = await webSession();
        const webToken = by === "code" ? await knownCode(web) : web.token;
        const body = form ? new URLSearchParams({ web_token: webToken }) : { web_token: webToken };
        const answer = await rest(node, "PATCH", "/session/web", { token: user.token, body });
        expect([answer.status, answer.text]).toEqual([200, ""]);
        const { session } = (await whoAmI(web.token)).body;
        expect(session).toMatchObject({ id: web.id, user_id: user.id, token: web.token });
        expect(session.user).toEqual(userBody(user));
        expect(session).not.toHaveProperty("device_id");
        const [row] = await node.sql("SELECT binding_code_hash FROM sessions WHERE id = $1", [
          web.id,
        ]);
        expect(row).toEqual({ binding_code_hash: null });
      }
    }
  });

  it("fails with the same error for every wrong code", async () => {
    const [used, other, over] = [await webSession(), await webSession(), await webSession()];
    const usedCode = await knownCode(used);
    await bind(used.token);
    await rest(node, "DELETE", "/session", { token: over.token });
    const elsewhere = await newUser(await secondApplication(node));
    const cases = [
      ["an unknown code", "x".repeat(43), user.token],
      ["an overlong code", "x".repeat(1_000), user.token],
      ["the code of a session that is bound", usedCode, user.token],
      ["the token of a session that is bound", used.token, user.token],
      ["the token of a session that ended", over.token, user.token],
      ["the caller's own token", user.token, user.token],
      ["a session of another application", other.token, elsewhere.token],
    ] as const;
    for (const [what, code, token] of cases) {
      const { status, body } = await bind(code, token);
      expect([what, status, body]).toEqual([what, 404, NOT_FOUND]);
    }
  });

  it("works once: after signing out it is an application session that cannot be bound again", async () => {
    const [web, other] = [await webSession(), await newUser(node)];
    const code = await knownCode(web);
    expect((await bind(code)).status).toBe(200);
    expect((await rest(node, "DELETE", "/login", { token: web.token })).status).toBe(200);
    expect((await whoAmI(web.token)).body.session).toMatchObject({ id: web.id, user_id: null });
    for (const by of [code, web.token]) {
      for (const token of [user.token, other.token]) {
        const { status, body } = await bind(by, token);
        expect([status, body]).toEqual([404, NOT_FOUND]);
      }
    }
    const query = "mutation ($i: BindWebSessionInput!) { bindWebSession(input: $i) { bound } }";
    const { errors } = await graphql(node, query, { i: { codeOrToken: web.token } }, other.token);
    expect(errors?.[0].extensions.code).toBe("NOT_FOUND");
    const { login, password } = other;
    const again = await rest(node, "POST", "/login", {
      token: web.token,
      body: { login, password },
    });
    expect([again.status, again.body.user.id]).toEqual([200, other.id]);
    expect((await bind(web.token)).body).toEqual(NOT_FOUND);
  });

  it("works once under concurrent attempts, however often its user signs out", async () => {
    const [web, other] = [await webSession(), await newUser(node)];
    const code = await knownCode(web);
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const answer = await bind(
          index % 2 ? code : web.token,
          index % 4 < 2 ? user.token : other.token,
        );
        await rest(node, "DELETE", "/login", { token: web.token });
        return answer.status;
      }),
    );
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
    expect(answers.filter((status) => status === 404)).toHaveLength(49);
    expect((await whoAmI(web.token)).body.session.user_id).toBeNull();
  });

  it("is forbidden for guests", async () => {
    const guest = await newUser(node);
    await node.sql("UPDATE users SET is_guest = true WHERE id = $1", [guest.id]);
    // A session that the node has not cached for the user.
    const body = signedParameters(node, clock.now());
    const { id, token } = (await rest(node, "POST", "/session", { body })).body.session;
    await node.sql("UPDATE sessions SET user_id = $2 WHERE id = $1", [id, guest.id]);
    const web = await webSession();
    const answer = await bind(web.token, token);
    expect([answer.status, answer.body]).toEqual([
      403,
      { errors: { base: ["A guest cannot sign a web client in"] } },
    ]);
    expect((await whoAmI(web.token)).body.session.user_id).toBe(0);
  });

  it.each([{}, { web_token: "\u0000" }])("requires the code: %j", async (body) => {
    const answer = await rest(node, "PATCH", "/session/web", { token: user.token, body });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["web_token"]]);
  });
});

describe("an unbound web session", () => {
  it("can be destroyed by its token", async () => {
    const { token } = await webSession();
    expect((await rest(node, "DELETE", "/session", { token })).status).toBe(200);
    expect((await whoAmI(token)).body).toEqual(NO_SESSION);
  });

  it("cannot sign a user in", async () => {
    const { token } = await webSession();
    const { login, password } = user;
    const answer = await rest(node, "POST", "/login", { token, body: { login, password } });
    expect(answer.status).toBe(403);
  });
});

describe("web sessions expire", () => {
  it("2 hours after the last use, or 30 days after creation if they are long", async () => {
    const [short, long] = [await webSession(), await webSession({ long: 1 })];
    for (let turn = 0; turn < 3; turn += 1) {
      clock.advance(2 * HOUR - MINUTE);
      expect((await whoAmI(short.token)).status).toBe(200);
    }
    clock.advance(2 * HOUR + MINUTE);
    expect((await whoAmI(short.token)).body).toEqual(NO_SESSION);
    clock.advance(29 * DAY);
    const answer = await whoAmI(long.token);
    expect(answer.status).toBe(200);
    clock.advance(DAY);
    expect((await whoAmI(long.token)).body).toEqual(NO_SESSION);
    user = await newUserNow();
    expect((await bind(long.token)).body).toEqual(NOT_FOUND);
    expect((await bind(short.token)).body).toEqual(NOT_FOUND);
  });

  async function newUserNow(): Promise<TestUser> {
    const { token } = await webSession();
    const login = `later-${clock.now()}`;
    const password = "correct horse";
    const body = signedParameters(node, clock.now());
    const { session } = (await rest(node, "POST", "/session", { body })).body;
    await rest(node, "POST", "/users", {
      token: session.token,
      body: { user: { login, password } },
    });
    const answer = await rest(node, "POST", "/login", {
      token: session.token,
      body: { login, password },
    });
    expect([answer.status, (await whoAmI(token)).status]).toEqual([200, 200]);
    return {
      login,
      password,
      token: session.token,
      sessionId: session.id,
      id: answer.body.user.id,
    };
  }
});

describe("sessionBound", () => {
  const SUBSCRIBE = "subscription { sessionBound { databaseId userId token user { login } } }";
  const shown = ({ id, token }: WebSession) => ({
    data: {
      sessionBound: { databaseId: id, userId: String(user.id), token, user: { login: user.login } },
    },
  });

  it("delivers the session once it is bound, then completes", async () => {
    const web = await webSession();
    const socket = await openSocket(node, web.token);
    const subscribe = { id: "s", type: "subscribe", payload: { query: SUBSCRIBE } };
    socket.send(subscribe);
    socket.send({ ...subscribe, id: "t" });
    // The subscriptions have been processed once this operation is answered.
    await socket.run("{ currentSession { id } }");
    expect(socket.received.filter(({ id }) => id === "s" || id === "t")).toEqual([]);
    expect((await bind(web.token)).status).toBe(200);
    const received = (id: string) => socket.received.filter((message) => message.id === id);
    for (const id of ["s", "t"]) {
      await eventually(
        () => received(id),
        ({ length }) => length === 2,
      );
      expect(received(id)).toEqual([
        { id, type: "next", payload: shown(web) },
        { id, type: "complete" },
      ]);
    }
    // The socket now belongs to the user.
    await socket.listen("signals", user.id);
    await rest(node, "DELETE", "/session", { token: web.token });
    expect((await socket.closed).code).toBe(4401);
  });

  it("delivers the session immediately if it is bound already", async () => {
    const web = await webSession();
    await bind(web.token);
    const socket = await openSocket(node, web.token);
    expect(await socket.run(SUBSCRIBE)).toEqual(shown(web));
    await socket.close();
  });

  it("closes with its socket when the session ends, and once bound when the user is deleted", async () => {
    const web = await webSession();
    const socket = await openSocket(node, web.token);
    socket.send({ id: "s", type: "subscribe", payload: { query: SUBSCRIBE } });
    await rest(node, "DELETE", "/session", { token: web.token });
    expect((await socket.closed).code).toBe(4401);

    const next = await webSession();
    const owned = await openSocket(node, next.token);
    await bind(next.token);
    await rest(node, "DELETE", `/users/${user.id}`, { token: user.token });
    expect((await owned.closed).code).toBe(4401);
  });
});
