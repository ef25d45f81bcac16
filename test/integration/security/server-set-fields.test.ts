import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { androidDevice } from "../../support/push/push-devices";
import { newUser, rest, signedParameters, signIn, type TestUser } from "../../support/rest-client";
import { userBody } from "../../support/security/permission-routes";
import { ownerToken } from "../../support/sessions/owner";

/**
 * Fields that only the server writes: as input, over any protocol, in any spelling and with any value, they
 * change nothing.
 */

let node: TestNode;
let user: TestUser;
beforeAll(async () => {
  node = await startNode();
  user = await newUser(node);
});
afterAll(() => node.stop());

const WIRE = [
  "id",
  "_id",
  "user_id",
  "application_id",
  "token",
  "password_hash",
  "created_at",
  "updated_at",
  "last_request_at",
  "is_guest",
  "login_key",
  "user_tags",
];
const CAMEL = [
  "databaseId",
  "userId",
  "applicationId",
  "token",
  "passwordHash",
  "createdAt",
  "updatedAt",
  "lastRequestAt",
  "isGuest",
  "loginKey",
  "kind",
];
const VALUES: unknown[] = [1, 0, -1, "", null, true, "2001-01-01T00:00:00Z", [], {}];
let count = 0;

/** An object with all of these fields, each with the same value. */
const all = (names: readonly string[], value: unknown) =>
  Object.fromEntries(names.map((name) => [name, value]));

describe("REST", () => {
  test.each(VALUES)("POST /users ignores each of them as %j", async (value) => {
    const login = `made-${++count}`;
    const forged = { ...all(WIRE, value), ...all(CAMEL, value) };
    const answer = await rest(node, "POST", "/users", {
      token: user.token,
      body: { ...forged, user: { ...forged, login, password: "correct horse" } },
    });
    expect([answer.status, answer.body]).toEqual([
      201,
      { user: userBody({ id: expect.any(Number), login }) },
    ]);
    const { id, created_at } = answer.body.user;
    expect(id).toBeGreaterThan(user.id);
    expect(Date.parse(created_at)).toBeGreaterThan(Date.parse("2020-01-01T00:00:00Z"));
    const session = await signIn(node, { login, password: "correct horse" });
    const again = await rest(node, "GET", `/users/${id}`, { token: session.token });
    expect([again.status, again.body]).toEqual([200, { user: userBody({ id, login }) }]);
  });

  test.each(VALUES)("PUT /users/{id} ignores each of them as %j", async (value) => {
    const before = await rest(node, "GET", `/users/${user.id}`, { token: user.token });
    const forged = { ...all(WIRE, value), ...all(CAMEL, value) };
    const answer = await rest(node, "PUT", `/users/${user.id}`, {
      token: user.token,
      body: { ...forged, user: forged },
    });
    const after = { ...before.body.user, updated_at: expect.any(String) };
    after.last_request_at = answer.body.user.last_request_at;
    expect([answer.status, answer.body]).toEqual([200, { user: after }]);
    expect(Date.parse(answer.body.user.updated_at)).toBeGreaterThan(Date.parse("2020-01-01"));
    expect(answer.body.user.last_request_at ?? "2020").not.toMatch(/^(2001|1970)/);
  });

  test.each(VALUES)("POST /session ignores each of them as %j", async (value) => {
    const forged = {
      ...all(["id", ...WIRE], value),
      expires_at: value,
      sliding: value,
      web: value,
    };
    const body = {
      ...forged,
      ...signedParameters(node),
      session: forged,
      user: { ...forged, login: user.login, password: user.password },
    };
    const { status, body: shown } = await rest(node, "POST", "/session", { body });
    expect([status, shown.session.user_id, shown.session.application_id]).toEqual([
      201,
      user.id,
      node.application.id,
    ]);
    expect(shown.session.token).toMatch(/^[\w-]{43}$/);
    const [row] = await node.sql<{ sliding: boolean; web: boolean; hours: number }>(
      `SELECT sliding, web, extract(epoch FROM expires_at - created_at)::int / 3600 AS hours
        FROM sessions WHERE id = $1`,
      [shown.session.id],
    );
    expect(row).toEqual({ sliding: true, web: false, hours: 2 });
  });
});

describe("REST, of a subscription", () => {
  test.each(VALUES)("POST /subscriptions ignores each of them as %j", async (value) => {
    const forged = { ...all(WIRE, value), ...all(CAMEL, value) };
    const { notification_channel, push_token, device } = androidDevice();
    const answer = await rest(node, "POST", "/subscriptions", {
      token: user.token,
      body: {
        ...forged,
        notification_channel,
        subscription: forged,
        input: forged,
        push_token: { ...forged, ...push_token },
        device: { ...forged, ...device },
      },
    });
    expect(answer.status).toBe(201);
    const { id } = answer.body[0].subscription;
    const [row] = await node.sql(
      `SELECT *, updated_at = created_at AND created_at > now() - interval '1 minute' AS recent
        FROM push_subscriptions WHERE id = $1`,
      [id],
    );
    expect(row).toMatchObject({
      application_id: node.application.id,
      user_id: user.id,
      udid: device.udid,
      token: push_token.client_identification_sequence,
      channel: "gcm",
      recent: true,
    });
  });
});

