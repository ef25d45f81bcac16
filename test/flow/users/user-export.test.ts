import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signedParameters, signIn, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/** The owner of an application can export and erase everything stored about a user. */

const EXPORT = `mutation ($input: ApplicationUserInput!, $after: String) {
  exportUser(input: $input, after: $after) { export endCursor }
}`;
const ERASE = "mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { deletedUserId } }";

/** The part of the export for each table with user data. */
const PLACES: Record<string, string> = {
  users: "user",
  user_tags: "tags",
  identities: "identities",
  sessions: "sessions",
  password_resets: "passwordResets",
  push_subscriptions: "subscriptions",
  push_events: "events",
  push_deliveries: "deliveries",
  calls: "calls",
  call_participants: "participation",
  call_signals: "signals",
  conferences: "conferences",
  conference_members: "conferenceParticipations",
  conference_users: "conferenceListings",
  conference_links: "conferenceLinks",
};
/** Columns that are written some seconds after a request, possibly between the export and its check. */
const WRITTEN_BEHIND = ["last_activity_at", "last_request_at", "expires_at"];
const ANY = { asymmetricMatch: () => true };
/** Tables without user data. */
const OF_NO_USER = [
  "accounts",
  "account_invitations",
  "account_members",
  "account_sessions",
  "api_keys",
  "application_sockets",
  "application_statistics",
  "applications",
  "audit_entries",
  "consumed_jwts",
  "conference_guests",
  "conference_nodes",
  "nodes",
  "nonces",
  "push_credentials",
  "statistics_nodes",
];
/**
 * Columns that say nothing more about a user: where a conference runs, what signals of an entry have in common, what is
 * known of a password beside its hash.
 */
const INTERNAL = ["engine_state", "host", "key", "password_has_token_form"];
/** The caller in the row of a callee, who is another user. The exported call names the caller itself. */
const isCopy = (table: string, column: string) =>
  table === "call_participants" && column === "caller_id";

let node: TestNode;
let owner: string;
beforeAll(async () => {
  node = await startNode();
  owner = await ownerToken(node);
});
afterAll(() => node.stop());

const inputOf = ({ id }: Pick<TestUser, "id">) => ({
  applicationId: String(node.application.id),
  userId: String(id),
});

/** A user with rows in every table, and a second user who took part in a call. */
async function fullUser(): Promise<{ user: TestUser; other: TestUser }> {
  const fields = {
    full_name: "Full Name",
    phone: "+49",
    website: "https://a.example",
    custom_data: "{}",
    timezone: 60,
    avatar: "7",
    blob_id: 8,
    tag_list: "one,two",
  };
  const user = await newUser(node, { ...fields, email: "full@example.com", external_id: "x1" });
  const other = await newUser(node);
  await signIn(node, user);
  const web = (await rest(node, "POST", "/session/web", { body: signedParameters(node) })).body
    .session;
  const body = { web_token: web.token };
  await rest(node, "PATCH", "/session/web", { token: user.token, body });
  const insert = async (text: string, values: unknown[]) =>
    (await node.sql<{ id: number }>(`${text} RETURNING id`, values))[0]?.id;
  for (const { id } of [user, other]) {
    const application = node.application.id;
    await node.sql(
      "INSERT INTO identities (application_id, user_id, provider, subject) VALUES ($1, $2, 'facebook', $3)",
      [application, id, `fb${id}`],
    );
    await node.sql(
      `INSERT INTO password_resets (user_id, token_hash, expires_at)
        VALUES ($1, sha256(convert_to($2, 'UTF8')), now())`,
      [id, `link-${id}`],
    );
    const subscription = await insert(
      `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
        token, updated_at) VALUES ($1, $2, 'gcm', 'production', 'android', $3, $3, now())`,
      [application, id, `device-${id}`],
    );
    const event = await insert(
      `INSERT INTO push_events (application_id, user_id, channel, environment, message, selector,
        updated_at) VALUES ($1, $2, 'gcm', 'production', $3, '{"user_tags":["a_b"]}', now())`,
      [application, id, `message of ${id}`],
    );
    await insert(
      "INSERT INTO push_deliveries (event_id, subscription_id, updated_at) VALUES ($1, $2, now())",
      [event, subscription],
    );
    const call = await insert(
      "INSERT INTO calls (application_id, session_id, caller_id) VALUES ($1, $2, $3)",
      [application, `call-${id}`, id],
    );
    for (const party of [user, other]) {
      await node.sql(
        `INSERT INTO call_participants (call_id, user_id, caller_id, session_id, rang_at)
          SELECT id, $2, nullif(caller_id, $2), session_id, started_at FROM calls WHERE id = $1`,
        [call, party.id],
      );
    }
    const callee = id === user.id ? other.id : user.id;
    await node.sql(
      `INSERT INTO call_signals (call_id, key, kind, from_user_id, from_device, to_user_id, first_at, last_at)
        VALUES ($1, gen_random_uuid(), 'call', $2, $3, $4, now(), now())`,
      [call, id, `phone-${id}`, callee],
    );
    const conference = await insert(
      `INSERT INTO conferences (application_id, name, seats, video, access, origin, bitrate, created_by)
        VALUES ($1, $2, 12, true, 'listed', 'graphql', 600000, $3)`,
      [application, `conference-${id}`, id],
    );
    await insert(
      `INSERT INTO conference_links (conference_id, secret_hash, expires_at, max_uses, created_by)
        VALUES ($1, sha256(convert_to($2, 'UTF8')), now(), 5, $3)`,
      [conference, `guests-${id}`, id],
    );
    for (const party of [user, other]) {
      await node.sql("INSERT INTO conference_users (conference_id, user_id) VALUES ($1, $2)", [
        conference,
        party.id,
      ]);
      await node.sql(
        `INSERT INTO conference_members (conference_id, number, user_id, name, device, lease_until, left_at)
          VALUES ($1, $2, $2, $3, 'phone', now(), now())`,
        [conference, party.id, `name-${party.id}`],
      );
    }
  }
  return { user, other };
}

