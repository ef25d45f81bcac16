import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signedParameters } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";
import { facebookToken, startFacebook } from "../../support/sessions/providers";
import { secondApplication } from "../../support/sessions/second-application";

const FIELDS = `id name authKey authSecret previousSecretValidUntil v1ListDisabled signUpOpen
  pushSenders answeredElsewhere webOrigins accountKey facebook { appId appSecretSet baseUrl version }
  twitter { consumerKey consumerSecretSet baseUrl } firebase { projectId keysUrl }`;
const payload = (name: string, input: string) =>
  `mutation ($input: ${input}!) { ${name}(input: $input) { application { ${FIELDS} } } }`;
const CREATE = payload("createApplication", "CreateApplicationInput");
const UPDATE = payload("updateApplication", "UpdateApplicationInput");
const ROTATE = payload("rotateSecret", "RotateSecretInput");
const READ = `query ($id: ID!) { application(id: $id) { ${FIELDS} } }`;

const clock = new MovingClock();
let node: TestNode;
let elsewhere: TestNode;
let owner: string;
beforeAll(async () => {
  node = await startNode({ ALLOW_PRIVATE_NETWORKS: "true" }, { clock, jobsPollMs: 200 });
  elsewhere = await secondApplication(node);
  owner = await ownerToken(node);
});
afterAll(() => node.stop());

const run = async (document: string, variables: object, token = owner) =>
  graphql(node, document, { ...variables }, token);

async function created(name = "Another") {
  const { data, errors } = await run(CREATE, { input: { name } });
  expect(errors).toBeUndefined();
  return data.createApplication.application;
}

const asNode = (application: { id: string; authKey: string; authSecret: string }): TestNode => ({
  ...node,
  application: { ...application, id: Number(application.id), accountKey: "" },
});

describe("createApplication", () => {
  it("creates an application that users can sign up to immediately", async () => {
    const application = await created("Shop");
    expect(application).toEqual({
      id: expect.any(String),
      name: "Shop",
      authKey: expect.stringMatching(/^[\w-]{16}$/),
      authSecret: expect.stringMatching(/^[\w-]{43}$/),
      previousSecretValidUntil: null,
      v1ListDisabled: true,
      signUpOpen: true,
      pushSenders: "USERS",
      answeredElsewhere: false,
      webOrigins: [],
      accountKey: node.application.accountKey,
      facebook: null,
      twitter: null,
      firebase: null,
    });
    expect((await newUser(asNode(application))).id).toEqual(expect.any(Number));
    const { data } = await run("{ account { applications { id } } }", {});
    expect(data.account.applications).toContainEqual({ id: application.id });
    const [row] = await node.sql<{ auth_secret: string }>(
      "SELECT auth_secret FROM applications WHERE id = $1",
      [application.id],
    );
    expect(row?.auth_secret).toMatch(/^sealed:/);
  });
});

describe("an account's applications", () => {
  it("are limited to a thousand, also under concurrent requests", async () => {
    const [account] = await node.sql<{ id: number }>(
      "INSERT INTO accounts (name, account_key, updated_at) VALUES ('full', 'full', now()) RETURNING id",
    );
    const [first] = await node.sql<{ id: number }>(
      `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
        SELECT $1, 'n' || n, 'k', 's', '{}', now() FROM generate_series(1, 998) n RETURNING id`,
      [account?.id],
    );
    const token = await ownerToken({
      ...node,
      application: { ...node.application, id: first!.id },
    });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => run(CREATE, { input: { name: "One more" } }, token)),
    );
    const refused = answers.flatMap(({ errors }) => errors ?? []);
    expect(refused.map(({ message, extensions }) => [extensions.code, message])).toEqual(
      Array(8).fill(["INVALID", "An account has at most 1000 applications"]),
    );
    const { data } = await run("{ account { applications { id } } }", {}, token);
    expect(data.account.applications).toHaveLength(1_000);
  });
});

