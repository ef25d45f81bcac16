import { newUser, signIn, type TestUser } from "../support/client";
import { ownersEnvironment, runCommand } from "../support/command-line";
import { startNode, type TestNode } from "../support/node";

jest.setTimeout(60_000);

/** The key of the export that holds a table's rows. */
const KEYS: Record<string, string> = {
  users: "user",
  user_tags: "tags",
  identities: "identities",
  sessions: "sessions",
  password_resets: "passwordResets",
  push_subscriptions: "subscriptions",
  push_events: "events",
  push_deliveries: "deliveries",
  calls: "calls",
  call_participants: "calls",
};

/** A row of each table, that names the user `$2` of the application `$1`. */
const ROWS = [
  `INSERT INTO user_tags (application_id, user_id, tag, position) VALUES ($1, $2, 'a tag', 0)`,
  `INSERT INTO identities (application_id, user_id, provider, subject)
    VALUES ($1, $2, 'facebook', 'subject')`,
  `INSERT INTO password_resets (user_id, token_hash, expires_at)
    SELECT id, '\\x01', now() FROM users WHERE application_id = $1 AND id = $2`,
  `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
    token, updated_at) VALUES ($1, $2, 'apns', 'development', 'ios', 'udid', 'device', now())`,
  `INSERT INTO push_events (application_id, user_id, channel, environment, message, selector,
    updated_at) VALUES ($1, $2, 'apns', 'development', 'hello', '{"user_ids": [1]}', now())`,
  `INSERT INTO push_deliveries (event_id, subscription_id, reason, updated_at)
    SELECT e.id, s.id, 'because', now() FROM push_events e, push_subscriptions s
    WHERE e.application_id = $1 AND e.user_id = $2 AND s.user_id = $2`,
  `WITH call AS (INSERT INTO calls (application_id, session_id, caller_id)
      VALUES ($1, 'call', $2) RETURNING id)
    INSERT INTO call_participants (call_id, user_id) SELECT id, $2 FROM call`,
];

let node: TestNode;
let user: TestUser;
beforeAll(async () => {
  node = await startNode();
  user = await newUser(node, { email: "whole@example.com", full_name: "Whole" });
  await signIn(node, user);
  for (const statement of ROWS) await node.sql(statement, [node.application.id, user.id]);
});
afterAll(() => node.stop());

it("holds every row that names the user, of every table there is, and no hash", async () => {
  const tables = await node.sql<{ name: string }>(
    `SELECT table_name::text AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type = 'bigint'
        AND (column_name ~ 'user_id$' OR column_name = 'caller_id')
      UNION SELECT conrelid::regclass::text FROM pg_constraint
      WHERE contype = 'f' AND confrelid IN ('users'::regclass, 'push_subscriptions'::regclass)
      UNION SELECT 'users'`,
  );
  expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(KEYS).sort());

  // As it is kept: standard output sent into a file.
  const of = ["--app", String(node.application.id), "--user", String(user.id)];
  const { code, out, err } = await runCommand(["user", "export", ...of], ownersEnvironment(node));
  expect([code, err]).toEqual([0, ""]);
  const found = JSON.parse(out);
  expect(Object.keys(found).sort()).toEqual([...new Set(Object.values(KEYS))].sort());
  expect(found).toMatchObject({
    user: { id: user.id, login: user.login, email: "whole@example.com", fullName: "Whole" },
    tags: [{ tag: "a tag" }],
    identities: [{ provider: "facebook", subject: "subject" }],
    sessions: [{ userId: user.id }, { userId: user.id }],
    passwordResets: [{ userId: user.id }],
    subscriptions: [{ token: "device", udid: "udid" }],
    events: [{ message: "hello", selector: { user_ids: [1] } }],
    deliveries: [{ reason: "because" }],
    calls: [{ callerId: user.id, participation: { userId: user.id } }],
  });
  expect(out).not.toMatch(/hash|argon2|\\\\x/i);
});