/** All columns of the database that refer to a user, by a foreign key or by name. */
async function userColumns(): Promise<Array<{ table: string; column: string }>> {
  return node.sql(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
        WHERE table_schema = current_schema() AND column_name ~ '(^|_)(user|caller)_id$'
          AND NOT column_name ~ '^external_'
      UNION SELECT k.conrelid::regclass::text, a.attname::text FROM pg_constraint k
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
        WHERE k.contype = 'f' AND k.confrelid = 'users'::regclass
      UNION VALUES ('users', 'id') ORDER BY 1, 2`,
  );
}

const camel = (name: string) =>
  name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

test("every table with user data is exported", async () => {
  const tables = await node.sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_name NOT LIKE '\\_prisma%' ORDER BY 1`,
  );
  const known = [...Object.keys(PLACES), ...OF_NO_USER].sort();
  expect(tables.map(({ name }) => name)).toEqual(known);
  const named = new Set((await userColumns()).map(({ table }) => table));
  expect([...named].filter((table) => OF_NO_USER.includes(table))).toEqual([]);
  // Deliveries refer to the user's device.
  expect(Object.keys(PLACES).filter((table) => !named.has(table))).toEqual(["push_deliveries"]);
});

describe("of a user with something in every table", () => {
  let user: TestUser;
  let other: TestUser;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  let exported: any;
  beforeAll(async () => {
    ({ user, other } = await fullUser());
    const { data } = await graphql(node, EXPORT, { input: inputOf(user) }, owner);
    exported = data.exportUser.export;
  });

  /** The exported rows of a table. */
  function shown(table: string): Array<Record<string, unknown>> {
    const place = PLACES[table] ?? "";
    if (place === "user") return [exported.user];
    if (place === "participation") {
      return exported.calls.map((call: Record<string, unknown>) => call.participation);
    }
    if (place === "signals") {
      return exported.calls.flatMap((call: Record<string, unknown>) => call.signals);
    }
    return exported[place];
  }

  test("every row of the user is exported, with all columns except hashes", async () => {
    for (const { table, column } of await userColumns()) {
      const rows = await node.sql<{ row: Record<string, unknown> }>(
        `SELECT to_jsonb(t) AS row FROM ${table} t WHERE t.${column} = $1`,
        [user.id],
      );
      expect([table, column, rows.length > 0]).toEqual([table, column, true]);
      if (isCopy(table, column)) continue;
      for (const { row } of rows) {
        const open = Object.entries(row).filter(
          ([name]) => !name.endsWith("_hash") && !INTERNAL.includes(name),
        );
        const wanted = Object.fromEntries(
          open.map(([name, value]) => [camel(name), WRITTEN_BEHIND.includes(name) ? ANY : value]),
        );
        expect(shown(table)).toContainEqual(expect.objectContaining(wanted));
      }
    }
    expect(exported.deliveries).toHaveLength(1);
    expect(exported.deliveries[0].subscriptionId).toBe(exported.subscriptions[0].id);
    // A client's own JSON keeps its keys.
    expect(exported.events[0].selector).toEqual({ user_tags: ["a_b"] });
  });

  test("no hash of a password, token or code is exported, and no data of other users", async () => {
    const text = JSON.stringify(exported);
    expect(text).not.toMatch(/hash|argon2|\\\\x/i);
    const hashes = await node.sql<{ hash: string }>(
      `SELECT encode(token_hash, 'hex') AS hash FROM sessions WHERE user_id = $1
        UNION SELECT encode(token_hash, 'hex') FROM password_resets WHERE user_id = $1
        UNION SELECT password_hash FROM users WHERE id = $1`,
      [user.id],
    );
    expect(hashes.length).toBeGreaterThan(3);
    expect(hashes.filter(({ hash }) => text.includes(hash))).toEqual([]);
    for (const secret of [user.password, user.token]) expect(text).not.toContain(secret);
    for (const foreign of [
      other.login,
      `device-${other.id}`,
      `message of ${other.id}`,
      other.token,
    ])
      expect(text).not.toContain(foreign);
    expect(text).not.toContain(`name-${other.id}`);
    // The other user's call is exported, with the user's own participation.
    expect(exported.calls).toHaveLength(2);
    const parts = exported.calls.map((call: { participation: object }) => call.participation);
    expect(parts).toEqual(Array(2).fill(expect.objectContaining({ userId: user.id })));
  });

  test("the rows of conferences that others created have no new column without a decision", async () => {
    const foreign = exported.conferences.find(
      (each: { createdBy: number }) => each.createdBy === other.id,
    );
    // A column that is about the creator, such as an address, must be left out for the others.
    const columns = [
      ...["access", "applicationId", "bitrate", "closedAt", "closesAt", "createdAt", "createdBy"],
      ...["emptyAfterSeconds", "emptySince", "engine", "generation", "id", "locked", "name"],
      ...["origin", "seats", "sequence", "video"],
    ];
    expect(Object.keys(foreign).sort()).toEqual(columns);
  });

  test("erasing deletes all rows of the user, closes connections, and works once", async () => {
    const socket = await openSocket(node, user.token);
    const input = inputOf(user);
    const id = { id: input.userId };
    const erased = await graphql(node, ERASE, { input: id }, owner);
    expect(erased.data).toEqual({ deleteUser: { deletedUserId: String(user.id) } });
    expect((await socket.closed).code).toBe(4401);
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(401);
    for (const { table, column } of await userColumns()) {
      const rows = await node.sql(`SELECT 1 FROM ${table} WHERE ${column} = $1`, [user.id]);
      expect([table, column, rows]).toEqual([table, column, []]);
      // The callee was the erased user.
      if (isCopy(table, column)) continue;
      const others = await node.sql(`SELECT 1 FROM ${table} WHERE ${column} = $1`, [other.id]);
      expect([table, others.length > 0 || table === "user_tags"]).toEqual([table, true]);
    }
    for (const [query, of] of [
      [EXPORT, input],
      [ERASE, id],
    ] as const) {
      const { errors } = await graphql(node, query, { input: of }, owner);
      expect(errors?.[0].extensions.code).toBe("NOT_FOUND");
    }
  });
});

