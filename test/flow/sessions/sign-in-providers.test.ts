import pino from "pino";
import { readConfig } from "../../../src/core/config";
import { openSealer } from "../../../src/domain/applications/secret-key";
import { type ApplicationSettings, sealSettings } from "../../../src/domain/applications/settings";
import { graphql } from "../../../tools/graphql/graphql-http";
import { MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { interceptOperations } from "../../support/operations/prisma-operations";
import {
  applicationToken,
  newUser,
  type RestResponse,
  rest,
  signedParameters,
} from "../../support/rest-client";
import { blockUser, unblockUser } from "../../support/sessions/blocks";
import {
  confusedToken,
  phoneClaims,
  phoneToken,
  signingKey,
  unsignedToken,
} from "../../support/sessions/phone-tokens";
import {
  facebookToken,
  type Reply,
  startFacebook,
  startKeys,
  startTwitter,
} from "../../support/sessions/providers";
import { secondApplication } from "../../support/sessions/second-application";

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const REFUSED = { errors: { base: ["Unauthorized: the provider did not confirm the token"] } };
const UNREACHABLE = { errors: { base: ["The provider cannot be reached"] } };
const PROJECT = "phones-774";
const FACEBOOK = { appId: "4711", appSecret: "face-secret" };
// Characters that OAuth encodes differently from URLs.
const TWITTER = { consumerKey: "consumer!key*", consumerSecret: "consumer/secret+'()=&" };

const key = signingKey("key-1");
const logged: string[] = [];
const log = pino({ level: "trace" }, { write: (line: string) => void logged.push(line) });
const clock = new MovingClock();
let node: TestNode;
let other: TestNode;
let facebook: Awaited<ReturnType<typeof startFacebook>>;
let twitter: Awaited<ReturnType<typeof startTwitter>>;
let keys: Awaited<ReturnType<typeof startKeys>>;

beforeAll(async () => {
  [node, facebook, twitter, keys] = await Promise.all([
    startNode({ ALLOW_PRIVATE_NETWORKS: "true" }, { log, clock }),
    startFacebook(FACEBOOK),
    startTwitter(TWITTER),
    startKeys({ status: 200, body: { keys: [key.jwk] } }),
  ]);
  other = await secondApplication(node);
  // Encrypted, as the service stores them; the other application's settings are in plain text.
  const sealer = await openSealer(readConfig(node.environment));
  await configure(node, sealSettings(settings(), sealer));
});
afterAll(async () => {
  await node.stop();
  await Promise.all([facebook.close(), twitter.close(), keys.close()]);
});
afterEach(() => {
  expect([facebook.complaints, twitter.complaints, keys.complaints]).toEqual([[], [], []]);
});

function settings(): ApplicationSettings {
  return {
    facebook: { ...FACEBOOK, baseUrl: facebook.baseUrl, version: "v19.0" },
    twitter: { ...TWITTER, baseUrl: twitter.baseUrl },
    firebase: { projectId: PROJECT, keysUrl: keys.keysUrl },
  };
}

async function configure(of: TestNode, newSettings: ApplicationSettings): Promise<void> {
  await node.sql("UPDATE applications SET settings = $2::text::jsonb WHERE id = $1", [
    of.application.id,
    JSON.stringify(newSettings),
  ]);
}

type Data = Record<string, unknown>;

const byFacebook = (token: string): Data => ({ provider: "facebook", keys: { token } });
const byTwitter = (token: string, secret: string): Data => ({
  provider: "twitter",
  keys: { token, secret },
});
const byPhone = (token: string, project = PROJECT): Data => ({
  provider: "firebase_phone",
  firebase_phone: { project_id: project, access_token: token },
});

const session = (of: TestNode, data: Data): Promise<RestResponse> =>
  rest(of, "POST", "/session", { body: { ...signedParameters(of), ...data } });
const login = async (of: TestNode, data: Data): Promise<RestResponse> =>
  rest(of, "POST", "/login", { token: await applicationToken(of), body: data });
const routes = { "/session": session, "/login": login };

let people = 0;
/** An id that no other test uses. */
const freshId = () => `9${process.pid}${String(++people).padStart(6, "0")}`;

function facebookPerson(fields: { name?: string; email?: string } = {}, debug: Data = {}) {
  const id = freshId();
  const token = `EAAB-${id}`;
  facebook.tokens.set(token, facebookToken(FACEBOOK.appId, { id, ...fields }, debug));
  return { id, token };
}

function twitterPerson(fields: { name?: string; email?: string } = {}) {
  const id = freshId();
  const [token, secret] = [`${id}-token`, `secret-${id}`];
  twitter.tokens.set(token, {
    secret,
    reply: { status: 200, body: { id: Number(id), id_str: id, ...fields } },
  });
  return { id, token, secret };
}

function phonePerson() {
  const id = freshId();
  const person = { sub: `uid-${id}`, phone: `+${id.slice(-12)}` };
  return { ...person, claims: phoneClaims(PROJECT, person) };
}

const userShape = (fields: Data) => ({
  id: expect.any(Number),
  login: null,
  email: null,
  full_name: null,
  phone: null,
  external_user_id: null,
  external_id: null,
  facebook_id: null,
  twitter_id: null,
  website: null,
  custom_data: null,
  user_tags: null,
  avatar: null,
  blob_id: null,
  created_at: expect.stringMatching(DATE),
  updated_at: expect.stringMatching(DATE),
  last_request_at: null,
  timezone: null,
  ...fields,
});

const identitiesOf = (subject: string) =>
  node.sql<{ user_id: number; provider: string; application_id: number }>(
    "SELECT user_id, provider, application_id FROM identities WHERE subject = $1 ORDER BY id",
    [subject],
  );

/** For each provider: a new person, the credentials, and the fields of the resulting user. */
const SIGN_INS = {
  facebook: () => {
    const email = `f${people}@example.com`;
    const { id, token } = facebookPerson({ name: "Ada Lovelace", email });
    return {
      subject: id,
      data: byFacebook(token),
      user: { facebook_id: id, full_name: "Ada Lovelace", email },
    };
  },
  twitter: () => {
    const email = `t${people}@example.com`;
    const { id, token, secret } = twitterPerson({ name: "Grace 🌊 Hopper", email });
    return {
      subject: id,
      data: byTwitter(token, secret),
      user: { twitter_id: id, full_name: "Grace 🌊 Hopper", email },
    };
  },
  firebase_phone: () => {
    const { sub, phone, claims } = phonePerson();
    return { subject: sub, data: byPhone(phoneToken(key, claims)), user: { phone } };
  },
};
const PROVIDERS = Object.keys(SIGN_INS) as Array<keyof typeof SIGN_INS>;

describe.each(PROVIDERS)("sign-in through %s", (provider) => {
  it("creates the user at the first POST /session and finds it at the next", async () => {
    const { subject, data, user } = SIGN_INS[provider]();
    const first = await session(node, data);
    expect([first.status, first.body]).toEqual([
      201,
      {
        session: {
          id: expect.any(Number),
          application_id: node.application.id,
          user_id: expect.any(Number),
          nonce: expect.any(Number),
          token: expect.stringMatching(/^[\w-]{43}$/),
          ts: expect.any(Number),
          created_at: expect.stringMatching(DATE),
          updated_at: expect.stringMatching(DATE),
          user: userShape(user),
        },
      },
    ]);
    const id = first.body.session.user_id;
    expect(first.body.session.user.id).toBe(id);
    const second = await session(node, data);
    expect([second.status, second.body.session.user_id]).toEqual([201, id]);
    expect(await identitiesOf(subject)).toEqual([
      { user_id: id, provider, application_id: node.application.id },
    ]);
  });

  it("creates and finds the user at POST /login, in JSON and as a form", async () => {
    const { subject, data, user } = SIGN_INS[provider]();
    const token = await applicationToken(node);
    const first = await rest(node, "POST", "/login", { token, body: data });
    expect([first.status, first.body]).toEqual([200, { user: userShape(user) }]);
    const { id } = first.body.user;
    const own = await rest(node, "GET", "/session", { token });
    expect(own.body.session).toMatchObject({ token, user_id: id });

    const form = new URLSearchParams({ provider });
    for (const group of ["keys", "firebase_phone"]) {
      for (const [name, value] of Object.entries(data[group] ?? {})) {
        form.append(`${group}[${name}]`, value);
      }
    }
    const again = await rest(node, "POST", "/login", {
      token: await applicationToken(node),
      body: form,
    });
    expect([again.status, again.body.user.id]).toEqual([200, id]);
    expect(await identitiesOf(subject)).toHaveLength(1);
  });

  it("works the same through GraphQL", async () => {
    const { data, user } = SIGN_INS[provider]();
    const phone = data.firebase_phone as { project_id: string; access_token: string } | undefined;
    const input = {
      provider: provider.toUpperCase(),
      ...(data.keys ? { keys: data.keys } : {}),
      ...(phone
        ? { firebasePhone: { projectId: phone.project_id, accessToken: phone.access_token } }
        : {}),
    };
    const { application_id, auth_key, ...mandatory } = signedParameters(node);
    const created = await graphql(
      node,
      `mutation ($input: CreateSessionInput!) {
        createSession(input: $input) {
          session { userId user { facebookId twitterId phone fullName email } }
        }
      }`,
      { input: { ...mandatory, applicationId: application_id, authKey: auth_key, ...input } },
    );
    const { userId } = created.data.createSession.session;
    const [facebookId, twitterId] = ["facebook_id", "twitter_id"].map(
      (name) => (user as Data)[name] ?? null,
    );
    expect(created.data.createSession).toEqual({
      session: {
        userId: expect.any(String),
        user: {
          phone: "phone" in user ? user.phone : null,
          fullName: "phone" in user ? null : user.full_name,
          email: "phone" in user ? null : user.email,
          facebookId,
          twitterId,
        },
      },
    });
    const found = await graphql(
      node,
      "mutation ($input: LoginInput!) { login(input: $input) { user { databaseId } } }",
      { input },
      await applicationToken(node),
    );
    expect(found.data.login).toEqual({ user: { databaseId: Number(userId) } });
    const wrong = phone
      ? { ...input, firebasePhone: { ...input.firebasePhone, accessToken: "forged" } }
      : { ...input, keys: { token: "forged", secret: "forged" } };
    const refused = await graphql(
      node,
      "mutation ($input: LoginInput!) { login(input: $input) { user { databaseId } } }",
      { input: wrong },
      await applicationToken(node),
    );
    expect(refused.errors?.[0]).toMatchObject({
      message: REFUSED.errors.base[0],
      extensions: { code: "UNAUTHENTICATED" },
    });
  });

  it("creates one user for eight concurrent first sign-ins", async () => {
    const { subject, data } = SIGN_INS[provider]();
    // No sign-in continues before all eight have looked for the user in vain.
    const { store } = node.app;
    let lookups = 0;
    let release = () => {};
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    const restore = interceptOperations(store, async (name, run) => {
      const row = await run();
      if (name === "identity.findUnique" && ++lookups <= 8) {
        if (lookups === 8) release();
        await all;
      }
      return row;
    });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 ? session : login)(node, data)),
    ).finally(restore);
    expect(lookups).toBeGreaterThanOrEqual(8);
    const ids = answers.map(({ body }) => body.user?.id ?? body.session?.user_id);
    expect([new Set(ids).size, answers.map(({ status }) => status).sort()]).toEqual([
      1,
      [200, 200, 200, 200, 201, 201, 201, 201],
    ]);
    expect(await identitiesOf(subject)).toHaveLength(1);
  });

  it("does not match users who signed up with the same profile fields or e-mail", async () => {
    const { data, user } = SIGN_INS[provider]();
    const impostor = await newUser(node, user);
    const answer = await session(node, data);
    expect(answer.status).toBe(201);
    expect(answer.body.session.user_id).not.toBe(impostor.id);
    // The e-mail stays with the first user.
    expect(answer.body.session.user).toEqual(userShape({ ...user, email: null }));
    const again = await session(node, data);
    expect(again.body.session.user_id).toBe(answer.body.session.user_id);
  });

  it("finds the same user after the profile is changed to another user's", async () => {
    const [one, two] = [SIGN_INS[provider](), SIGN_INS[provider]()];
    const [first, second] = [await session(node, one.data), await session(node, two.data)];
    const { token, user_id: id } = first.body.session;
    const { email: _, ...profile } = two.user as Data;
    const changed = await rest(node, "PUT", `/users/${id}`, { token, body: { user: profile } });
    expect([changed.status, changed.body.user]).toEqual([
      200,
      {
        ...first.body.session.user,
        ...profile,
        updated_at: expect.any(String),
        // Stored some seconds after a request.
        last_request_at: changed.body.user.last_request_at,
      },
    ]);
    const later = [await session(node, one.data), await session(node, two.data)];
    expect(later.map(({ body }) => body.session.user_id)).toEqual([
      id,
      second.body.session.user_id,
    ]);
  });

  it("creates separate users in each application, and only where the provider is set up", async () => {
    const { subject, data } = SIGN_INS[provider]();
    await configure(other, {});
    for (const route of Object.values(routes)) {
      const without = await route(other, data);
      expect([without.status, without.body]).toEqual([
        422,
        { errors: { provider: ["is not set up for this application"] } },
      ]);
    }
    await configure(other, settings());
    const ids = [await login(node, data), await login(other, data)].map(({ body }) => body.user.id);
    expect(ids[0]).not.toBe(ids[1]);
    expect(await identitiesOf(subject)).toEqual([
      { user_id: ids[0], provider, application_id: node.application.id },
      { user_id: ids[1], provider, application_id: other.application.id },
    ]);
  });

  it("accepts only known users while sign-up is closed", async () => {
    const [known, unknown] = [SIGN_INS[provider](), SIGN_INS[provider]()];
    const first = await session(node, known.data);
    const close = "UPDATE applications SET sign_up_open = $2 WHERE id = $1";
    await node.sql(close, [node.application.id, false]);
    try {
      for (const route of Object.values(routes)) {
        const refused = await route(node, unknown.data);
        expect([refused.status, refused.body]).toEqual([
          403,
          { errors: { base: ["This application does not accept sign-ups"] } },
        ]);
      }
      const again = await session(node, known.data);
      expect(again.body.session.user_id).toBe(first.body.session.user_id);
    } finally {
      await node.sql(close, [node.application.id, true]);
    }
    expect(await identitiesOf(unknown.subject)).toEqual([]);
  });

  it("refuses a blocked user, and nobody without a valid token learns of the block", async () => {
    const { subject, data } = SIGN_INS[provider]();
    const first = await session(node, data);
    const user = { id: first.body.session.user_id };
    await blockUser(node, user);
    for (const route of Object.values(routes)) {
      const refused = await route(node, data);
      expect([refused.status, refused.body]).toEqual([
        403,
        { errors: { base: ["This user is blocked"] } },
      ]);
    }
    expect(await identitiesOf(subject)).toHaveLength(1);
    await unblockUser(node, user);
    expect((await session(node, data)).body.session.user_id).toBe(user.id);
  });

  it("creates a new user after the old one was deleted", async () => {
    const { subject, data } = SIGN_INS[provider]();
    const first = await session(node, data);
    const { token, user_id: id } = first.body.session;
    expect((await rest(node, "DELETE", `/users/${id}`, { token })).status).toBe(200);
    expect(await identitiesOf(subject)).toEqual([]);
    expect((await session(node, data)).body.session.user_id).not.toBe(id);
  });

  it("requires the old password except for the user's first one", async () => {
    const { data } = SIGN_INS[provider]();
    const { token, user_id: id } = (await session(node, data)).body.session;
    const name = `named-${id}`;
    const change = (user: Data) => rest(node, "PUT", `/users/${id}`, { token, body: { user } });
    expect((await change({ login: name, password: "correct horse" })).status).toBe(200);
    const second = await change({ password: "another horse" });
    expect([second.status, second.body]).toEqual([
      422,
      { errors: { old_password: ["is required for a new password"] } },
    ]);
    const byName = await login(node, { login: name, password: "correct horse" });
    expect([byName.status, byName.body.user.id]).toEqual([200, id]);
    expect((await login(node, data)).body.user.id).toBe(id);
  });
});

