import { openBus } from "../../src/bus/open";
import { openLimiters } from "../../src/bus/open-limiter";
import { systemClock } from "../../src/core/clock";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { newKey } from "../../src/core/random";
import { Sealer } from "../../src/core/sealer";
import type { UserViewer } from "../../src/core/viewer";
import { findApplication } from "../../src/identity/application/applications";
import { openIdentity } from "../../src/identity/identity";
import { Limits } from "../../src/identity/limits";
import { userOf } from "../../src/identity/provider/provider-users";
import { purge } from "../../src/identity/purge";
import { findLink, sendReset } from "../../src/identity/recovery/password-reset";
import { checkCredentials } from "../../src/identity/session/credentials";
import { listSessions } from "../../src/identity/session/session-list";
import { findSession } from "../../src/identity/session/sessions";
import { findUser, type UserKey } from "../../src/identity/user/find-user";
import type { LegacyCondition } from "../../src/identity/user/legacy-filter";
import { USER_LIST_FIELDS, type UserFilter } from "../../src/identity/user/user-filter";
import { listUsers } from "../../src/identity/user/user-list";
import { pageUsers, usersByFullName, usersByTags } from "../../src/identity/user/user-page";
import { bindWebSession } from "../../src/identity/web-session/web-sessions";
import type { Mailer } from "../../src/mail/mail";
import { openStore } from "../../src/store/open";
import type { Statement, Store } from "../../src/store/store";
import { type FreshDatabase, freshDatabase, hasServices } from "../support/database";

/** Enough that the planner would not scan a table for want of rows. */
const ROWS = hasServices ? 100_000 : 30_000;

const FILL = [
  `INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'key', now())`,
  `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
    SELECT id, 'x', 'k', 's', '{}', now() FROM accounts`,
  `INSERT INTO users (application_id, login, login_key, email, email_key, external_id,
      external_user_id, facebook_id, twitter_id, full_name, phone, updated_at)
    SELECT a.id, 'Login' || n, 'login' || n, n || '@mail.example', n || '@mail.example', 'ext' || n,
      'xid' || n, 'fb' || n, 'tw' || n, 'Name' || n, '+49' || n, now()
    FROM applications a, generate_series(1, ${ROWS}) n`,
  `INSERT INTO user_tags (user_id, application_id, tag, position)
    SELECT id, application_id, 'tag' || (id % 5000), 0 FROM users`,
  `INSERT INTO identities (application_id, user_id, provider, subject)
    SELECT application_id, id, 'facebook', 'fb' || id FROM users`,
  `INSERT INTO sessions (application_id, user_id, token_hash, nonce, ts, expires_at,
      last_activity_at, updated_at)
    SELECT application_id, id, sha256(convert_to('token' || id, 'UTF8')), id, 1,
      now() + interval '1 hour', now(), now() FROM users`,
  "UPDATE applications SET v1_list_disabled = false",
  `INSERT INTO password_resets (user_id, token_hash, expires_at)
    SELECT id, sha256(convert_to('link' || id, 'UTF8')), now() + interval '1 hour' FROM users`,
  `INSERT INTO nonces (application_id, ts, nonce) SELECT a.id, n, n
    FROM applications a, generate_series(1, ${ROWS}) n`,
  "ANALYZE",
];

/** Selective filters of the V1 list, on each column that has an index. */
const PAGES: LegacyCondition[][] = [
  [{ field: "id", operator: "in", numbers: [1, 2] }],
  ...(["login", "email", "externalId", "externalUserId"] as const).flatMap(
    (field): LegacyCondition[][] => [
      [{ field, operator: "eq", strings: ["7"] }],
      [{ field, operator: "in", strings: ["7", "8"] }],
    ],
  ),
  ...(["facebookId", "twitterId", "fullName", "phone", "userTags"] as const).map(
    (field): LegacyCondition[] => [{ field, operator: "eq", strings: ["7"] }],
  ),
  [{ field: "createdAt", operator: "eq", dates: ["2020-01-01"] }],
];
const SCAN = /Seq Scan on (users|user_tags|identities|sessions|nonces|password_resets)\b/;

let database: FreshDatabase;
let store: Store;
/** What the functions under test asked the database, with values. */
const asked: Array<{ statement: Statement; values: unknown[] }> = [];

beforeAll(async () => {
  database = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  store = await openStore({ config, log: openLog("silent"), exclusive: true });
  for (const text of FILL) await store.db.$executeRawUnsafe(text);
}, 120_000);

afterAll(async () => {
  await store.close();
  await database.remove();
});