describe("updateApplication", () => {
  it("writes secrets that are never returned, and keeps omitted fields", async () => {
    const { id } = await created();
    const change = async (input: object) =>
      (await run(UPDATE, { input: { applicationId: id, ...input } })).data.updateApplication
        .application;
    const facebook = { appId: "1", appSecret: "very secret", version: "v19.0" };
    const shown = { appId: "1", appSecretSet: true, baseUrl: null, version: "v19.0" };
    await node.sql('UPDATE applications SET settings = \'{"push":{"a_b":1}}\' WHERE id = $1', [id]);
    expect(await change({ facebook, firebase: { projectId: "p" } })).toMatchObject({
      facebook: shown,
      firebase: { projectId: "p", keysUrl: null },
    });
    expect(await change({ facebook: { appId: "2" }, name: "New" })).toMatchObject({
      name: "New",
      facebook: { ...shown, appId: "2" },
    });
    const settings = async () =>
      (
        await node.sql<{ settings: object }>("SELECT settings FROM applications WHERE id = $1", [
          id,
        ])
      )[0]?.settings;
    expect(await settings()).toMatchObject({ push: { a_b: 1 } });
    expect(JSON.stringify(await settings())).not.toContain("very secret");
    expect(await change({ facebook: null, signUpOpen: false })).toMatchObject({
      facebook: null,
      firebase: { projectId: "p" },
      signUpOpen: false,
    });
    // The input that results from omitting all of its variables.
    const nothing = { facebook: {}, twitter: {}, firebase: {} };
    expect(await change(nothing)).toMatchObject({ facebook: null, firebase: { projectId: "p" } });
  });

  it("keeps a stored secret from a new URL, unless the change has the secret", async () => {
    const { id } = await created();
    const change = (input: object) => run(UPDATE, { input: { applicationId: id, ...input } });
    const first = "http://127.0.0.1:1";
    const other = "http://127.0.0.1:2";
    const facebook = { appId: "1", appSecret: "s", version: "v19.0" };
    const twitter = { consumerKey: "k", consumerSecret: "s", baseUrl: first };
    expect((await change({ facebook, twitter })).errors).toBeUndefined();
    for (const [input, field, text] of [
      [{ facebook: { baseUrl: other } }, "facebook.appSecret", "baseUrl"],
      [{ facebook: { version: "v20.0" } }, "facebook.appSecret", "version"],
      [{ twitter: { baseUrl: other } }, "twitter.consumerSecret", "baseUrl"],
      [
        { twitter: { ...twitter, consumerSecret: undefined, baseUrl: other } },
        "twitter.consumerSecret",
        "baseUrl",
      ],
    ] as const) {
      const { errors } = await change(input);
      expect(errors?.[0].extensions).toEqual({
        code: "INVALID",
        fields: { [field]: [`is required with a new ${text}`] },
      });
    }
    const shown = (await run(READ, { id })).data.application;
    expect([shown.facebook.version, shown.twitter.baseUrl]).toEqual(["v19.0", first]);
    const same = { twitter: { baseUrl: first, consumerKey: "k2" }, facebook: { version: null } };
    expect((await change(same)).errors).toBeUndefined();
    expect((await change({ twitter: { ...twitter, baseUrl: other } })).errors).toBeUndefined();
    const own = await change({ twitter: { baseUrl: null } });
    expect(own.data.updateApplication.application.twitter.baseUrl).toBeNull();
  });

  it("sets whether chat clients are notified of an answer on another device", async () => {
    const { id } = await created();
    const change = async (input: object) => {
      const { data } = await run(UPDATE, { input: { applicationId: id, ...input } });
      return data.updateApplication.application.answeredElsewhere;
    };
    expect(await change({ answeredElsewhere: true })).toBe(true);
    expect(await change({ answeredElsewhere: null, name: "Renamed" })).toBe(true);
    expect((await run(READ, { id })).data.application.answeredElsewhere).toBe(true);
    expect(await change({ answeredElsewhere: false })).toBe(false);
  });

  it("sets who may send push notifications", async () => {
    const { id } = await created();
    const change = async (input: object) => {
      const { data } = await run(UPDATE, { input: { applicationId: id, ...input } });
      return data.updateApplication.application.pushSenders;
    };
    expect(await change({ pushSenders: "MEMBERS" })).toBe("MEMBERS");
    // Omitted and null fields stay unchanged.
    expect(await change({ name: "Renamed" })).toBe("MEMBERS");
    expect(await change({ pushSenders: null })).toBe("MEMBERS");
    expect(await change({ pushSenders: "NOBODY" })).toBe("NOBODY");
    expect((await run(READ, { id })).data.application.pushSenders).toBe("NOBODY");
    const rows = "SELECT push_senders FROM applications WHERE id = $1";
    expect(await node.sql(rows, [id])).toEqual([{ push_senders: "nobody" }]);
    expect(await change({ pushSenders: "USERS" })).toBe("USERS");
    const wrong = await run(UPDATE, { input: { applicationId: id, pushSenders: "EVERYBODY" } });
    expect(wrong.errors?.[0].extensions.code).toBe("INVALID");
  });

  it.each([
    ["webOrigins", { webOrigins: ["https://app.example/path"] }],
    ["webOrigins", { webOrigins: ["app.example"] }],
    ["webOrigins", { webOrigins: ["javascript:alert(1)"] }],
    ["facebook.appSecret", { facebook: { appId: "1" } }],
    ["facebook.baseUrl", { facebook: { appId: "1", appSecret: "s", baseUrl: "file:///x" } }],
    ["firebase.keysUrl", { firebase: { projectId: "1", keysUrl: "nowhere" } }],
    ["name", { name: "" }],
  ])("refuses an invalid %s: %j", async (field, input) => {
    const applicationId = String(node.application.id);
    const { errors } = await run(UPDATE, { input: { applicationId, ...input } });
    expect(errors?.[0].extensions.code).toBe("INVALID");
    expect(Object.keys(errors?.[0].extensions.fields ?? {})).toEqual([field]);
  });
});

