import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { startSmtp, type TestSmtp } from "../../../tools/smtp";
import { auth, connectRaw, OPEN, signInRaw } from "../../support/chat/chat";
import { startNode, type TestNode } from "../../support/node";
import { addDevice } from "../../support/push/push";
import {
  applicationToken,
  newGuest,
  newUser,
  rest,
  signedParameters,
  signIn,
  type TestUser,
} from "../../support/rest-client";
import { blockUser } from "../../support/sessions/blocks";
import { ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** Users as the owner of their application sees and changes them. */

const NO_SESSION = "Required session does not exist";

let smtp: TestSmtp;
let node: TestNode;
let owner: string;
let applicationId: string;
beforeAll(async () => {
  smtp = await startSmtp();
  node = await startNode({ SMTP_URL: smtp.url, MAIL_FROM: "Example <no-reply@example.com>" });
  owner = await ownerToken(node);
  applicationId = String(node.application.id);
});
afterAll(async () => {
  await node?.stop();
  await smtp?.close();
});

/** Runs a document; its data, or the code and the fields of its error. */
async function run(document: string, variables: Record<string, unknown>, token = owner) {
  const { data, errors } = await graphql(node, document, variables, token);
  if (!errors) return data;
  const { code, fields } = errors[0].extensions;
  return { code, fields };
}

/** Runs a mutation with one input; its payload, or the code and the fields of its error. */
async function mutate(name: string, type: string, selection: string, input: object) {
  const document = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`;
  const answer = await run(document, { input });
  return answer[name] ?? answer;
}

describe("a user, with sessions and devices", () => {
  const READ = `query ($id: ID!, $user: ID!, $first: Int, $after: String) {
    user(by: { id: $user }, applicationId: $id) { id login blockedAt blockReason }
    application(id: $id) {
      sessions(userId: $user, first: $first, after: $after) {
        totalCount totalIsExact pageInfo { hasNextPage endCursor }
        nodes { id userId ip userAgent lastActivityAt expiresAt current } }
      pushSubscriptions(userId: $user, first: $first, after: $after) {
        totalCount pageInfo { hasNextPage endCursor }
        nodes { id channel environment platform udid bundleId createdAt updatedAt } } } }`;
  const read = async (user: TestUser, page: object = {}) => {
    const variables = { id: applicationId, user: String(user.id), ...page };
    const answer = await graphql(node, READ, variables, owner);
    const { data, errors } = answer;
    return { ...data?.user, ...data?.application, errors, answer };
  };

  it("shows the block, the live sessions, newest first, and the devices without tokens", async () => {
    const user = await newUser(node);
    const other = await signIn(node, user);
    const expired = await signIn(node, user);
    // No activity that is still to be written extends its expiry.
    const end = `UPDATE sessions SET sliding = false, expires_at = now() - interval '1 s' WHERE id = $1`;
    await node.sql(end, [expired.sessionId]);
    const tokens = [
      await addDevice(node, user, "gcm"),
      await addDevice(node, user, "apns", { environment: "production" }),
    ];
    const found = await read(user);
    expect(found).toMatchObject({
      id: String(user.id),
      login: user.login,
      blockedAt: null,
      blockReason: null,
      sessions: {
        totalCount: 2,
        totalIsExact: true,
        nodes: [
          {
            id: String(other.sessionId),
            userId: String(user.id),
            ip: "127.0.0.1",
            userAgent: expect.any(String),
            lastActivityAt: expect.stringMatching(/Z$/),
            expiresAt: expect.stringMatching(/Z$/),
            current: false,
          },
          { id: String(user.sessionId) },
        ],
      },
      pushSubscriptions: {
        totalCount: 2,
        nodes: [
          { channel: "GCM", environment: "DEVELOPMENT", platform: "ANDROID", bundleId: null },
          { channel: "APNS", environment: "PRODUCTION", platform: "IOS" },
        ],
      },
    });
    // The udid of these devices is their token, so no other field may contain it.
    const text = JSON.stringify(found.answer).replace(/"udid":"[^"]*"/g, "");
    for (const secret of [...tokens, user.token, other.token]) expect(text).not.toContain(secret);
    const first = await read(user, { first: 1 });
    expect(first.sessions.pageInfo.hasNextPage).toBe(true);
    const next = await read(user, { first: 1, after: first.sessions.pageInfo.endCursor });
    expect(next.sessions.nodes.map(({ id }: { id: string }) => id)).toEqual([
      String(user.sessionId),
    ]);
  });

  it("is found by every key, and by members only in the application that they name", async () => {
    const email = "found-by@example.com";
    const user = await newUser(node, { email, external_id: "found-by" });
    const READ_BY = `query ($by: UserKey!, $id: ID) {
      user(by: $by, applicationId: $id) { id blockedAt } }`;
    const find = async (by: object, id: string | null, token = owner) => {
      const { data, errors } = await graphql(node, READ_BY, { by, id }, token);
      return errors?.[0].extensions.code ?? data.user?.id ?? null;
    };
    const other = await secondApplication(node);
    const [id, elsewhere] = [String(user.id), String(other.application.id)];
    for (const by of [{ id }, { login: user.login }, { email }, { externalId: "found-by" }]) {
      expect(await find(by, applicationId)).toBe(id);
      expect(await find(by, elsewhere, await ownerToken(other))).toBeNull();
      expect(await find(by, elsewhere)).toBe("NOT_FOUND");
      expect(await find(by, null)).toBe("INVALID");
      expect(await find(by, null, user.token)).toBe(id);
      expect(await find(by, applicationId, user.token)).toBe(id);
      expect(await find(by, elsewhere, user.token)).toBe("NOT_FOUND");
    }
  });

  it("has no sessions and devices of a user of another application", async () => {
    const elsewhere = await newUser(await secondApplication(node));
    const { answer } = await read(elsewhere);
    expect(answer.errors?.[0].extensions.code).toBe("NOT_FOUND");
    const SESSIONS = `query ($id: ID!, $user: ID!) {
      application(id: $id) { sessions(userId: $user) { totalCount nodes { id } } } }`;
    for (const user of [String(elsewhere.id), "0", "x"]) {
      expect(await run(SESSIONS, { id: applicationId, user })).toMatchObject({ code: "NOT_FOUND" });
    }
  });

  it("shows its block to members only", async () => {
    const [user, other] = [await newUser(node), await newUser(node)];
    await blockUser(node, other, "Spam");
    const id = String(other.id);
    const hidden = { id, blockedAt: null, blockReason: null };
    const READ_BLOCK = `query ($id: ID!, $number: SafeInt!) {
      user(by: { id: $id }) { ...Block }
      users(filter: { id: { eq: $number } }) { nodes { ...Block } edges { node { ...Block } } } }
      fragment Block on User { id blockedAt blockReason }`;
    const { data } = await graphql(node, READ_BLOCK, { id, number: other.id }, user.token);
    expect(data).toEqual({
      user: hidden,
      users: { nodes: [hidden], edges: [{ node: hidden }] },
    });
    const UPDATE = `mutation ($id: ID!) { updateUser(input: { id: $id, fullName: "A" }) {
      user { blockedAt blockReason } } }`;
    // Blocked by hand, so that the session stays.
    await node.sql("UPDATE users SET blocked_at = now(), block_reason = 'Spam' WHERE id = $1", [
      user.id,
    ]);
    expect(await run(UPDATE, { id: String(user.id) }, user.token)).toEqual({
      updateUser: { user: { blockedAt: null, blockReason: null } },
    });
    const found = await read(other);
    expect([found.blockReason, found.blockedAt]).toEqual(["Spam", expect.stringMatching(/Z$/)]);
  });
});

describe("Application.users", () => {
  const LIST = `query ($id: ID!, $search: String, $filter: UserFilter, $sort: UserSort, $blocked: Boolean,
      $guest: Boolean, $first: Int, $after: String, $last: Int, $before: String) {
    application(id: $id) { users(search: $search, filter: $filter, sort: $sort, blocked: $blocked,
        guest: $guest, first: $first, after: $after, last: $last, before: $before) {
      totalCount totalIsExact nodes { id login blockedAt blockReason isGuest }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;
  let place: TestNode;
  let users: TestUser[];
  let guest: TestUser;
  beforeAll(async () => {
    place = await secondApplication(node);
    // The second application belongs to another account.
    users = [];
    for (const [index, login] of ["anna", "Ben", "carl", "dora", "emil"].entries()) {
      const tags = index % 2 === 0 ? "even" : "odd";
      users.push(await newUser(place, { login, full_name: `Name ${9 - index}`, tag_list: tags }));
    }
    guest = await newGuest(place);
    for (const index of [1, 3]) {
      await blockUser(place, users[index] as TestUser, `reason ${index}`);
    }
  });

  const list = async (variables: object) => {
    const id = String(place.application.id);
    const { data, errors } = await graphql(
      node,
      LIST,
      { id, ...variables },
      await ownerToken(place),
    );
    if (errors) return { code: errors[0].extensions.code, fields: errors[0].extensions.fields };
    return data.application.users;
  };
  const logins = async (variables: object) =>
    (await list(variables)).nodes.map(({ login }: { login: string }) => login);

  it("shows the blocks, and filters by blocked users and guests", async () => {
    const blocked = await list({ blocked: true });
    expect([blocked.totalCount, blocked.nodes]).toEqual([
      2,
      [1, 3].map((index) => ({
        id: String(users[index]?.id),
        login: users[index]?.login,
        blockedAt: expect.stringMatching(/Z$/),
        blockReason: `reason ${index}`,
        isGuest: false,
      })),
    ]);
    expect(await logins({ blocked: false })).toEqual(["anna", "carl", "emil", guest.login]);
    expect(await logins({ guest: true })).toEqual([guest.login]);
    expect(await logins({ guest: false })).toEqual(["anna", "Ben", "carl", "dora", "emil"]);
    expect(await logins({ guest: false, blocked: false })).toEqual(["anna", "carl", "emil"]);
    expect(await logins({ guest: true, blocked: true })).toEqual([]);
    expect(await logins({})).toHaveLength(6);
  });

  it.each([
    ["eq", { login: { eq: "BEN" } }, ["Ben"]],
    ["in", { login: { in: ["anna", "carl", "nobody"] } }, ["anna", "carl"]],
    ["in and nin", { userTags: { in: ["even"] }, login: { nin: ["carl"] } }, ["anna", "emil"]],
    ["startWith", { fullName: { startWith: "Name 9" } }, ["anna"]],
    [
      "a time",
      { userTags: { eq: "odd" }, createdAt: { gt: "2001-01-01T00:00:00Z" } },
      ["Ben", "dora"],
    ],
    ["a time before", { userTags: { eq: "odd" }, createdAt: { lt: "2001-01-01T00:00:00Z" } }, []],
  ])("filters as the V2 list: %s", async (_what, filter, expected) => {
    const found = await list({ filter });
    expect([found.totalCount, found.nodes.map(({ login }: TestUser) => login)]).toEqual([
      expected.length,
      expected,
    ]);
  });

  it("combines search, filter, blocked and guest", async () => {
    const filter = { userTags: { eq: "odd" } };
    expect(await logins({ filter, blocked: true })).toEqual(["Ben", "dora"]);
    expect(await logins({ filter, blocked: true, sort: { desc: "LOGIN" } })).toEqual([
      "dora",
      "Ben",
    ]);
    expect(await logins({ filter, sort: { asc: "USER_TAGS" } })).toEqual(["Ben", "dora"]);
    expect(await logins({ blocked: true, sort: { desc: "ID" } })).toEqual(["dora", "Ben"]);
    expect(await logins({ filter, blocked: false })).toEqual([]);
    expect(await logins({ filter, search: "D" })).toEqual(["dora"]);
    expect(await logins({ search: "b", blocked: true })).toEqual(["Ben"]);
    expect(await logins({ search: "b", blocked: false })).toEqual([]);
    expect(await logins({ search: "guest-", guest: true })).toEqual([guest.login]);
  });

  it.each([
    ["ID", ["anna", "Ben", "carl", "dora", "emil"]],
    ["LOGIN", ["anna", "Ben", "carl", "dora", "emil"]],
    ["FULL_NAME", ["emil", "dora", "carl", "Ben", "anna"]],
    ["CREATED_AT", ["anna", "Ben", "carl", "dora", "emil"]],
  ])("orders by %s, and pages forward and backward", async (field, expected) => {
    for (const [sort, order] of [
      [{ asc: field }, expected],
      // Of one second, times are equal, with ties by ascending id.
      ...(field === "CREATED_AT" ? [] : [[{ desc: field }, [...expected].reverse()] as const]),
    ] as const) {
      const found: string[] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof list>> = await list({
          sort,
          guest: false,
          first: 2,
          after,
        });
        found.push(...page.nodes.map(({ login }: TestUser) => login));
        after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
        expect(page.totalCount).toBe(5);
      } while (after !== null);
      expect(found).toEqual(order);
      const end = await list({ sort, guest: false, last: 2 });
      expect(end.nodes.map(({ login }: TestUser) => login)).toEqual(order.slice(3));
      const before = await list({ sort, guest: false, last: 2, before: end.pageInfo.startCursor });
      expect(before.nodes.map(({ login }: TestUser) => login)).toEqual(order.slice(1, 3));
    }
  });

  it("lists whose login a search matches, then whose e-mail does, and pages in both directions", async () => {
    const emails = { zed: "fox.zed@example.com", "fox.b": "fox.a@example.com" };
    for (const login of ["zed", "fox.b", "Fox_a", "foxy", "fowl"]) {
      await newUser(place, { login, email: emails[login as keyof typeof emails] });
    }
    await newUser(place, { login: "yak", email: "Fox.yak@example.com" });
    try {
      const expected = ["fox.b", "Fox_a", "foxy", "yak", "zed"];
      for (const size of [1, 2, 3, 5]) {
        const forward: string[] = [];
        for (let after: string | null = null, more = true; more; ) {
          const page: Awaited<ReturnType<typeof list>> = await list({
            search: "FOX",
            first: size,
            after,
          });
          expect(page.totalCount).toBe(5);
          expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
          forward.push(...page.nodes.map(({ login }: TestUser) => login));
          after = page.pageInfo.endCursor;
          more = page.pageInfo.hasNextPage;
        }
        expect(forward).toEqual(expected);
        const backward: string[] = [];
        for (let before = (await list({ search: "fox" })).pageInfo.endCursor, more = true; more; ) {
          const page: Awaited<ReturnType<typeof list>> = await list({
            search: "fox",
            last: size,
            before,
          });
          backward.unshift(...page.nodes.map(({ login }: TestUser) => login));
          before = page.pageInfo.startCursor;
          more = page.pageInfo.hasPreviousPage;
        }
        expect(backward).toEqual(expected.slice(0, -1));
      }
      const whole = await list({ search: "fox" });
      const between = await list({
        search: "fox",
        after: whole.pageInfo.startCursor,
        before: whole.pageInfo.endCursor,
      });
      expect(between.nodes.map(({ login }: TestUser) => login)).toEqual(expected.slice(1, 4));
    } finally {
      await node.sql("DELETE FROM users WHERE login_key IN ('zed', 'yak') OR login_key LIKE 'fo%'");
    }
  });

  it("by id takes the id of a user as a cursor", async () => {
    expect(await logins({ after: String(users[2]?.id), first: 1 })).toEqual(["dora"]);
    expect(await logins({ before: String(users[2]?.id), last: 1 })).toEqual(["Ben"]);
    expect(await list({ after: String(users[2]?.id), sort: { asc: "LOGIN" } })).toMatchObject({
      code: "INVALID",
      fields: { after: expect.anything() },
    });
  });

  it.each([
    [
      "a filter that breaks a rule",
      { filter: { createdAt: { gt: "2001-01-01T00:00:00Z" } } },
      "base",
    ],
    ["a filter that excludes alone", { filter: { login: { nin: ["anna"] } } }, "base"],
    ["search in an order", { search: "a", sort: { asc: "ID" } }, "sort"],
    ["search after a cursor of another list", { search: "a", after: "1" }, "after"],
    [
      "search before a cursor that is none",
      { search: "a", before: Buffer.from('["login"]').toString("base64url") },
      "before",
    ],
    ["a page from the end of a search", { search: "a", last: 1 }, "last"],
    ["an order without an index and without a filter", { sort: { asc: "USER_TAGS" } }, "sort"],
    ["blocked users in another order", { blocked: true, sort: { desc: "LOGIN" } }, "sort"],
    ["guests in another order", { guest: true, sort: { asc: "CREATED_AT" } }, "sort"],
    ["two orders", { sort: { asc: "LOGIN", desc: "LOGIN" } }, "sort"],
  ])("refuses %s", async (_what, variables, field) => {
    expect(await list(variables)).toEqual({
      code: "INVALID",
      fields: { [field]: [expect.any(String)] },
    });
  });

  it("counts up to ten thousand", async () => {
    await node.sql(
      `INSERT INTO users (application_id, login, login_key, full_name, updated_at)
        SELECT $1, 'many' || n, 'many' || n, 'Many', now() FROM generate_series(1, 10001) n`,
      [place.application.id],
    );
    try {
      for (const more of [{}, { search: "many" }, { filter: { fullName: { eq: "Many" } } }]) {
        const { totalCount, totalIsExact } = await list({ ...more, blocked: false, first: 1 });
        expect([totalCount, totalIsExact]).toEqual([10_000, false]);
      }
    } finally {
      await node.sql("DELETE FROM users WHERE login_key LIKE 'many%'");
    }
  });
});

describe("updateUser by a member", () => {
  const FIELDS = "user { id login email fullName tags customData blockedAt }";
  const update = (input: object) => mutate("updateUser", "UpdateUserInput", FIELDS, input);

  it("changes the given fields alone, and notifies the old e-mail address of a new one", async () => {
    const email = "owned-old@example.com";
    const user = await newUser(node, { email, full_name: "Old", tag_list: "a,b" });
    const changes = { email: "owned-new@example.com", customData: "x", tags: ["c"] };
    expect(await update({ id: String(user.id), ...changes })).toEqual({
      user: {
        id: String(user.id),
        login: user.login,
        fullName: "Old",
        blockedAt: null,
        ...changes,
      },
    });
    const [mail] = await smtp.mailsTo(email);
    expect(mail?.parsed.subject).toMatch(/e-mail/i);
    // The session stays.
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(200);
  });

  it("sets a password without the old one, which ends all sessions and connections", async () => {
    const user = await newUser(node);
    const socket = await openSocket(node, user.token);
    const name = `${user.id}-${node.application.id}`;
    const stream = await signInRaw(node.chatUrl, name, "phone", user.password);
    const password = "another horse";
    expect((await update({ id: String(user.id), password })).user.id).toBe(String(user.id));
    expect(await socket.closed).toEqual({ code: 4401, reason: NO_SESSION });
    expect((await stream.rest()).frames.join("")).toContain("<not-authorized");
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(401);
    const { login } = user;
    const statuses = [user.password, password].map(async (each) => {
      const body = { ...signedParameters(node), user: { login, password: each } };
      return (await rest(node, "POST", "/session", { body })).status;
    });
    expect(await Promise.all(statuses)).toEqual([401, 201]);
  });

  it("follows the rules of the user's own changes", async () => {
    const [user, other] = [await newUser(node), await newUser(node)];
    const guest = await newGuest(node);
    const id = String(user.id);
    const cases: Array<[input: object, fields: string[]]> = [
      [{ id, login: other.login.toUpperCase() }, ["login"]],
      [{ id, login: null }, ["base"]],
      [{ id, login: "a b", fullName: "x".repeat(256) }, ["login", "fullName"]],
      [{ id, password: "short" }, ["password"]],
      [{ id: String(guest.id), password: "another horse" }, ["password"]],
    ];
    for (const [input, fields] of cases) {
      const answer = await update(input);
      expect([answer.code, Object.keys(answer.fields ?? {}).sort()]).toEqual([
        "INVALID",
        fields.sort(),
      ]);
    }
    expect(await update({ id: "9007199254740991", fullName: "x" })).toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describe("ending sessions", () => {
  const END = `mutation ($input: DestroySessionInput) {
    destroySession(input: $input) { destroyed userId } }`;

  it("one: its token and connections end, those of others stay", async () => {
    const user = await newUser(node);
    const other = await signIn(node, user);
    const [ended, kept] = [await openSocket(node, user.token), await openSocket(node, other.token)];
    const end = (sessionId?: number) =>
      run(END, { input: sessionId === undefined ? null : { id: String(sessionId) } });
    expect(await end(user.sessionId)).toEqual({
      destroySession: { destroyed: true, userId: String(user.id) },
    });
    expect(await ended.closed).toEqual({ code: 4401, reason: NO_SESSION });
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(401);
    expect((await kept.run("{currentSession{id}}")).errors).toBeUndefined();
    await kept.close();
    expect(await end(user.sessionId)).toMatchObject({ code: "NOT_FOUND" });
    expect(await end()).toMatchObject({ code: "INVALID" });
  });

  it("another one of the user's own, by the user", async () => {
    const user = await newUser(node);
    const other = await signIn(node, user);
    const stranger = await newUser(node);
    const ended = await openSocket(node, other.token);
    expect(
      await run(END, { input: { id: String(other.sessionId) } }, stranger.token),
    ).toMatchObject({
      code: "NOT_FOUND",
    });
    const app = await applicationToken(node);
    expect(await run(END, { input: { id: String(other.sessionId) } }, app)).toMatchObject({
      code: "FORBIDDEN",
    });
    const destroyed = { destroySession: { destroyed: true, userId: String(user.id) } };
    expect(await run(END, { input: { id: String(other.sessionId) } }, user.token)).toEqual(
      destroyed,
    );
    expect(await ended.closed).toEqual({ code: 4401, reason: NO_SESSION });
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(200);
    expect(await run(END, { input: { id: String(user.sessionId) } }, user.token)).toEqual(
      destroyed,
    );
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(401);
  });

  it("all: every token and connection ends, and the user may sign in again", async () => {
    const user = await newUser(node);
    const other = await signIn(node, user);
    const sockets = [await openSocket(node, user.token), await openSocket(node, other.token)];
    const name = `${user.id}-${node.application.id}`;
    const stream = await signInRaw(node.chatUrl, name, "phone", user.password);
    const end = (id: number) =>
      mutate("endUserSessions", "ApplicationUserInput", "endedCount", {
        applicationId,
        userId: String(id),
      });
    expect(await end(user.id)).toEqual({ endedCount: 2 });
    for (const socket of sockets) expect((await socket.closed).code).toBe(4401);
    expect((await stream.rest()).frames.join("")).toContain("<not-authorized");
    expect(await end(user.id)).toEqual({ endedCount: 0 });
    await signIn(node, user);
    const client = await connectRaw(node.chatUrl);
    for (const frame of [OPEN, auth(name, user.password)]) client.send(frame);
    for (let count = 0; count < 2; count += 1) await client.next();
    expect(await client.next()).toContain("<success");
    client.socket.terminate();
    expect(await end(9_007_199_254_740_991)).toMatchObject({ code: "NOT_FOUND" });
  });
});

test("deletePushSubscription by a member deletes a device of a user of the account", async () => {
  const [user, other] = [await newUser(node), await newUser(node)];
  await addDevice(node, user);
  await addDevice(node, other);
  const rows = await node.sql<{ id: number; user_id: number }>(
    "SELECT id, user_id FROM push_subscriptions WHERE user_id = ANY($1::bigint[]) ORDER BY id",
    [[user.id, other.id]],
  );
  const REMOVE = `mutation ($input: DeletePushSubscriptionInput!) {
    deletePushSubscription(input: $input) { deletedPushSubscriptionId userId } }`;
  const remove = (id = 0, token = owner) => run(REMOVE, { input: { id: String(id) } }, token);
  const [own, theirs] = rows.map(({ id }) => id);
  const stranger = await ownerToken(await secondApplication(node));
  expect(await remove(own, stranger)).toMatchObject({ code: "NOT_FOUND" });
  expect(await remove(own, other.token)).toMatchObject({ code: "NOT_FOUND" });
  expect(await remove(own)).toEqual({
    deletePushSubscription: { deletedPushSubscriptionId: String(own), userId: String(user.id) },
  });
  expect(await remove(own)).toMatchObject({ code: "NOT_FOUND" });
  const left = await node.sql("SELECT id FROM push_subscriptions WHERE id = ANY($1::bigint[])", [
    [own, theirs],
  ]);
  expect(left).toEqual([{ id: theirs }]);
});