describe("GraphQL refuses each of them with its name", () => {
  const INPUTS: Array<[mutation: string, input: string, valid: () => object]> = [
    ["createUser", "CreateUserInput", () => ({ login: `g-${++count}`, password: "correct horse" })],
    ["updateUser", "UpdateUserInput", () => ({ id: String(user.id) })],
    ["login", "LoginInput", () => ({ login: user.login, password: user.password })],
    [
      "createPushSubscription",
      "CreatePushSubscriptionInput",
      () => ({ channel: "GCM", environment: "DEVELOPMENT", platform: "IOS", udid: "u" }),
    ],
  ];
  const isPush = (mutation: string) => mutation === "createPushSubscription";
  const cases = INPUTS.flatMap(([mutation, input, valid]) =>
    // A device supplies its own token, and a sign-up may name the application of its session.
    CAMEL.filter(
      (field) =>
        !(isPush(mutation) && field === "token") &&
        !(mutation === "createUser" && field === "applicationId"),
    ).map((field): [string, string, string, () => object] => [mutation, field, input, valid]),
  );

  test.each(cases)("%s with %s", async (mutation, field, input, valid) => {
    const before = await node.sql("SELECT count(*) AS users FROM users");
    const shown = isPush(mutation) ? "subscription" : "user";
    const query = `mutation ($input: ${input}!) { ${mutation}(input: $input) { ${shown} { id } } }`;
    for (const value of [1, 0, "", null]) {
      const { data, errors } = await graphql(
        node,
        query,
        { input: { ...valid(), [field]: value } },
        user.token,
      );
      expect(data ?? null).toBeNull();
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["INVALID"]);
      expect(errors?.[0].message).toContain(`Field "${field}" is not defined by type`);
    }
    expect(await node.sql("SELECT count(*) AS users FROM users")).toEqual(before);
  });
});

describe("GraphQL refuses fields that owners cannot set, with their name", () => {
  const OWNED = [
    "id",
    "databaseId",
    "accountId",
    "accountKey",
    "authKey",
    "authSecret",
    "previousSecret",
    "previousSecretUntil",
    "passwordHash",
    "memberId",
    "role",
    "token",
    "createdAt",
    "updatedAt",
    "settings",
  ];
  const applicationId = () => String(node.application.id);
  const INPUTS: Array<[mutation: string, answer: string, valid: () => object]> = [
    ["createApplication", "application { id }", () => ({ name: "Forged" })],
    ["updateApplication", "application { id }", () => ({ applicationId: applicationId() })],
    ["rotateSecret", "application { id }", () => ({ applicationId: applicationId() })],
    ["deleteApplication", "deletedApplicationId", () => ({ applicationId: applicationId() })],
    [
      "createUser",
      "user { id }",
      () => ({ applicationId: applicationId(), login: "forged", password: "correct horse" }),
    ],
    ["updateAccount", "account { id }", () => ({ name: "Forged" })],
    ["updateCurrentMember", "member { id }", () => ({})],
    ["inviteMember", "invitation { id }", () => ({ email: "forged@example.com", role: "OWNER" })],
  ];

  test.each(INPUTS)("%s", async (mutation, answer, valid) => {
    const token = await ownerToken(node);
    const dump = async () => [
      await node.sql("SELECT * FROM accounts ORDER BY id"),
      await node.sql("SELECT * FROM account_members ORDER BY id"),
      await node.sql("SELECT * FROM applications ORDER BY id"),
    ];
    const before = await dump();
    const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { ${answer} } }`;
    for (const field of OWNED.filter((name) => !(name in valid()))) {
      for (const value of [1, 0, "", null]) {
        const input = { ...valid(), [field]: value };
        const { data, errors } = await graphql(node, query, { input }, token);
        expect([field, data ?? null]).toEqual([field, null]);
        expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["INVALID"]);
        expect(errors?.[0].message).toContain(`Field "${field}" is not defined by type`);
      }
    }
    expect(await dump()).toEqual(before);
  });
});

describe("writable fields grant no access", () => {
  test("facebook_id, twitter_id and phone of another user do not sign in", async () => {
    const thief = await newUser(node);
    const profile = { facebook_id: "fb-1", twitter_id: "tw-1", phone: "+15550100" };
    await rest(node, "PUT", `/users/${user.id}`, { token: user.token, body: { user: profile } });
    const taken = await rest(node, "PUT", `/users/${thief.id}`, {
      token: thief.token,
      body: { user: profile },
    });
    expect(taken.status).toBe(200);
    for (const [field, value] of Object.entries(profile)) {
      const body = { ...signedParameters(node), user: { [field]: value, password: user.password } };
      const answer = await rest(node, "POST", "/session", { body });
      expect(answer.status).toBe(422);
    }
    expect(await node.sql("SELECT * FROM identities")).toEqual([]);
  });

  test("PUT uses the id of the path, not the one in the body", async () => {
    const other = await newUser(node);
    const answer = await rest(node, "PUT", `/users/${other.id}`, {
      token: user.token,
      body: { id: user.id, user: { id: user.id, full_name: "Forged" } },
    });
    expect([answer.status, answer.body]).toEqual([
      403,
      { errors: { base: ["Users can change and delete only their own account"] } },
    ]);
  });
});