describe("of a user with more rows than a page holds", () => {
  /** More rows than a statement reads at once, and of calls more than a page has. */
  const [ROWS, CALLS] = [120, 1_200];
  const PAGE_ROWS = 1_050;
  let user: TestUser;
  let pages: Array<Record<string, unknown[]>>;

  beforeAll(async () => {
    user = await newUser(node);
    const caller = await newUser(node);
    const ids = { $app: node.application.id, $user: user.id, $caller: caller.id };
    const many = (text: string, count = ROWS) => {
      const withRows = text.replaceAll("$rows", `generate_series(1, ${count}) n`);
      return node.sql(
        withRows.replace(/\$(?:app|user|caller)/g, (name) => String(ids[name as keyof typeof ids])),
      );
    };
    await many(`INSERT INTO user_tags (user_id, application_id, tag, position)
      SELECT $user, $app, 'tag' || n, n FROM $rows`);
    await many(`INSERT INTO identities (application_id, user_id, provider, subject)
      SELECT $app, $user, 'p' || n, 's' || $user FROM $rows`);
    await many(`INSERT INTO sessions (application_id, user_id, nonce, ts, token_hash, last_activity_at, expires_at,
        updated_at)
      SELECT $app, $user, n, 1, sha256(convert_to('many' || n, 'UTF8')), now(), now() + interval '1 hour', now()
        FROM $rows`);
    await many(`INSERT INTO password_resets (user_id, token_hash, expires_at)
      SELECT $user, sha256(convert_to('many' || n || '-' || $app, 'UTF8')), now() FROM $rows`);
    await many(`INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid, token,
        updated_at) SELECT $app, $user, 'gcm', 'production', 'android', 'many' || n, 'many' || n, now() FROM $rows`);
    await many(`WITH events AS (INSERT INTO push_events (application_id, user_id, channel, environment, message,
          selector, updated_at)
        SELECT $app, $user, 'gcm', 'production', 'm' || n, '{"ids":[]}', now() FROM $rows RETURNING id)
      INSERT INTO push_deliveries (event_id, subscription_id, updated_at)
        SELECT e.id, p.id, now() FROM events e, (SELECT id FROM push_subscriptions WHERE user_id = $user LIMIT 3) p`);
    await many(
      `WITH made AS (INSERT INTO calls (application_id, session_id, caller_id)
          SELECT $app, 'many' || n, $caller FROM $rows RETURNING id, session_id, started_at),
        signals AS (INSERT INTO call_signals (call_id, key, kind, from_user_id, to_user_id, first_at, last_at)
          SELECT id, gen_random_uuid(), 'call', $caller, $user, now(), now() FROM made),
        pushes AS (INSERT INTO push_events (application_id, channel, environment, message, selector, kind, call_id,
            updated_at)
          SELECT $app, 'gcm', 'production', 'call', jsonb_build_object('by', 'ids', 'ids', jsonb_build_array($user::bigint)),
            'CALL', id, now() FROM made)
        INSERT INTO call_participants (call_id, user_id, session_id, rang_at)
          SELECT m.id, u.id, m.session_id, m.started_at FROM made m, (VALUES ($user::bigint), ($caller)) u(id)`,
      CALLS,
    );
    await many(`WITH made AS (INSERT INTO conferences (application_id, name, seats, video, access, origin, bitrate,
          created_by, closed_at)
        SELECT $app, 'many' || n, 12, true, 'listed', 'graphql', 600000, $user, now() FROM $rows RETURNING id),
      listed AS (INSERT INTO conference_users (conference_id, user_id) SELECT id, $user FROM made),
      links AS (INSERT INTO conference_links (conference_id, secret_hash, expires_at, max_uses, created_by)
        SELECT id, sha256(convert_to('many' || id, 'UTF8')), now(), 5, $user FROM made)
      INSERT INTO conference_members (conference_id, number, user_id, name, device, lease_until, left_at)
        SELECT id, $user, $user, 'n', 'phone', now(), now() FROM made`);

    pages = [];
    for (let after: string | null = null, isMore = true; isMore; ) {
      const { data } = await graphql(node, EXPORT, { input: inputOf(user), after }, owner);
      pages.push(data.exportUser.export);
      after = data.exportUser.endCursor;
      isMore = after !== null;
    }
  });

  test("has every row on exactly one page, and pages of bounded size", async () => {
    const lists: Record<string, unknown[]> = {};
    expect(pages.map((page) => "user" in page)).toEqual(pages.map((_, index) => index === 0));
    for (const { user: _user, ...page } of pages) {
      for (const [name, rows] of Object.entries(page)) {
        lists[name] = [...(lists[name] ?? []), ...rows];
      }
      const count = Object.values(page).reduce((sum, rows) => sum + rows.length, 0);
      expect(count).toBeLessThanOrEqual(PAGE_ROWS);
    }
    expect(pages.length).toBeGreaterThan(2);
    const counts = Object.fromEntries(
      Object.entries(lists).map(([name, rows]) => [
        name,
        new Set(rows.map((row) => JSON.stringify(row))).size,
      ]),
    );
    expect(counts).toEqual({
      tags: ROWS,
      identities: ROWS,
      sessions: ROWS + 1,
      passwordResets: ROWS,
      subscriptions: ROWS,
      events: ROWS,
      deliveries: 3 * ROWS,
      calls: CALLS,
      incomingCallPushes: CALLS,
      conferences: ROWS,
      conferenceParticipations: ROWS,
      conferenceListings: ROWS,
      conferenceLinks: ROWS,
    });
    for (const [name, rows] of Object.entries(lists))
      expect([name, rows.length]).toEqual([name, counts[name]]);
  });

  test.each([
    "",
    "calls",
    "calls.",
    "calls.1-2",
    "deliveries.1",
    "calls.99999999999999999",
    "nothing.1",
    "__proto__.1",
    "user.1",
  ])("refuses the cursor %j", async (after) => {
    const { errors } = await graphql(node, EXPORT, { input: inputOf(user), after }, owner);
    expect(errors?.[0].extensions).toMatchObject({
      code: "INVALID",
      fields: { after: ["is not a cursor of this export"] },
    });
  });
});

test.each([
  "0",
  "-1",
  "x",
  "999999999",
  "9007199254740993",
  "1; --",
])("an unknown user %s cannot be exported or erased", async (userId) => {
  const input = { applicationId: String(node.application.id), userId };
  for (const [query, of] of [
    [EXPORT, input],
    [ERASE, { id: userId }],
  ] as const) {
    const { data, errors } = await graphql(node, query, { input: of }, owner);
    expect([data ?? null, errors?.[0].extensions.code]).toEqual([null, "NOT_FOUND"]);
  }
});