describe.each(
  Object.entries(routes),
)("missing and conflicting credentials at %s", (_route, send) => {
  it.each([
    [{ provider: "facebook" }, { token: ["is required"] }],
    [{ provider: "facebook", keys: { token: "" } }, { token: ["is required"] }],
    [{ provider: "twitter", keys: { secret: "s" } }, { token: ["is required"] }],
    [{ provider: "twitter", keys: { token: "t" } }, { secret: ["is required"] }],
    [{ provider: "firebase_phone" }, { project_id: ["is required"] }],
    [
      { provider: "firebase_phone", firebase_phone: { project_id: PROJECT } },
      { access_token: ["is required"] },
    ],
    [{ keys: { token: "t" } }, { provider: ["is required"] }],
    [
      { provider: "facebook", keys: { token: "t" }, password: "p", user: { password: "p" } },
      { base: ["provider and user[login] or user[email] do not go together"] },
    ],
  ])("%j is invalid", async (data, errors) => {
    const answer = await send(node, data);
    expect([answer.status, answer.body]).toEqual([422, { errors }]);
  });

  it.each([
    "__proto__",
    "constructor",
    "toString",
    "google",
  ])("rejects the provider %s", async (provider) => {
    const answer = await send(node, { provider, keys: { token: "t" } });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["provider"]]);
  });
});