/** The identity room over a store that keeps what is asked of it. */
async function openRoom() {
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  const log = openLog("silent");
  const bus = await openBus({ config, log, clock: systemClock });
  const limiters = await openLimiters({ config, log, clock: systemClock });
  const listening: Store = {
    ...store,
    query: (statement, values) => {
      asked.push({ statement, values });
      return store.query(statement, values);
    },
  };
  const identity = await openIdentity({
    ...{ config, store: listening, bus, clock: systemClock, log },
    limits: new Limits(config, limiters),
    sealer: new Sealer([newKey()]),
    endpoints: { api: () => "", chat: "", turn: "" },
  });
  return {
    identity,
    async close() {
      await identity.close();
      await limiters.close();
      await bus.close();
    },
  };
}

/** Keeps the text of each mail in place of sending it. */
function mailerTo(texts: string[]): Mailer {
  return {
    send: async ({ text }) => void texts.push(text),
    check: async () => undefined,
    close: async () => undefined,
  };
}

it("answers every look-up of a request from an index", async () => {
  const room = await openRoom();
  try {
    const { identity } = room;
    const [user] = await store.query<{ id: number; application_id: number }>(
      { name: "any_user", text: "SELECT id, application_id FROM users LIMIT 1" },
      [],
    );
    const { id = 0, application_id: applicationId = 0 } = user ?? {};
    const viewer: UserViewer = { kind: "user", sessionId: 1, applicationId, userId: id };
    await findSession(identity, `token${id}`);
    await listSessions(identity, viewer);
    await expect(bindWebSession(identity, viewer, "no code")).rejects.toThrow(/waits/);
    for (const credentials of [{ login: "login7" }, { email: "7@mail.example" }]) {
      const wrong = { ...credentials, password: "no" };
      const attempt = checkCredentials(identity, applicationId, wrong, "127.0.0.1");
      await expect(attempt).rejects.toThrow(/Unauthorized/);
    }
    const keys: UserKey[] = [
      { id: String(id) },
      { login: "login7" },
      { email: "7@mail.example" },
      { facebookId: "fb7" },
      { twitterId: "tw7" },
      { externalId: "ext7" },
      { externalId: "xid7" },
    ];
    for (const key of keys) {
      expect(await findUser(identity, applicationId, key)).not.toBeNull();
    }
    const application = await findApplication(identity, applicationId);
    const verified = { subject: `fb${id}`, fullName: null, email: null, phone: null };
    expect((await userOf(identity, application, "facebook", verified)).id).toBe(id);
    for (const conditions of PAGES) {
      const { list } = await pageUsers(identity, viewer, { filter: conditions, page: 2 });
      await list.total();
    }
    for (const page of [1, 2]) {
      await (await usersByFullName(identity, viewer, "Name7", { page })).list.total();
      await (await usersByTags(identity, viewer, ["tag7", "tag8"], { page })).list.total();
    }
    expect(await identity.existence.has(applicationId, id)).toBe(true);
    const samples = { id: [id, id], userTags: ["tag7", "tag7"] } as Record<string, unknown[]>;
    for (const [field, { kind, type }] of Object.entries(USER_LIST_FIELDS)) {
      if (kind === "additional") continue;
      const [value = ""] = samples[field] ?? ["login7"];
      const operators: object[] = [{ eq: value }, { in: [value] }];
      if (type === "text") operators.push({ startWith: "tag4999" });
      for (const operator of operators) {
        const filter = { [field]: operator } as UserFilter;
        const { total } = await listUsers(identity, viewer, { filter, offset: 1 });
        await total();
      }
    }
    const reset = { applicationId, emailKey: "7@mail.example" };
    const mailed: string[] = [];
    await sendReset(identity, mailerTo(mailed), reset);
    const token = /token=([\w-]+)/.exec(mailed[0] ?? "")?.[1] ?? "";
    expect(await findLink(identity, token)).toMatchObject({ email: reset.emailKey });
    await identity.touches.sweep();
    // At a time at which nothing is over yet.
    await purge({ ...identity, clock: { now: () => 0 } });
  } finally {
    await room.close();
  }

  const plans = new Map<string, string>();
  for (const { statement, values } of asked) {
    const rows = await store.query<{ "QUERY PLAN": string }>(
      { name: "explain", text: `EXPLAIN ${statement.text}` },
      values,
    );
    plans.set(statement.text, rows.map((row) => row["QUERY PLAN"]).join("\n"));
  }
  expect(plans.size).toBeGreaterThan(25);
  const scans = [...plans].filter(([, plan]) => SCAN.test(plan));
  expect(scans).toEqual([]);
}, 120_000);

it("would notice a look-up that no index serves", async () => {
  const rows = await store.query<{ "QUERY PLAN": string }>(
    { name: "explain", text: "EXPLAIN SELECT 1 FROM users WHERE website = $1" },
    ["x"],
  );
  expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(SCAN);
});
