import { startNode, type TestNode } from "../../support/node";
import { applicationToken, newUser, rest, signIn, type TestUser } from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

const NO_SESSION = { errors: { base: ["Required session does not exist"] } };
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The keys of a user (schema/rest/users.graphql). Only guests have is_guest and _id; none has a password. */
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

let node: TestNode;
let other: TestNode;
let token: string;
beforeAll(async () => {
  node = await startNode({}, { passwordCost: undefined });
  other = await secondApplication(node);
  token = await applicationToken(node);
});
afterAll(() => node.stop());

let count = 0;
const fresh = (word = "login") => `${word}-${++count}`;
const signUp = (user: Record<string, unknown>) => {
  const body = { user: { password: "correct horse", ...user } };
  return rest(node, "POST", "/users", { token, body });
};
const update = (user: TestUser, fields: Record<string, unknown>) =>
  rest(node, "PUT", `/users/${user.id}`, { token: user.token, body: { user: fields } });

describe("POST /users", () => {
  const FULL = {
    email: "Full@Example.com",
    external_user_id: "legacy-1",
    external_id: "ext-1",
    facebook_id: "fb-1",
    twitter_id: "tw-1",
    full_name: "Zoë O'Neill 👍",
    phone: "+49 30 1234",
    website: "https://example.com/?a=1&b=2",
    custom_data: '{"a":"\\"<b>\\n"}',
    avatar: "av-1",
    blob_id: 2 ** 53 - 1,
    timezone: -330,
  };

  it("accepts every field and returns exactly the keys of a user", async () => {
    const login = fresh("Full");
    const { status, body, text } = await signUp({ ...FULL, login, tag_list: "a,b" });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(["user"]);
    expect(Object.keys(body.user).sort()).toEqual(USER_KEYS);
    expect(body.user).toEqual({
      ...FULL,
      login,
      user_tags: "a,b",
      id: expect.any(Number),
      created_at: expect.stringMatching(DATE),
      updated_at: expect.stringMatching(DATE),
      last_request_at: null,
    });
    expect(text).not.toMatch(/password|correct horse|argon2/);
  });

  it("returns null for fields that were not given", async () => {
    const login = fresh();
    const { body } = await signUp({ login });
    const given = ["id", "login", "created_at", "updated_at"];
    for (const key of USER_KEYS) {
      if (!given.includes(key)) expect([key, body.user[key]]).toEqual([key, null]);
    }
  });

  it("accepts a form, with numbers as text", async () => {
    const login = fresh();
    const body = new URLSearchParams([
      ["user[login]", login],
      ["user[password]", "correct horse"],
      ["user[timezone]", "120"],
      ["user[blob_id]", "12"],
      ["user[tag_list][]", "x"],
      ["user[tag_list][]", "y"],
      ["user[full_name]", "A & B=C"],
    ]);
    const answer = await rest(node, "POST", "/users.json", { token, body });
    expect([answer.status, answer.body.user]).toEqual([
      201,
      expect.objectContaining({ login, timezone: 120, blob_id: 12, user_tags: "x,y" }),
    ]);
    expect(answer.body.user.full_name).toBe("A & B=C");
  });

  it("requires only a login or an e-mail", async () => {
    expect((await signUp({ email: `${fresh()}@example.com` })).status).toBe(201);
    expect((await signUp({ login: fresh() })).status).toBe(201);
    const nameless = await signUp({ full_name: "Nobody" });
    expect([nameless.status, nameless.body]).toEqual([
      422,
      { errors: { base: ["login or email is required"] } },
    ]);
    const empty = await signUp({ login: null, email: null });
    expect([empty.status, Object.keys(empty.body.errors)]).toEqual([422, ["base"]]);
  });

  it.each([
    ["a,b , c", "a,b,c"],
    [["a", "b"], "a,b"],
    [["a,b", "c"], "a,b,c"],
    ["", null],
    [[], null],
    [null, null],
    ["a,a,,a", "a"],
    ["Team,team", "Team,team"],
    [["a", "b", "c", "d", "e"], "a,b,c,d,e"],
  ])("accepts tags as text or as a list: %j", async (tag_list, shown) => {
    const { status, body } = await signUp({ login: fresh(), tag_list });
    expect([status, body.user.user_tags]).toEqual([201, shown]);
  });

  const wrong: Array<[field: string, value: unknown, text: RegExp]> = [
    ["login", "with space", /1 to 70/],
    ["login", "x".repeat(71), /1 to 70/],
    ["login", "", /1 to 70/],
    ["login", "ünicode", /1 to 70/],
    ["login", { $ne: "" }, /must be text/],
    ["login", ["a", "b"], /must be text/],
    ["email", "nobody", /e-mail/],
    ["email", "a b@example.com", /e-mail/],
    ["email", `${"x".repeat(250)}@b.example`, /too long \(maximum is 255 characters\)/],
    ["password", "short", /too short \(minimum is 8 characters\)/],
    ["password", "x".repeat(256), /too long/],
    ["password", null, /is required/],
    ["password", {}, /must be text/],
    ["external_user_id", "x".repeat(256), /too long/],
    ["external_id", "x".repeat(256), /too long/],
    ["facebook_id", "x".repeat(256), /too long/],
    ["twitter_id", "x".repeat(256), /too long/],
    ["full_name", "x".repeat(256), /too long/],
    ["full_name", "a\0b", /NUL/],
    ["full_name", {}, /must be text/],
    ["phone", "x".repeat(256), /too long/],
    ["website", "x".repeat(256), /too long/],
    ["avatar", "x".repeat(256), /too long/],
    ["custom_data", "x".repeat(5_001), /too long \(maximum is 5000 characters\)/],
    ["timezone", 841, /from -720 to 840/],
    ["timezone", -721, /from -720 to 840/],
    ["timezone", "noon", /whole number/],
    ["timezone", 1.5, /whole number/],
    ["blob_id", "x", /whole number/],
    ["blob_id", 2 ** 53, /whole number/],
    ["tag_list", "a,b,c,d,e,f", /too many \(maximum is 5\)/],
    ["tag_list", ["a", "b", "c", "d", "e", "f"], /too many/],
    ["tag_list", "x".repeat(256), /too long/],
    ["tag_list", { a: 1 }, /list/],
  ];
  it.each(wrong)("refuses %s = %j with its wire name", async (field, value, text) => {
    const { status, body } = await signUp({ login: fresh(), [field]: value });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect(body.errors[field][0]).toMatch(text);
  });

  it("reports all invalid fields at once", async () => {
    const { status, body } = await signUp({
      login: "a b",
      email: "nobody",
      full_name: "x".repeat(256),
      tag_list: "1,2,3,4,5,6",
    });
    expect([status, Object.keys(body.errors).sort()]).toEqual([
      422,
      ["email", "full_name", "login", "tag_list"],
    ]);
  });

  it.each([
    "login",
    "email",
    "external_id",
    "external_user_id",
  ])("refuses a taken %s", async (field) => {
    const value = field === "email" ? `${fresh()}@Example.com` : fresh("Taken");
    const name = field === "login" ? {} : { login: fresh() };
    expect((await signUp({ ...name, [field]: value })).status).toBe(201);
    const folds = field === "login" || field === "email";
    for (const again of folds ? [value, value.toUpperCase(), value.toLowerCase()] : [value]) {
      const { status, body } = await signUp({
        ...(field === "login" ? {} : { login: fresh() }),
        [field]: again,
      });
      expect([status, body]).toEqual([422, { errors: { [field]: ["has already been taken"] } }]);
    }
  });

  it("allows the same names in another application", async () => {
    const user = { login: fresh(), email: `${fresh()}@example.com`, external_id: fresh() };
    expect((await signUp(user)).status).toBe(201);
    const body = { user: { ...user, password: "correct horse" } };
    const elsewhere = { token: await applicationToken(other), body };
    expect((await rest(other, "POST", "/users", elsewhere)).status).toBe(201);
  });

  it("accepts one of two concurrent sign-ups with the same login", async () => {
    for (let round = 0; round < 3; round++) {
      const login = fresh("race");
      const answers = await Promise.all(
        [login, login.toUpperCase()].map((each) => signUp({ login: each })),
      );
      const won = answers.filter(({ status }) => status === 201);
      const lost = answers.filter(({ status }) => status === 422);
      expect([won.length, lost.length]).toEqual([1, 1]);
      expect(lost[0]?.body).toEqual({ errors: { login: ["has already been taken"] } });
      const rows = await node.sql("SELECT id FROM users WHERE login_key = $1", [login]);
      expect(rows).toHaveLength(1);
    }
  });

  it("requires a session", async () => {
    const body = { user: { login: fresh(), password: "correct horse" } };
    const answer = await rest(node, "POST", "/users", { body });
    expect([answer.status, answer.body]).toEqual([401, NO_SESSION]);
  });

  it("stores the password as argon2id with 19 MiB and two passes", async () => {
    const { body } = await signUp({ login: fresh() });
    const [row] = await node.sql<{ password_hash: string }>(
      "SELECT password_hash FROM users WHERE id = $1",
      [body.user.id],
    );
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

describe("GET /users/{id}", () => {
  it("returns any user of the application, with exactly the keys of a user", async () => {
    const [reader, read] = [await newUser(node), await newUser(node, { email: `${fresh()}@b.c` })];
    for (const path of [`/users/${read.id}`, `/users/${read.id}.json`, `/users/${read.id}?`]) {
      const { status, body } = await rest(node, "GET", path, { token: reader.token });
      expect([status, Object.keys(body), Object.keys(body.user).sort()]).toEqual([
        200,
        ["user"],
        USER_KEYS,
      ]);
      expect(body.user).toMatchObject({ id: read.id, login: read.login });
    }
  });

  it.each([
    "0",
    "-1",
    "999999",
    "abc",
    "1e3",
    "01",
    "9007199254740993",
    "1 OR 1=1",
    "%00",
    "..%2f1",
  ])("does not find the id %s", async (id) => {
    const reader = await newUser(node);
    const path = `/users/${encodeURIComponent(decodeURIComponent(id))}`;
    const { status, body } = await rest(node, "GET", path, { token: reader.token });
    // NUL is refused before the look-up.
    expect([status, Object.keys(body.errors)]).toEqual(
      id === "%00" ? [422, ["id"]] : [404, ["base"]],
    );
  });

  it("finds no user of another application", async () => {
    const reader = await newUser(node);
    const foreign = await newUser(other);
    const { status, body } = await rest(node, "GET", `/users/${foreign.id}`, {
      token: reader.token,
    });
    expect([status, body]).toEqual([404, { errors: { base: ["Not found"] } }]);
  });
});

describe("PUT /users/{id}", () => {
  it("changes given fields, clears null fields, and keeps absent fields", async () => {
    const user = await newUser(node, {
      full_name: "Before",
      phone: "1",
      website: "w",
      tag_list: "a,b",
      timezone: 60,
    });
    const changed = await update(user, { full_name: "After", phone: null, timezone: 0 });
    expect([changed.status, changed.body.user]).toEqual([
      200,
      expect.objectContaining({ full_name: "After", phone: null, website: "w", timezone: 0 }),
    ]);
    expect(changed.body.user.user_tags).toBe("a,b");
    expect(Object.keys(changed.body.user).sort()).toEqual(USER_KEYS);
    const read = await rest(node, "GET", `/users/${user.id}`, { token: user.token });
    expect(read.body.user).toEqual({
      ...changed.body.user,
      last_request_at: read.body.user.last_request_at,
    });
    expect((await update(user, { tag_list: "c" })).body.user.user_tags).toBe("c");
    expect((await update(user, { tag_list: null })).body.user.user_tags).toBeNull();
    expect((await update(user, { tag_list: "" })).body.user.user_tags).toBeNull();
  });

  it("changes every writable field", async () => {
    const user = await newUser(node);
    const fields = {
      login: fresh("New"),
      email: `${fresh()}@example.com`,
      external_user_id: fresh(),
      external_id: fresh(),
      facebook_id: "f",
      twitter_id: "t",
      full_name: "n",
      phone: "p",
      website: "w",
      custom_data: "c",
      avatar: "a",
      blob_id: 7,
      timezone: 840,
    };
    const { status, body } = await update(user, { ...fields, tag_list: ["x", "y"] });
    expect([status, body.user]).toEqual([
      200,
      expect.objectContaining({ ...fields, user_tags: "x,y" }),
    ]);
  });

  it("accepts a form, .json and numbers as text", async () => {
    const user = await newUser(node);
    const body = new URLSearchParams({ "user[timezone]": "-60", "user[full_name]": "Form" });
    const path = `/users/${user.id}.json`;
    const answer = await rest(node, "PUT", path, { token: user.token, body });
    expect([answer.status, answer.body.user.timezone, answer.body.user.full_name]).toEqual([
      200,
      -60,
      "Form",
    ]);
  });

  it("without fields changes nothing", async () => {
    const user = await newUser(node, { full_name: "Same" });
    const answer = await rest(node, "PUT", `/users/${user.id}`, { token: user.token });
    expect([answer.status, answer.body.user.full_name]).toEqual([200, "Same"]);
  });

  it.each([
    ["login", "a b", /1 to 70/],
    ["email", "x", /e-mail/],
    ["full_name", "x".repeat(256), /too long/],
    ["custom_data", "x".repeat(5_001), /too long/],
    ["tag_list", "1,2,3,4,5,6", /too many/],
    ["timezone", 9_999, /from -720/],
    ["blob_id", "x", /whole number/],
  ])("refuses %s = %j with its name, and changes nothing", async (field, value, text) => {
    const user = await newUser(node, { full_name: "Before" });
    const { status, body } = await update(user, { website: "changed", [field]: value });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect(body.errors[field][0]).toMatch(text);
    const read = await rest(node, "GET", `/users/${user.id}`, { token: user.token });
    expect(read.body.user).toMatchObject({ full_name: "Before", website: null });
  });

  it("refuses a taken name, but not the user's own in another case", async () => {
    const [user, owner] = [await newUser(node), await newUser(node)];
    const { status, body } = await update(user, { login: owner.login.toUpperCase() });
    expect([status, body]).toEqual([422, { errors: { login: ["has already been taken"] } }]);
    const own = await update(user, { login: user.login.toUpperCase() });
    expect([own.status, own.body.user.login]).toEqual([200, user.login.toUpperCase()]);
  });

  it("does not clear both login and e-mail", async () => {
    const user = await newUser(node);
    const { status, body } = await update(user, { login: null });
    expect([status, body]).toEqual([422, { errors: { base: ["login or email is required"] } }]);
    expect((await update(user, { login: null, email: `${fresh()}@b.example` })).status).toBe(200);
  });

  it("keeps at most five tags under concurrent changes", async () => {
    const user = await newUser(node);
    const lists = Array.from({ length: 50 }, (_none, change) =>
      Array.from({ length: 5 }, (_nothing, tag) => `t${change}-${tag}`).join(","),
    );
    const answers = await Promise.all(lists.map((tag_list) => update(user, { tag_list })));
    expect(answers.map(({ status }) => status)).toEqual(lists.map(() => 200));
    const read = await rest(node, "GET", `/users/${user.id}`, { token: user.token });
    // The tags of one change, not of several.
    expect(lists).toContain(read.body.user.user_tags);
  });

  it("is allowed only for the calling user", async () => {
    const [user, victim, foreign] = [
      await newUser(node),
      await newUser(node),
      await newUser(other),
    ];
    const body = { user: { full_name: "Taken over" } };
    for (const [id, status] of [
      [victim.id, 403],
      [foreign.id, 404],
      [999_999, 404],
      ["abc", 404],
    ]) {
      const answer = await rest(node, "PUT", `/users/${id}`, { token: user.token, body });
      expect([id, answer.status]).toEqual([id, status]);
    }
    const read = await rest(node, "GET", `/users/${victim.id}`, { token: user.token });
    expect(read.body.user.full_name).toBeNull();
  });
});

describe("a new password", () => {
  it.each([
    ["no old password", {}, /is required for a new password/],
    ["an empty old password", { old_password: "" }, /is required for a new password/],
    ["a wrong old password", { old_password: "wrong horse" }, /is wrong/],
  ])("is refused with %s", async (_what, fields, text) => {
    const user = await newUser(node);
    const { status, body } = await update(user, { password: "new password", ...fields });
    expect([status, Object.keys(body.errors)]).toEqual([422, ["old_password"]]);
    expect(body.errors.old_password[0]).toMatch(text);
    expect((await signIn(node, user)).token).toBeTruthy();
  });

  it("is refused when it is too short", async () => {
    const user = await newUser(node);
    const fields = { password: "short", old_password: user.password };
    const { status, body } = await update(user, fields);
    expect([status, Object.keys(body.errors)]).toEqual([422, ["password"]]);
  });

  it("applies at once, and ends only the user's other sessions", async () => {
    const [user, bystander] = [await newUser(node), await newUser(node)];
    const others = [await signIn(node, user), await signIn(node, user)];
    const fields = { password: "new password", old_password: user.password };
    expect((await update(user, fields)).status).toBe(200);
    for (const { token: gone } of others) {
      const answer = await rest(node, "GET", "/session", { token: gone });
      expect([answer.status, answer.body]).toEqual([401, NO_SESSION]);
    }
    for (const { token: kept } of [user, bystander]) {
      expect((await rest(node, "GET", "/session", { token: kept })).status).toBe(200);
    }
    await expect(signIn(node, user)).rejects.toThrow(/401|Unauthorized/);
    expect((await signIn(node, { ...user, password: "new password" })).token).toBeTruthy();
    const rows = await node.sql("SELECT id FROM sessions WHERE user_id = $1", [user.id]);
    expect(rows).toHaveLength(2);
  });

  it("is ignored if null, and the old one alone changes nothing", async () => {
    const user = await newUser(node);
    const kept = await signIn(node, user);
    expect((await update(user, { password: null })).status).toBe(200);
    expect((await update(user, { old_password: "whatever" })).status).toBe(200);
    expect((await rest(node, "GET", "/session", { token: kept.token })).status).toBe(200);
  });
});

describe("DELETE /users/{id}", () => {
  it("deletes the user's rows in all tables", async () => {
    const words = ["vanished.login", "vanished@example.com", "vanished-external", "Vanished Name"];
    const user = await newUser(node, {
      login: words[0],
      email: words[1],
      external_id: words[2],
      full_name: words[3],
      tag_list: "vanished-tag",
      custom_data: "vanished-data",
    });
    const second = await signIn(node, user);
    const bystander = await newUser(node);
    await node.sql(
      `INSERT INTO identities (application_id, user_id, provider, subject)
        VALUES ($1, $2, 'facebook', 'subject')`,
      [node.application.id, user.id],
    );
    await node.sql(
      `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
        token, updated_at) VALUES ($1, $2, 'apns', 'development', 'ios', 'udid', 'token', now())`,
      [node.application.id, user.id],
    );
    await node.sql(
      `INSERT INTO push_events (application_id, user_id, channel, environment, message, selector,
        updated_at) VALUES ($1, $2, 'apns', 'development', 'vanished-message', '{}', now())`,
      [node.application.id, user.id],
    );
    await node.sql(
      `INSERT INTO push_deliveries (event_id, subscription_id, reason, updated_at)
        SELECT e.id, s.id, 'vanished-reason', now() FROM push_events e, push_subscriptions s
        WHERE e.user_id = $1 AND s.user_id = $1`,
      [user.id],
    );
    await node.sql(
      `INSERT INTO password_resets (user_id, token_hash, expires_at) VALUES ($1, '\\x01', now())`,
      [user.id],
    );
    const [call] = await node.sql<{ id: number }>(
      "INSERT INTO calls (application_id, session_id, caller_id) VALUES ($1, 's', $2) RETURNING id",
      [node.application.id, user.id],
    );
    await node.sql(
      `INSERT INTO call_participants (call_id, user_id, session_id, rang_at)
        SELECT $1, unnest($2::bigint[]), 's', now()`,
      [call?.id, [user.id, bystander.id]],
    );

    const answer = await rest(node, "DELETE", `/users/${user.id}`, { token: user.token });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    for (const dead of [user.token, second.token]) {
      const after = await rest(node, "GET", "/session", { token: dead });
      expect([after.status, after.body]).toEqual([401, NO_SESSION]);
    }
    // All columns that refer to a user by name or by a foreign key, in all tables.
    const columns = await node.sql<{ name: string; column: string }>(
      `SELECT table_name::text AS name, column_name::text AS column FROM information_schema.columns
        WHERE table_schema = 'public' AND (column_name ~ 'user_id$' OR column_name = 'caller_id')
          AND data_type = 'bigint'
        UNION SELECT conrelid::regclass::text, attname::text FROM pg_constraint, pg_attribute
        WHERE contype = 'f' AND confrelid = 'users'::regclass AND attrelid = conrelid
          AND attnum = ANY(conkey)
        UNION SELECT 'users', 'id'`,
    );
    expect([...new Set(columns.map(({ name }) => name))].sort()).toEqual(
      expect.arrayContaining([
        "call_participants",
        "calls",
        "identities",
        "password_resets",
        "push_events",
        "push_subscriptions",
        "sessions",
        "user_tags",
        "users",
      ]),
    );
    for (const { name, column } of columns) {
      const rows = await node.sql(`SELECT 1 AS one FROM ${name} WHERE ${column} = $1`, [user.id]);
      expect([name, column, rows.length]).toEqual([name, column, 0]);
    }
    const texts = await node.sql<{ name: string; column: string }>(
      `SELECT table_name::text AS name, column_name::text AS column FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type IN ('text', 'character varying', 'json', 'jsonb',
          'ARRAY')`,
    );
    expect(texts.length).toBeGreaterThan(30);
    for (const { name, column } of texts) {
      const rows = await node.sql(
        `SELECT 1 AS one FROM ${name} WHERE ${column}::text ~* 'vanished[.@ -]'`,
      );
      expect([name, column, rows.length]).toEqual([name, column, 0]);
    }
    expect(await node.sql("SELECT 1 AS one FROM calls WHERE id = $1", [call?.id])).toHaveLength(1);
    const reading = await rest(node, "GET", `/users/${user.id}`, { token: bystander.token });
    expect(reading.status).toBe(404);
    await expect(signIn(node, user)).rejects.toThrow(/Unauthorized/);
    expect((await signUp({ login: user.login })).status).toBe(201);
  });

  it("is allowed only for the calling user", async () => {
    const [user, victim, foreign] = [
      await newUser(node),
      await newUser(node),
      await newUser(other),
    ];
    for (const [id, status] of [
      [victim.id, 403],
      [foreign.id, 404],
      [999_999, 404],
      ["x", 404],
    ]) {
      const answer = await rest(node, "DELETE", `/users/${id}`, { token: user.token });
      expect([id, answer.status]).toEqual([id, status]);
    }
    expect((await rest(node, "GET", "/session", { token: victim.token })).status).toBe(200);
    expect((await rest(other, "GET", "/session", { token: foreign.token })).status).toBe(200);
  });

  it("accepts .json too", async () => {
    const user = await newUser(node);
    const answer = await rest(node, "DELETE", `/users/${user.id}.json`, { token: user.token });
    expect(answer.status).toBe(200);
  });
});