describe("settings apply from the next request", () => {
  it("sign-up, of users and of guests", async () => {
    const place = asNode(await created());
    const { token } = await newUser(place);
    const attempts = async () => {
      const body = { user: { login: `late-${++late}`, password: "correct horse" } };
      const guest = { ...signedParameters(place, clock.now()), user: { guest: 1 } };
      const query = "mutation ($i: CreateUserInput!) { createUser(input: $i) { user { login } } }";
      const i = { login: `late-${++late}`, password: "correct horse" };
      const { errors } = await graphql(node, query, { i }, token);
      return [
        (await rest(place, "POST", "/users", { token, body })).status,
        (await rest(place, "POST", "/session", { body: guest })).status,
        errors?.[0].extensions.code ?? "OK",
      ];
    };
    let late = 0;
    const set = (signUpOpen: boolean) =>
      run(UPDATE, { input: { applicationId: String(place.application.id), signUpOpen } });
    expect(await attempts()).toEqual([201, 201, "OK"]);
    await set(false);
    expect(await attempts()).toEqual([403, 403, "FORBIDDEN"]);
    // Existing users continue to work.
    expect((await rest(place, "GET", "/session", { token })).status).toBe(200);
    await set(true);
    expect(await attempts()).toEqual([201, 201, "OK"]);
  });

  it("the V1 list, which is disabled by default", async () => {
    const place = asNode(await created());
    const { token } = await newUser(place);
    const list = async () => (await rest(place, "GET", "/users", { token })).status;
    const set = (v1ListDisabled: boolean) =>
      run(UPDATE, { input: { applicationId: String(place.application.id), v1ListDisabled } });
    expect(await list()).toBe(403);
    await set(false);
    expect(await list()).toBe(200);
    await set(true);
    expect(await list()).toBe(403);
  });

  it("providers: requested at the owner's URL, with the owner's secret", async () => {
    const app = { appId: "77", appSecret: "owner's secret" };
    const facebookServer = await startFacebook(app);
    facebookServer.tokens.set("EAAB-5", facebookToken(app.appId, { id: "5" }));
    try {
      const place = asNode(await created());
      const applicationId = String(place.application.id);
      const attempt = async () => {
        const body = { provider: "facebook", keys: { token: "EAAB-5" } };
        const answer = await rest(place, "POST", "/session", {
          body: { ...signedParameters(place, clock.now()), ...body },
        });
        return answer.status;
      };
      expect(await attempt()).toBe(422);
      const facebook = { ...app, baseUrl: facebookServer.baseUrl, version: "v19.0" };
      const { errors } = await run(UPDATE, { input: { applicationId, facebook } });
      expect(errors).toBeUndefined();
      expect(await attempt()).toBe(201);
      expect([facebookServer.asked.length, facebookServer.complaints]).toEqual([2, []]);
      await run(UPDATE, { input: { applicationId, facebook: null } });
      expect(await attempt()).toBe(422);
    } finally {
      await facebookServer.close();
    }
  });
});