describe("Facebook", () => {
  const now = () => Math.floor(Date.now() / 1000);
  const debugOf = (body: unknown, status = 200): Reply => ({ status, body });
  const withDebug = (debug: Data) => facebookPerson({ name: "Eve" }, debug).token;
  const withReplies = (replies: { debug?: Reply; me?: Reply }) => {
    const { token } = facebookPerson({ name: "Eve" });
    const known = facebook.tokens.get(token);
    if (known) facebook.tokens.set(token, { ...known, ...replies });
    return token;
  };
  const CASES: Record<string, () => string> = {
    "a forged token": () => "forged",
    "a token with invalid characters": () => "forged tökén\r\n",
    "a token that is too long": () => "x".repeat(5000),
    "an invalid token": () => withDebug({ is_valid: false }),
    "a token with is_valid as a string": () => withDebug({ is_valid: "true" }),
    "another application's token": () => withDebug({ app_id: "4712" }),
    "a token without an application id": () => withDebug({ app_id: undefined }),
    "an expired token": () => withDebug({ expires_at: now() - 1 }),
    "a token without an expiry": () => withDebug({ expires_at: undefined }),
    "another user's profile": () => withDebug({ user_id: freshId() }),
    "a token without a user": () => withDebug({ user_id: undefined }),
    "an inspection without data": () => withReplies({ debug: debugOf({ data: {} }) }),
    "an empty inspection": () => withReplies({ debug: debugOf({}) }),
    "an inspection of an error": () =>
      withReplies({ debug: debugOf({ error: { code: 190, message: "no" } }) }),
    "an inspection refused": () =>
      withReplies({ debug: debugOf({ error: { code: 190, message: "no" } }, 400) }),
    "an empty profile": () => withReplies({ me: debugOf({}) }),
    "a profile of an error": () =>
      withReplies({ me: debugOf({ error: { code: 190, message: "no" } }) }),
    "a profile with an invalid id": () => withReplies({ me: debugOf({ id: { $ne: 1 } }) }),
    "a profile refused": () => withReplies({ me: debugOf({ error: { code: 190 } }, 401) }),
  };
  it.each(Object.keys(CASES))("rejects %s", async (name) => {
    const token = CASES[name]!();
    for (const route of Object.values(routes)) {
      const answer = await route(node, byFacebook(token));
      expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    }
  });

  it.each([
    ["500", debugOf({ error: { code: 1 } }, 500)],
    ["429", debugOf({ error: { code: 4 } }, 429)],
    ["a transient error", debugOf({ error: { code: 4, is_transient: true } }, 403)],
    ["404", debugOf({}, 404)],
    ["garbage", debugOf("<html>", 200)],
    ["nothing", debugOf("", 200)],
    ["a list", debugOf([], 200)],
    ["null", debugOf("null", 200)],
    ["a truncated response", debugOf('{"data":{', 200)],
    ["an oversized response", debugOf({ data: { is_valid: true }, more: "x".repeat(300_000) })],
    ["a redirect", { ...debugOf({}, 302), headers: { Location: "/elsewhere" } }],
  ] as Array<[string, Reply]>)("makes the sign-in unavailable: %s", async (_name, reply) => {
    for (const token of [withReplies({ debug: reply }), withReplies({ me: reply })]) {
      for (const route of Object.values(routes)) {
        const answer = await route(node, byFacebook(token));
        expect([answer.status, answer.body, answer.headers.get("retry-after")]).toEqual([
          503,
          UNREACHABLE,
          "10",
        ]);
      }
    }
    expect(facebook.asked).not.toContain("/elsewhere");
  });

  it("may send a future expiry, numeric ids, no name and an invalid e-mail", async () => {
    const { id, token } = facebookPerson(
      { name: " \u0000 ", email: "no e-mail" },
      { expires_at: now() + 3600, app_id: 4711 },
    );
    const answer = await login(node, byFacebook(token));
    expect([answer.status, answer.body]).toEqual([200, { user: userShape({ facebook_id: id }) }]);
  });

  it("may send a name of any length, which is cut to 255 characters", async () => {
    const { token } = facebookPerson({ name: "🌊".repeat(300) });
    const answer = await login(node, byFacebook(token));
    expect(answer.body.user.full_name).toBe("🌊".repeat(255));
  });
});

