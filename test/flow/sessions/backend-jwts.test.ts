import {
  createHmac,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from "node:crypto";
import { purgeConsumedJwts } from "../../../src/domain/sign-in/backend-jwt";
import { graphql } from "../../../tools/graphql/graphql-http";
import { HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { describeServices } from "../../support/operations/database";
import { newGuest, newUser, rest, type TestUser } from "../../support/rest-client";
import { newApiKey } from "../../support/sessions/api-keys";
import { memberToken } from "../../support/sessions/owner";
import { signingKey } from "../../support/sessions/phone-tokens";
import { startKeys } from "../../support/sessions/providers";

/** Sessions of users for whom a backend vouches with a JWT that it has signed. */

const SECRET = "the key of the backend, at least 32 bytes";
const REFUSED = /^Unauthorized: the JWT is not valid/;
const UPDATE = `mutation ($input: UpdateApplicationInput!) {
  updateApplication(input: $input) {
    application { jwt { algorithm subject secretSet jwksUrl } } } }`;
const CREATE = `mutation ($input: CreateSessionForUserInput!) {
  createSessionForUser(input: $input) { session { token userId } } }`;

const clock = new MovingClock();
const rsa = signingKey("rsa-1");
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ecJwk = { ...ec.publicKey.export({ format: "jwk" }), kid: "ec-1", use: "sig", alg: "ES256" };
let node: TestNode;
let developer: string;
let keys: Awaited<ReturnType<typeof startKeys>>;
let user: TestUser;

beforeAll(async () => {
  keys = await startKeys({ status: 200, body: { keys: [rsa.jwk, ecJwk] } });
  node = await startNode({ ALLOW_PRIVATE_NETWORKS: "true" }, { clock });
  developer = await memberToken(node, "developer", 1_000);
  user = await newUser(node, { external_id: "crm-5" });
});
afterAll(async () => {
  await node.stop();
  await keys.close();
});
beforeEach(() => configure({ algorithm: "HS256", subject: "LOGIN", secret: SECRET }));

async function configure(jwt: object | null, of = node, token = developer) {
  const input = { applicationId: String(of.application.id), jwt };
  const { data, errors } = await graphql(of, UPDATE, { input }, token);
  expect(errors).toBeUndefined();
  return data.updateApplication.application.jwt;
}
const seconds = () => Math.floor(clock.now() / 1000);
const claims = (changes: object = {}) => ({
  aud: String(node.application.id),
  sub: user.login,
  jti: randomUUID(),
  iat: seconds(),
  exp: seconds() + 60,
  ...changes,
});
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const unsigned = (header: object, payload: object) => `${part(header)}.${part(payload)}`;

function hs256(payload: object, secret: string | Buffer = SECRET, header: object = {}): string {
  const text = unsigned({ alg: "HS256", typ: "JWT", ...header }, payload);
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}
function signed(alg: "RS256" | "ES256", key: KeyObject, payload: object, header: object = {}) {
  const kid = alg === "RS256" ? "rsa-1" : "ec-1";
  const text = unsigned({ alg, kid, typ: "JWT", ...header }, payload);
  const signer = createSign("SHA256").update(text);
  return `${text}.${signer.sign({ key, dsaEncoding: "ieee-p1363" }, "base64url")}`;
}
async function refusal(jwt: string): Promise<[string | undefined, string | undefined]> {
  const { errors } = await graphql(node, CREATE, { input: { jwt } });
  return [errors?.[0].extensions.code, errors?.[0].message];
}
async function accepted(jwt: string): Promise<string> {
  const { data, errors } = await graphql(node, CREATE, { input: { jwt } });
  expect(errors).toBeUndefined();
  return data.createSessionForUser.session.userId;
}

test("the settings show no key, and each algorithm takes its own", async () => {
  const set = { algorithm: "HS256", subject: "LOGIN", secretSet: true, jwksUrl: null };
  expect(await configure({ subject: "LOGIN" })).toEqual(set);
  const rs256 = { algorithm: "RS256", subject: "USER_ID", jwksUrl: keys.keysUrl };
  expect(await configure(rs256)).toEqual({ ...rs256, secretSet: false });
  const stored = await node.sql("SELECT settings FROM applications");
  expect(JSON.stringify(stored)).not.toContain(SECRET);
  // Back again, the key is gone.
  const input = { applicationId: String(node.application.id), jwt: { algorithm: "HS256" } };
  const { errors } = await graphql(node, UPDATE, { input }, developer);
  expect(errors?.[0].extensions.fields).toEqual({ "jwt.secret": ["is required for HS256"] });
  expect(await configure(null)).toBeNull();
  expect((await refusal(hs256(claims())))[1]).toMatch(REFUSED);
});

test.each([
  [{ algorithm: "HS256", subject: "LOGIN", secret: "x".repeat(31) }, "jwt.secret"],
  [{ algorithm: "RS256", subject: "LOGIN" }, "jwt.jwksUrl"],
  [{ algorithm: "ES256", subject: "LOGIN", jwksUrl: "ftp://keys" }, "jwt.jwksUrl"],
  [{ subject: "LOGIN" }, "jwt.algorithm"],
  [{ algorithm: "HS256", secret: SECRET }, "jwt.subject"],
])("settings %j are INVALID on %s", async (jwt, field) => {
  await configure(null);
  const input = { applicationId: String(node.application.id), jwt };
  const { errors } = await graphql(node, UPDATE, { input }, developer);
  expect(Object.keys(errors?.[0].extensions.fields)).toEqual([field]);
});

test.each([
  ["LOGIN", () => user.login.toUpperCase()],
  ["EXTERNAL_ID", () => "crm-5"],
  ["USER_ID", () => String(user.id)],
])("the subject is the %s", async (subject, sub) => {
  await configure({ subject });
  expect(await accepted(hs256(claims({ sub: sub() })))).toBe(String(user.id));
  const answer = await rest(node, "POST", "/session/server", {
    body: { jwt: hs256(claims({ sub: sub() })) },
  });
  expect([answer.status, answer.body.session.user_id]).toEqual([201, user.id]);
});

test("RS256 and ES256 are verified by the published keys", async () => {
  const { algorithm: _, ...settings } = { algorithm: "", subject: "LOGIN", jwksUrl: keys.keysUrl };
  await configure({ algorithm: "RS256", ...settings });
  expect(await accepted(signed("RS256", rsa.privateKey, claims()))).toBe(String(user.id));
  expect((await refusal(signed("ES256", ec.privateKey, claims())))[1]).toMatch(REFUSED);
  await configure({ algorithm: "ES256", ...settings });
  expect(await accepted(signed("ES256", ec.privateKey, claims()))).toBe(String(user.id));
  expect((await refusal(signed("RS256", rsa.privateKey, claims())))[1]).toMatch(REFUSED);
  const unknown = signed("ES256", ec.privateKey, claims(), { kid: "ec-2" });
  expect((await refusal(unknown))[1]).toMatch(REFUSED);
});

test("a public key is no secret of HS256", async () => {
  await configure({ algorithm: "RS256", subject: "LOGIN", jwksUrl: keys.keysUrl });
  for (const format of ["pem", "der"] as const) {
    const key = rsa.publicKey.export({ format, type: "spki" } as never) as string | Buffer;
    expect((await refusal(hs256(claims(), key, { kid: "rsa-1" })))[1]).toMatch(REFUSED);
  }
});

test.each<[string, () => string]>([
  ["no signature", () => `${unsigned({ alg: "none" }, claims())}.`],
  ["an algorithm without a key", () => hs256(claims(), SECRET, { alg: "none" })],
  ["another secret", () => hs256(claims(), `${SECRET}!`)],
  ["an empty secret", () => hs256(claims(), "")],
  [
    "another last character",
    () => hs256(claims()).replace(/.$/, (last) => (last === "A" ? "Q" : "A")),
  ],
  ["the audience of another application", () => hs256(claims({ aud: "999999" }))],
  ["a list of audiences", () => hs256(claims({ aud: [String(node.application.id)] }))],
  ["a number as its audience", () => hs256(claims({ aud: node.application.id }))],
  ["no audience", () => hs256(claims({ aud: undefined }))],
  ["a critical header", () => hs256(claims(), SECRET, { crit: ["exp"], exp: 1 })],
  ["text that is no JWT", () => "not a jwt"],
  ["an empty part", () => ".."],
  ["five parts", () => "a.b.c.d.e"],
  ["a payload that is no object", () => hs256([] as object)],
  ["a length of 100,000", () => hs256(claims({ pad: "x".repeat(70_000) }))],
  ["a zero byte", () => `${hs256(claims())}\u00e9`],
])("a JWT with %s is refused, and tells nothing", async (_what, make) => {
  expect(await refusal(make())).toEqual(["UNAUTHENTICATED", expect.stringMatching(REFUSED)]);
});

test.each<[string, () => object, RegExp]>([
  [
    "that has expired",
    () => ({ iat: seconds() - 200, exp: seconds() - 61 }),
    /claim exp .* has passed/,
  ],
  [
    "that expires too late",
    () => ({ exp: seconds() + 361, iat: undefined }),
    /claim exp .* after now/,
  ],
  [
    "that lives too long",
    () => ({ iat: seconds() - 300, exp: seconds() + 1 }),
    /claim exp .* after iat/,
  ],
  ["of the future", () => ({ iat: seconds() + 61, exp: seconds() + 120 }), /claim iat /],
  ["that is not valid yet", () => ({ nbf: seconds() + 61 }), /claim nbf /],
  ["without exp", () => ({ exp: undefined }), /claim exp .* is missing/],
  ["with exp as text", () => ({ exp: "tomorrow" }), /claim exp /],
  ["without jti", () => ({ jti: undefined }), /claim jti .* is missing/],
  ["with an empty jti", () => ({ jti: "" }), /claim jti /],
  ["with a jti of 129 characters", () => ({ jti: "x".repeat(129) }), /claim jti /],
  ["with a number as jti", () => ({ jti: 7 }), /claim jti /],
  ["without sub", () => ({ sub: undefined }), /claim sub .* is missing/],
  ["with an object as sub", () => ({ sub: { $ne: null } }), /claim sub /],
  ["with a zero byte in sub", () => ({ sub: "a\u0000b" }), /claim sub /],
])("a JWT %s is refused, and the backend learns why", async (_what, changes, reason) => {
  expect(await refusal(hs256(claims(changes())))).toEqual([
    "UNAUTHENTICATED",
    expect.stringMatching(reason),
  ]);
});

test("clocks may differ by a minute", async () => {
  const late = { iat: seconds() - 110, exp: seconds() - 50 };
  expect(await accepted(hs256(claims(late)))).toBe(String(user.id));
  const early = { iat: seconds() + 50, exp: seconds() + 340 };
  expect(await accepted(hs256(claims(early)))).toBe(String(user.id));
});

test("each JWT is accepted once, and its id once for the application", async () => {
  const once = claims();
  const jwt = hs256(once);
  const answers = await Promise.all(Array.from({ length: 20 }, () => refusal(jwt)));
  expect(answers.filter(([code]) => code === undefined)).toHaveLength(1);
  const [refused] = answers.filter(([code]) => code !== undefined);
  expect(refused).toEqual(["UNAUTHENTICATED", expect.stringMatching(/claim jti .* used before/)]);
  // Another signature over the same id.
  const again = hs256({ ...once, exp: once.exp + 1 });
  expect((await refusal(again))[1]).toMatch(/claim jti/);
  expect(await accepted(hs256(claims()))).toBe(String(user.id));
});

test("a JWT that was limited is accepted after the wait", async () => {
  const limited = await startNode({ RATE_SESSIONS_PER_APPLICATION: "1" }, { clock });
  try {
    const token = await memberToken(limited, "developer", 1_000);
    await configure({ algorithm: "HS256", subject: "LOGIN", secret: SECRET }, limited, token);
    await limited.sql("UPDATE applications SET server_sessions_create_users = true");
    const aud = String(limited.application.id);
    const ask = async (jwt: string) =>
      (await graphql(limited, CREATE, { input: { jwt } })).errors?.[0].extensions.code;
    const make = () => hs256(claims({ aud, sub: "limited", exp: seconds() + 300 }));
    expect(await ask(make())).toBeUndefined();
    const waiting = make();
    expect(await ask(waiting)).toBe("LIMITED");
    clock.advance(61_000);
    expect(await ask(waiting)).toBeUndefined();
    clock.advance(61_000);
    expect(await ask(waiting)).toBe("UNAUTHENTICATED");
  } finally {
    await limited.stop();
  }
});

test("ids are purged once no clock accepts their JWTs", async () => {
  await accepted(hs256(claims()));
  const count = async () =>
    (await node.sql<{ count: number }>("SELECT count(*)::int AS count FROM consumed_jwts"))[0]
      ?.count;
  expect(await count()).toBeGreaterThan(0);
  const purge = (ms: number) =>
    purgeConsumedJwts({ store: node.app.store, clock: { now: () => clock.now() + ms } });
  await purge(60_000);
  expect(await count()).toBeGreaterThan(0);
  await purge(HOUR);
  expect(await count()).toBe(0);
});

test("keys that cannot be read are UNAVAILABLE, read once in ten seconds, and nothing is consumed", async () => {
  const down = await startKeys({ status: 500, body: {} });
  await configure({ algorithm: "RS256", subject: "LOGIN", jwksUrl: down.keysUrl });
  const jwt = signed("RS256", rsa.privateKey, claims());
  for (let count = 0; count < 5; count += 1) {
    expect(await refusal(jwt)).toEqual(["UNAVAILABLE", "The provider cannot be reached"]);
  }
  expect(down.asked).toHaveLength(1);
  down.publish({ status: 200, body: { keys: [rsa.jwk] } });
  clock.advance(10_000);
  expect(await accepted(jwt)).toBe(String(user.id));
  await down.close();
});

test("a key set in a private network is not read unless the operator allows it", async () => {
  const guarded = await startNode({ ALLOW_PRIVATE_NETWORKS: "false" });
  try {
    const jwt = { algorithm: "RS256", subject: "LOGIN", jwksUrl: keys.keysUrl };
    const input = { applicationId: String(guarded.application.id), jwt };
    const token = await memberToken(guarded, "developer");
    const { errors } = await graphql(guarded, UPDATE, { input }, token);
    expect(errors?.[0].extensions.fields).toEqual({ "jwt.jwksUrl": [expect.any(String)] });
  } finally {
    await guarded.stop();
  }
});

test("a JWT goes neither with a name nor with an API key", async () => {
  const { errors } = await graphql(node, CREATE, {
    input: { jwt: hs256(claims()), login: user.login },
  });
  expect(errors?.[0].extensions.fields).toEqual({
    login: ["does not go with jwt, whose sub names the user"],
  });
  const key = await newApiKey(node, ["sessions"]);
  const both = await graphql(node, CREATE, { input: { jwt: hs256(claims()) } }, key);
  expect(both.errors?.[0].extensions.fields).toEqual({ jwt: ["does not go with an API key"] });
});

test("a page may present it, from an origin that the application allows", async () => {
  const allow = (webOrigins: string[]) =>
    graphql(
      node,
      UPDATE,
      { input: { applicationId: String(node.application.id), webOrigins } },
      developer,
    );
  await allow(["https://app.example"]);
  const jwt = hs256(claims());
  const from = (origin: string) =>
    rest(node, "POST", "/session/server", { headers: { Origin: origin }, body: { jwt } });
  // It is not consumed by the page that may not present it.
  expect((await from("https://evil.example")).status).toBe(403);
  expect((await from("https://app.example")).status).toBe(201);
  await allow([]);
});

test("the first JWT creates the user where the setting allows it", async () => {
  const jwt = hs256(claims({ sub: "by-jwt" }));
  expect((await refusal(jwt))[0]).toBe("NOT_FOUND");
  await node.sql("UPDATE applications SET server_sessions_create_users = true");
  const id = await accepted(jwt);
  expect(await accepted(hs256(claims({ sub: "By-JWT" })))).toBe(id);
  await node.sql("UPDATE applications SET server_sessions_create_users = false");
});

test("a JWT of a guest is refused on its own field", async () => {
  const guest = await newGuest(node);
  const { errors } = await graphql(node, CREATE, {
    input: { jwt: hs256(claims({ sub: guest.login })) },
  });
  expect(errors?.[0].extensions.fields).toEqual({
    jwt: ["is that of a guest, for whom no backend vouches"],
  });
});

test("many valid JWTs at once are accepted while the keys are read", async () => {
  const config = { FAILED_SIGN_INS_BEFORE_DELAY_PER_IP: "3", ALLOW_PRIVATE_NETWORKS: "true" };
  const limited = await startNode(config, { clock });
  try {
    const token = await memberToken(limited, "developer", 1_000);
    const settings = { algorithm: "RS256", subject: "LOGIN", jwksUrl: keys.keysUrl };
    await configure(settings, limited, token);
    const { login: sub } = await newUser(limited);
    const aud = String(limited.application.id);
    const answers = Array.from({ length: 20 }, async () => {
      const jwt = signed("RS256", rsa.privateKey, claims({ aud, sub }));
      return (await graphql(limited, CREATE, { input: { jwt } })).errors?.[0].extensions.code;
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set([undefined]));
  } finally {
    await limited.stop();
  }
});

test("wrong signatures delay the address, and expired ones do not", async () => {
  const limited = await startNode({ FAILED_SIGN_INS_BEFORE_DELAY_PER_IP: "3" }, { clock });
  try {
    const token = await memberToken(limited, "developer", 1_000);
    await configure({ algorithm: "HS256", subject: "LOGIN", secret: SECRET }, limited, token);
    const aud = String(limited.application.id);
    const codeOf = async (jwt: string) =>
      (await graphql(limited, CREATE, { input: { jwt } })).errors?.[0].extensions.code;
    const expired = () => hs256(claims({ aud, iat: seconds() - 200, exp: seconds() - 100 }));
    for (let count = 0; count < 6; count += 1) {
      expect(await codeOf(expired())).toBe("UNAUTHENTICATED");
    }
    const codes: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      codes.push(await codeOf(hs256(claims({ aud }), "another secret of 32 bytes or more")));
    }
    expect(codes.slice(0, 3)).toEqual(["UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED"]);
    expect(codes.slice(3)).toContain("LIMITED");
  } finally {
    await limited.stop();
  }
});

describeServices("with several nodes", () => {
  test("wrong signatures at one node delay the address at the other, and valid JWTs at once do not", async () => {
    const config = { FAILED_SIGN_INS_BEFORE_DELAY_PER_IP: "3" };
    const parts = { firstWaitMs: 600_000 };
    const one = await startNode(config, parts);
    const two = await startNode(config, parts, one);
    try {
      const token = await memberToken(one, "developer");
      await configure({ algorithm: "HS256", subject: "LOGIN", secret: SECRET }, one, token);
      const { login: sub } = await newUser(one);
      const now = Math.floor(Date.now() / 1000);
      const make = (secret?: string) =>
        hs256({ aud: String(one.application.id), sub, jti: randomUUID(), exp: now + 60 }, secret);
      const ask = async (at: TestNode, jwt: string) =>
        (await graphql(at, CREATE, { input: { jwt } })).errors?.[0].extensions.code;
      const valid = await Promise.all(Array.from({ length: 20 }, () => ask(one, make())));
      expect(new Set(valid)).toEqual(new Set([undefined]));
      for (let count = 0; count < 3; count += 1) {
        expect(await ask(one, make("x".repeat(32)))).toBe("UNAUTHENTICATED");
      }
      expect(await ask(two, make())).toBe("LIMITED");
    } finally {
      await two.stop();
      await one.stop();
    }
  });

  test("a JWT that one node has accepted is refused by the other, and after a restart", async () => {
    const one = await startNode();
    const two = await startNode({}, {}, one);
    try {
      const token = await memberToken(one, "developer");
      await configure({ algorithm: "HS256", subject: "LOGIN", secret: SECRET }, one, token);
      const { login } = await newUser(one);
      const now = Math.floor(Date.now() / 1000);
      const jwt = hs256({
        ...{ aud: String(one.application.id), sub: login, jti: "one", exp: now + 60 },
      });
      const ask = async (at: TestNode) =>
        (await graphql(at, CREATE, { input: { jwt } })).errors?.[0].message;
      expect(await ask(one)).toBeUndefined();
      expect(await ask(two)).toMatch(/claim jti/);
      const three = await startNode({}, {}, one);
      expect(await ask(three)).toMatch(/claim jti/);
      await three.stop();
    } finally {
      await two.stop();
      await one.stop();
    }
  });
});