describe("rotateSecret", () => {
  it("keeps the old secret valid only during the overlap", async () => {
    const before = await created();
    const input = { applicationId: before.id, overlapSeconds: 60 };
    const after = (await run(ROTATE, { input })).data.rotateSecret.application;
    expect(after.authSecret).not.toBe(before.authSecret);
    expect(after.previousSecretValidUntil).toMatch(/Z$/);
    const sign = async (application: typeof before) =>
      (
        await rest(node, "POST", "/session", {
          body: signedParameters(asNode(application), clock.now()),
        })
      ).status;
    expect([await sign(before), await sign(after)]).toEqual([201, 201]);
    clock.advance(MINUTE);
    expect([await sign(before), await sign(after)]).toEqual([422, 201]);
    const shown = await run(READ, { id: before.id });
    expect(shown.data.application.previousSecretValidUntil).toBeNull();
  });

  it.each([-1, 30 * 24 * 3600 + 1])("refuses an overlap of %i seconds", async (overlapSeconds) => {
    const applicationId = String(node.application.id);
    const { errors } = await run(ROTATE, { input: { applicationId, overlapSeconds } });
    expect(Object.keys(errors?.[0].extensions.fields)).toEqual(["overlapSeconds"]);
  });
});

describe("the lists of an application", () => {
  const LIST = `query ($id: ID!, $search: String, $after: String) { application(id: $id) {
    users(search: $search, first: 2, after: $after) { totalCount nodes { login } pageInfo { endCursor } }
    sessions(first: 1) { totalCount nodes { id userId ip userAgent lastActivityAt expiresAt } } } }`;

  it("pages through users by a prefix of login or e-mail, and through sessions", async () => {
    const place = asNode(await created());
    for (const login of ["Anna", "ann.", "ben"]) await newUser(place, { login });
    await newUser(place, { login: "zoe", email: "ann@mail.example" });
    const id = String(place.application.id);
    const { data } = await run(LIST, { id, search: "ANN" });
    expect(data.application.users).toMatchObject({
      totalCount: 3,
      nodes: [{ login: "ann." }, { login: "Anna" }],
    });
    const after = data.application.users.pageInfo.endCursor;
    const next = await run(LIST, { id, search: "ann", after });
    expect(next.data.application.users.nodes).toEqual([{ login: "zoe" }]);
    expect((await run(LIST, { id, search: "ann." })).data.application.users.totalCount).toBe(1);
    expect(data.application.sessions).toEqual({
      totalCount: 8,
      nodes: [
        {
          id: expect.any(String),
          userId: expect.stringMatching(/^\d+$/),
          ip: "127.0.0.1",
          userAgent: expect.any(String),
          lastActivityAt: expect.stringMatching(/Z$/),
          expiresAt: expect.stringMatching(/Z$/),
        },
      ],
    });
  });

  it.each([
    "activity { sessions { count } }",
    "calls { nodes { id } }",
    "conferences { nodes { id } }",
    "pushCredentials(environment: DEVELOPMENT) { apns { bundleId } }",
    'pushDeliveries(userId: "1") { nodes { id } }',
    "pushEvents { nodes { id } }",
    "pushRecipientCount(recipients: { environment: DEVELOPMENT }) { __typename }",
    'pushSubscriptions(userId: "1") { totalCount }',
    "sessions(first: 1) { nodes { id } }",
    "statistics(period: DAY) { totals { requests } }",
    "users { totalCount }",
  ])("are read for one application at a time, to prevent N+1 queries: %s", async (selection) => {
    const { data, errors } = await run(`{ account { applications { id ${selection} } } }`, {});
    const [field] = selection.split(/\W/);
    expect([data ?? null, errors?.[0].extensions.code, errors?.[0].message]).toEqual([
      null,
      "INVALID",
      `The field ${field} is not read in a list: ask Query.application for it`,
    ]);
  });

  const PAGES = `query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    application(id: $id) {
      users(first: $first, after: $after, last: $last, before: $before) { ...P }
      sessions(first: $first, after: $after, last: $last, before: $before) { ...Q } } }
    fragment P on UserConnection {
      totalCount totalIsExact nodes { id } edges { cursor node { id } } pageInfo { ...I } }
    fragment Q on SessionConnection {
      totalCount totalIsExact nodes { id } edges { cursor node { id } } pageInfo { ...I } }
    fragment I on PageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;

  it("refuse invalid pages", async () => {
    const { id } = await created();
    const wrong: Array<[field: string, variables: object]> = [
      ["first", { first: 0 }],
      ["last", { last: -1 }],
      ["last", { first: 1, last: 1 }],
      ["after", { after: "x" }],
      ["before", { before: "0" }],
      ["after", { after: "" }],
    ];
    for (const [field, variables] of wrong) {
      const { errors } = await run(PAGES, { id, ...variables });
      expect(
        errors?.map(({ extensions }) => [extensions.code, Object.keys(extensions.fields)]),
      ).toEqual(Array(errors?.length).fill(["INVALID", [field]]));
      expect(errors).not.toHaveLength(0);
    }
  });

  it("page backward from the end, with cursors that are also valid forward", async () => {
    const place = asNode(await created());
    const id = String(place.application.id);
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(String((await newUser(place)).id));
    const page = async (variables: object) =>
      (await run(PAGES, { id, ...variables })).data.application.users;
    const end = await page({ last: 2 });
    expect(end).toMatchObject({
      nodes: ids.slice(3).map((each) => ({ id: each })),
      edges: ids.slice(3).map((each) => ({
        cursor: end.pageInfo[each === ids[3] ? "startCursor" : "endCursor"],
        node: { id: each },
      })),
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    // Deleting an entry of the last page shifts nothing.
    await node.sql("DELETE FROM users WHERE id = $1", [ids[4]]);
    const middle = await page({ last: 2, before: end.pageInfo.startCursor });
    expect(middle).toMatchObject({
      nodes: [{ id: ids[1] }, { id: ids[2] }],
      pageInfo: { hasNextPage: true, hasPreviousPage: true },
    });
    const start = await page({ last: 2, before: middle.pageInfo.startCursor });
    expect(start).toMatchObject({ nodes: [{ id: ids[0] }], pageInfo: { hasPreviousPage: false } });
    const forward = await page({ first: 2, after: middle.pageInfo.endCursor });
    expect(forward).toMatchObject({ nodes: [{ id: ids[3] }], pageInfo: { hasNextPage: false } });
    const sessions = async (variables: Record<string, unknown>) =>
      (await run(PAGES, { id, ...variables })).data.application.sessions;
    const idsOf = (list: { nodes: Array<{ id: string }> }) => list.nodes.map((each) => each.id);
    const all = idsOf(await sessions({}));
    expect(all.map(Number)).toEqual(all.map(Number).sort((one, other) => other - one));
    const oldest = await sessions({ last: 2 });
    expect([idsOf(oldest), oldest.pageInfo.hasPreviousPage]).toEqual([all.slice(-2), true]);
    const older = await sessions({ last: 2, before: oldest.pageInfo.startCursor });
    expect(idsOf(older)).toEqual(all.slice(-4, -2));
  });

  it("page by the last id, each entry once, while entries are added and removed", async () => {
    const place = asNode(await created());
    const id = String(place.application.id);
    for (let count = 0; count < 6; count += 1) await newUser(place);
    const idsOf = async (table: string) =>
      (
        await node.sql<{ id: number }>(`SELECT id FROM ${table} WHERE application_id = $1`, [id])
      ).map((row) => String(row.id));
    const before = { users: await idsOf("users"), sessions: await idsOf("sessions") };
    // Deleting a user also deletes its sessions.
    for (const list of ["sessions", "users"] as const) {
      const seen: string[] = [];
      for (let after: string | undefined; ; after = seen.at(-1)) {
        const { data } = await run(PAGES, { id, after, first: 2 });
        const page: string[] = data.application[list].nodes.map((node: { id: string }) => node.id);
        if (page.length === 0) break;
        seen.push(...page);
        // New sessions come first, new users last; removes one that was already seen.
        await rest(place, "POST", "/session", { body: signedParameters(place, clock.now()) });
        await node.sql(`DELETE FROM ${list} WHERE id = $1`, [seen[0]]);
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((each) => before[list].includes(each)).sort()).toEqual(
        before[list].sort(),
      );
      const order = [...seen].map(Number).sort((a, b) => (list === "users" ? a - b : b - a));
      expect(seen.map(Number)).toEqual(order);
    }
  });

  it("count to 10,000, and report when there are more", async () => {
    const { id } = await created();
    const total = async () => {
      const { users, sessions } = (await run(PAGES, { id, first: 1 })).data.application;
      return [users, sessions].map(({ totalCount, totalIsExact }) => [totalCount, totalIsExact]);
    };
    const add = async (count: number) => {
      await node.sql(
        `INSERT INTO users (application_id, login, login_key, updated_at)
          SELECT $1::bigint, n || '-' || $2::int, n || '-' || $2::int, now()
          FROM generate_series(1, $2::int) n`,
        [id, count],
      );
      await node.sql(
        `INSERT INTO sessions (application_id, token_hash, nonce, ts, expires_at, last_activity_at,
            updated_at)
          SELECT $1::bigint, sha256(convert_to($1::bigint || '-' || $2::int || '-' || n, 'UTF8')), n, 1,
            $3::timestamptz, now(), now() FROM generate_series(1, $2::int) n`,
        [id, count, new Date(clock.now() + MINUTE)],
      );
    };
    expect(await total()).toEqual(Array(2).fill([0, true]));
    await add(10_000);
    expect(await total()).toEqual(Array(2).fill([10_000, true]));
    await add(1);
    expect(await total()).toEqual(Array(2).fill([10_000, false]));
  });
});

describe("deleteApplication", () => {
  const DELETE = `mutation ($input: DeleteApplicationInput!) {
    deleteApplication(input: $input) { deletedApplicationId } }`;
  const rowsOf = async (applicationId: string) => {
    const tables = ["users", "sessions", "nonces", "push_subscriptions", "calls"];
    const counts = tables.map((table) =>
      node.sql(`SELECT 1 FROM ${table} WHERE application_id = $1`, [applicationId]),
    );
    return (await Promise.all(counts)).map((rows) => rows.length);
  };

  it("deletes the application with its users and sessions, and ends its connections", async () => {
    const application = await created("Short-lived");
    const shop = asNode(application);
    const user = await newUser(shop);
    const untouched = await newUser(node);
    const { body } = await rest(shop, "POST", "/session", { body: signedParameters(shop) });
    const socket = await openSocket(shop, user.token);
    const anonymous = await openSocket(shop, body.session.token);
    const other = await openSocket(node, untouched.token);

    const input = { applicationId: application.id };
    expect((await run(DELETE, { input })).data).toEqual({
      deleteApplication: { deletedApplicationId: application.id },
    });
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(401);
    expect((await rest(node, "GET", "/session", { token: body.session.token })).status).toBe(401);
    await Promise.all([socket.closed, anonymous.closed]);
    expect(await rowsOf(application.id)).toEqual([0, 0, 0, 0, 0]);
    expect((await rest(shop, "POST", "/session", { body: signedParameters(shop) })).status).toBe(
      422,
    );
    const again = await run(DELETE, { input });
    expect(again.errors?.[0].extensions.code).toBe("NOT_FOUND");

    expect((await rest(node, "GET", "/session", { token: untouched.token })).status).toBe(200);
    expect(other.socket.readyState).toBe(WebSocket.OPEN);
    await other.close();
  });

  it("is completed by a job if the node ends before it has", async () => {
    const [deleted, left] = [await created("Deleted"), await created("Left over")];
    const user = await newUser(asNode(left));
    await run(DELETE, { input: { applicationId: deleted.id } });
    // The job of the deletion, as it would be of one that was interrupted a minute ago.
    const jobs = await node.sql(
      `UPDATE pgboss.job SET start_after = now(),
          data = jsonb_build_object('accountId', data -> 'accountId', 'applicationId', $2::bigint)
        WHERE name = 'application-deletion' AND state = 'created'
          AND data ->> 'applicationId' = $1::text RETURNING id`,
      [deleted.id, left.id],
    );
    expect(jobs).toHaveLength(1);
    while ((await node.sql("SELECT 1 FROM applications WHERE id = $1", [left.id])).length > 0) {
      await sleep(50);
    }
    expect(await rowsOf(left.id)).toEqual([0, 0, 0, 0, 0]);
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(401);
  });
});

describe("the owner's users", () => {
  const CREATE_USER = `mutation ($input: CreateUserInput!) {
    createUser(input: $input) { user { id login email fullName tags } } }`;
  const READ_USER = `query ($app: ID!, $user: ID!) {
    user(by: { id: $user }, applicationId: $app) { id login isGuest } }`;

  it("are created while sign-up is closed, and can sign in", async () => {
    const application = await created("Invited only");
    await run(UPDATE, { input: { applicationId: application.id, signUpOpen: false } });
    const input = { applicationId: application.id, login: "invited", password: "correct horse" };
    const { data } = await run(CREATE_USER, { input: { ...input, tags: ["first"] } });
    const { user } = data.createUser;
    expect(user).toMatchObject({ login: "invited", email: null, tags: ["first"] });
    const shop = asNode(application);
    const credentials = { login: "invited", password: "correct horse" };
    const answer = await rest(shop, "POST", "/session", {
      body: { ...signedParameters(shop), user: credentials },
    });
    expect([answer.status, String(answer.body.session.user_id)]).toEqual([201, user.id]);

    const read = await run(READ_USER, { app: application.id, user: user.id });
    expect(read.data.user).toEqual({ id: user.id, login: "invited", isGuest: false });
  });

  it("are checked as at a sign-up, and counted as one", async () => {
    const application = await created("Checked");
    const create = async (fields: object) => {
      const input = { applicationId: application.id, password: "correct horse", ...fields };
      const { errors } = await run(CREATE_USER, { input });
      return errors?.[0].extensions.fields ?? errors?.[0].extensions.code ?? null;
    };
    expect(await create({ login: "taken" })).toBeNull();
    expect(await create({ login: "Taken" })).toEqual({ login: ["has already been taken"] });
    expect(await create({})).toEqual({ base: ["login or email is required"] });
    expect(await create({ login: "short", password: "short" })).toHaveProperty("password");
    expect(await create({ login: "lost", applicationId: "999999" })).toBe("NOT_FOUND");
  });

  it("are not found in another application", async () => {
    const application = await created("Empty");
    const { id } = await newUser(node);
    for (const user of [String(id), "0", "x"]) {
      const { data, errors } = await run(READ_USER, { app: application.id, user });
      expect([data, errors]).toEqual([{ user: null }, undefined]);
    }
  });
});

describe("another account", () => {
  it("can neither see nor change anything", async () => {
    const otherOwner = await ownerToken(elsewhere);
    const user = await newUser(node);
    const applicationId = String(node.application.id);
    const userId = String(user.id);
    const attempts: Array<[string, object]> = [
      [READ, { id: applicationId }],
      [UPDATE, { input: { applicationId, name: "Stolen" } }],
      [ROTATE, { input: { applicationId } }],
      [
        "mutation ($input: DeleteApplicationInput!) { deleteApplication(input: $input) { deletedApplicationId } }",
        { input: { applicationId } },
      ],
      [
        "mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }",
        { input: { applicationId, login: "intruder", password: "correct horse" } },
      ],
      [
        "mutation ($input: ApplicationUserInput!) { exportUser(input: $input) { export } }",
        { input: { applicationId, userId } },
      ],
      [
        "mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { deletedUserId } }",
        { input: { id: userId } },
      ],
      [
        "mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { id } } }",
        { input: { id: userId, fullName: "Stolen" } },
      ],
    ];
    const before = await node.sql("SELECT * FROM applications ORDER BY id");
    for (const [document, variables] of attempts) {
      const { data, errors } = await run(document, variables, otherOwner);
      expect([data ?? null, errors?.[0].extensions.code]).toEqual([null, "NOT_FOUND"]);
    }
    expect(await node.sql("SELECT * FROM applications ORDER BY id")).toEqual(before);
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(200);
  });
});