describe("Twitter", () => {
  const withReply = (reply: Reply) => {
    const { token, secret } = twitterPerson();
    twitter.tokens.set(token, { secret, reply });
    return byTwitter(token, secret);
  };
  const CASES: Record<string, () => Data> = {
    "a forged token": () => byTwitter("forged", "secret"),
    "a wrong secret": () => byTwitter(twitterPerson().token, "wrong"),
    "a malformed secret": () => byTwitter(twitterPerson().token, "\u00e9"),
    "a 200 with errors": () =>
      withReply({ status: 200, body: { errors: [{ code: 89, message: "no" }] } }),
    "an empty profile": () => withReply({ status: 200, body: {} }),
    "a profile without id_str": () => withReply({ status: 200, body: { id: 12 } }),
    "an empty id": () => withReply({ status: 200, body: { id_str: "" } }),
    "a locked account": () => withReply({ status: 403, body: { errors: [{ code: 326 }] } }),
  };
  it.each(Object.keys(CASES))("rejects %s", async (name) => {
    const data = CASES[name]!();
    for (const route of Object.values(routes)) {
      const answer = await route(node, data);
      expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    }
  });

  it.each([
    ["503", { status: 503, body: { errors: [{ code: 130 }] } }],
    ["429", { status: 429, body: { errors: [{ code: 88 }] } }],
    ["garbage", { status: 200, body: "\u0000\u0001" }],
    ["a redirect", { status: 301, body: {}, headers: { Location: "/elsewhere" } }],
  ] as Array<[string, Reply]>)("makes the sign-in unavailable: %s", async (_name, reply) => {
    const data = withReply(reply);
    for (const route of Object.values(routes)) {
      const answer = await route(node, data);
      expect([answer.status, answer.body]).toEqual([503, UNREACHABLE]);
    }
    expect(twitter.asked).not.toContain("/elsewhere");
  });

  it("verifies signatures over any token and secret", async () => {
    const id = freshId();
    const [token, secret] = [`${id}-!*'()%&=+/~`, `s-!*'()%&=+/~"\\`];
    twitter.tokens.set(token, { secret, reply: { status: 200, body: { id_str: id, email: "" } } });
    const answer = await login(node, byTwitter(token, secret));
    expect([answer.status, answer.body]).toEqual([200, { user: userShape({ twitter_id: id }) }]);
  });

  it("accepts only tokens of the application", async () => {
    const { token, secret } = twitterPerson();
    const foreign = { ...TWITTER, consumerSecret: "another", baseUrl: twitter.baseUrl };
    await configure(other, { twitter: foreign });
    const answer = await login(other, byTwitter(token, secret));
    expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    expect((await login(node, byTwitter(token, secret))).status).toBe(200);
  });
});

describe("Firebase's tokens", () => {
  const signedWith = (change: Data, header: Data = {}, by = key) =>
    phoneToken(by, { ...phonePerson().claims, ...change }, header);
  const seconds = () => Math.floor(Date.now() / 1000);
  const stranger = signingKey(key.kid);
  const CASES: Record<string, () => string> = {
    "no token": () => "forged",
    "alg none": () => unsignedToken(key, phonePerson().claims),
    "alg none with a signature": () => signedWith({}, { alg: "none" }),
    "HS256 with the public key": () => confusedToken(key, phonePerson().claims),
    "the name of another algorithm": () => signedWith({}, { alg: "RS512" }),
    "another issuer": () => signedWith({ iss: "https://securetoken.google.com/another" }),
    "an issuer with the same prefix": () =>
      signedWith({ iss: `https://securetoken.google.com/${PROJECT}.evil` }),
    "no issuer": () => signedWith({ iss: undefined }),
    "another audience": () => signedWith({ aud: "another" }),
    "several audiences": () => signedWith({ aud: [PROJECT, "another"] }),
    "no audience": () => signedWith({ aud: undefined }),
    "exp in the past": () => signedWith({ exp: seconds() - 1 }),
    "no exp": () => signedWith({ exp: undefined }),
    "iat in the future": () => signedWith({ iat: seconds() + 600 }),
    "no iat": () => signedWith({ iat: undefined }),
    "a sign-in by another provider": () =>
      signedWith({ firebase: { sign_in_provider: "password" } }),
    "a sign-in by an anonymous user": () =>
      signedWith({ firebase: { sign_in_provider: "anonymous" } }),
    "no provider": () => signedWith({ firebase: {} }),
    "no phone number": () => signedWith({ phone_number: undefined }),
    "an empty phone number": () => signedWith({ phone_number: "" }),
    "an empty subject": () => signedWith({ sub: "" }),
    "no subject": () => signedWith({ sub: undefined }),
    "an unknown key": () => signedWith({}, { kid: "unknown" }),
    "no kid": () => signedWith({}, { kid: undefined }),
    "another key with the same kid": () => signedWith({}, {}, stranger),
    "an embedded key (jwk)": () => signedWith({}, { jwk: stranger.jwk }, stranger),
    "a key URL (jku)": () =>
      signedWith({}, { jku: "http://127.0.0.1:9/keys", kid: "mine" }, stranger),
    "a changed payload": () => {
      const [head, , signature] = signedWith({}).split(".");
      const payload = Buffer.from(JSON.stringify(phonePerson().claims)).toString("base64url");
      return [head, payload, signature].join(".");
    },
    "a critical extension": () => signedWith({}, { crit: ["b64"], b64: false }),
  };
  it.each(Object.keys(CASES))("are rejected with %s", async (name) => {
    const data = byPhone(CASES[name]!());
    const users = () => node.sql("SELECT count(*) AS count FROM identities");
    const before = await users();
    for (const route of Object.values(routes)) {
      const answer = await route(node, data);
      expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    }
    expect(await users()).toEqual(before);
  });

  it("are rejected for a project that is the token's but not the application's", async () => {
    const person = phonePerson();
    const foreign = phoneToken(key, phoneClaims("another", person));
    for (const data of [
      byPhone(foreign, "another"),
      byPhone(foreign),
      byPhone(phoneToken(key, person.claims), "another"),
    ]) {
      const answer = await login(node, data);
      expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    }
  });

  it("are rejected unsigned, even if the environment sets the emulator's variable", async () => {
    process.env.FIREBASE_AUTH_EMULATOR_HOST = "127.0.0.1:9099";
    try {
      const answer = await login(node, byPhone(unsignedToken(key, phonePerson().claims)));
      expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    } finally {
      delete process.env.FIREBASE_AUTH_EMULATOR_HOST;
    }
  });

  it("identify the user by the subject alone, also after a phone number changed hands", async () => {
    const [one, two] = [phonePerson(), phonePerson()];
    const first = await login(node, byPhone(phoneToken(key, one.claims)));
    const taken = phoneClaims(PROJECT, { sub: two.sub, phone: one.phone });
    const second = await login(node, byPhone(phoneToken(key, taken)));
    expect(second.body.user.id).not.toBe(first.body.user.id);
    expect(second.body.user.phone).toBe(one.phone);
  });

  it("are verified with keys that are fetched once, for known and unknown key ids", async () => {
    const own = await startKeys({ status: 200, body: { keys: [key.jwk] } });
    await configure(other, { firebase: { projectId: PROJECT, keysUrl: own.keysUrl } });
    try {
      for (const kid of [key.kid, key.kid, "unknown", "more", "still more"]) {
        const token = phoneToken(key, phonePerson().claims, { kid });
        expect((await login(other, byPhone(token))).status).toBe(kid === key.kid ? 200 : 401);
      }
      expect(own.asked).toEqual(["/keys"]);
    } finally {
      await own.close();
    }
  });

  it.each([
    ["500", { status: 500, body: {} }],
    ["403", { status: 403, body: {} }],
    ["garbage", { status: 200, body: "<html>" }],
    ["no keys", { status: 200, body: {} }],
    ["invalid keys", { status: 200, body: { keys: "all" } }],
    ["a redirect", { status: 302, body: {}, headers: { Location: "/elsewhere" } }],
  ] as Array<
    [string, Reply]
  >)("cannot be verified while the key URL responds with %s", async (_name, reply) => {
    const own = await startKeys(reply);
    await configure(other, { firebase: { projectId: PROJECT, keysUrl: own.keysUrl } });
    const data = byPhone(phoneToken(key, phonePerson().claims));
    try {
      const answer = await login(other, data);
      expect([answer.status, answer.body]).toEqual([503, UNREACHABLE]);
      own.publish({ status: 200, body: { keys: [key.jwk] } });
      expect((await login(other, data)).status).toBe(503);
      expect(own.asked).toEqual(["/keys"]);
      clock.advance(10_000);
      expect((await login(other, data)).status).toBe(200);
      expect(own.asked).toEqual(["/keys", "/keys"]);
    } finally {
      await own.close();
    }
  });
});

it("waits for a provider no longer than PROVIDER_TIMEOUT_MS", async () => {
  const own = await startNode({ ALLOW_PRIVATE_NETWORKS: "true", PROVIDER_TIMEOUT_MS: "100" });
  const slow = await startKeys({ silent: true });
  const gone = await startKeys({ silent: true });
  await gone.close();
  try {
    for (const { baseUrl } of [slow, gone]) {
      await own.sql("UPDATE applications SET settings = $1::text::jsonb", [
        JSON.stringify({
          facebook: { ...FACEBOOK, baseUrl },
          twitter: { ...TWITTER, baseUrl },
          firebase: { projectId: PROJECT, keysUrl: baseUrl },
        }),
      ]);
      for (const data of [
        byFacebook("token"),
        byTwitter("token", "secret"),
        byPhone(phoneToken(key, phonePerson().claims)),
      ]) {
        const answer = await login(own, data);
        expect([answer.status, answer.body]).toEqual([503, UNREACHABLE]);
      }
    }
  } finally {
    await slow.close();
    await own.stop();
  }
});

it("logs why tokens were rejected, without tokens and secrets", () => {
  const text = logged.join("");
  const reasons = logged
    .filter((line) => line.includes('"reason"'))
    .map((line) => JSON.parse(line));
  expect(reasons).toContainEqual({
    level: 30,
    time: expect.any(Number),
    pid: expect.any(Number),
    hostname: expect.any(String),
    provider: "facebook",
    applicationId: node.application.id,
    reason: "issued to another application",
    msg: "a sign-in token was rejected",
  });
  const secrets = ["EAAB-", "eyJhbGciOi", "secret-9", "-token", "forged", "appsecret", "oauth"];
  const { appSecret } = FACEBOOK;
  const { consumerKey, consumerSecret } = TWITTER;
  for (const secret of [...secrets, appSecret, consumerKey, consumerSecret]) {
    expect([secret, text.includes(secret)]).toEqual([secret, false]);
  }
});
