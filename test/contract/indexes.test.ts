import "reflect-metadata";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { authLookups } from "../../src/auth-lookups";
import type { Caller } from "../../src/core/caller";
import { systemClock } from "../../src/core/clock";
import { readConfig } from "../../src/core/config";
import { Fault } from "../../src/core/errors";
import { openLog } from "../../src/core/log";
import { newKey } from "../../src/core/random";
import { Sealer } from "../../src/core/sealer";
import type { AccountViewer, MemberViewer, UserViewer } from "../../src/core/viewer";
import { RequestAuth } from "../../src/domain/access/request-auth";
import { ViewerSubscriptions } from "../../src/domain/access/viewer-subscriptions";
import { AccountResolver } from "../../src/domain/accounts/account.resolver";
import type { AccountType } from "../../src/domain/accounts/account.type";
import type {
  AccountContext,
  AccountDeps,
  InvitationMailJob,
} from "../../src/domain/accounts/account-deps";
import {
  closeEndedMemberConnections,
  findMemberByToken,
  signInMember,
  signOutMember,
  signOutMemberEverywhere,
} from "../../src/domain/accounts/account-sessions";
import { updateAccount } from "../../src/domain/accounts/accounts";
import { updateCurrentMember } from "../../src/domain/accounts/current-member";
import {
  acceptInvitation,
  inviteMember,
  revokeInvitation,
  sendInvitationMail,
} from "../../src/domain/accounts/invitations";
import { AccountMembersResolver } from "../../src/domain/accounts/member.resolver";
import { removeMember, updateMember } from "../../src/domain/accounts/members";
import { listApiKeysOfApplication } from "../../src/domain/api-keys/api-key-queries";
import { createApiKey, findApiKey, revokeApiKey } from "../../src/domain/api-keys/api-keys";
import { openApiKeys } from "../../src/domain/api-keys/open-api-keys";
import { deleteApplicationWithUsers } from "../../src/domain/applications/application-deletion";
import {
  findApplicationName,
  findCallEndSettings,
  findCallPushSettings,
  findMissedCallSettings,
  findNewCallsPerMinute,
  isAnsweredElsewhereEnabled,
} from "../../src/domain/applications/application-queries";
import { findApplication } from "../../src/domain/applications/applications";
import { bootstrap, type DeploymentEndpoints } from "../../src/domain/applications/bootstrap";
import {
  createApplication,
  findOwnedApplication,
  listApplications,
  rotateSecret,
  updateApplication,
} from "../../src/domain/applications/owned-applications";
import { AUTH_SECRET_PURPOSE, resealSecrets } from "../../src/domain/applications/secret-key";
import { findResetLink, sendResetMail } from "../../src/domain/password-reset/password-reset";
import { hashPassword } from "../../src/domain/passwords/password";
import { listCredentialProblems } from "../../src/domain/push/credentials/credential-problems";
import {
  clearCredentials,
  openCredentialService,
  recheckCredentials,
  setCredentials,
} from "../../src/domain/push/credentials/push-credentials";
import { resealCredentials } from "../../src/domain/push/credentials/reseal-credentials";
import {
  createPushSubscription,
  deletePushSubscription,
  listPushSubscriptions,
} from "../../src/domain/push/devices/push-subscriptions";
import type { SubscriptionFields } from "../../src/domain/push/devices/subscription-fields";
import type { SessionDeps } from "../../src/domain/sessions/session-deps";
import {
  endSessionsOfUser,
  listApplicationSessions,
  listSessions,
} from "../../src/domain/sessions/session-list";
import { destroySessionOf, findSession } from "../../src/domain/sessions/sessions";
import { consumeJwt } from "../../src/domain/sign-in/consumed-jwt-queries";
import { findOrCreateUser } from "../../src/domain/sign-in/provider-users";
import { findVouchedUser } from "../../src/domain/sign-in/vouched-users";
import { blockUser, unblockUser } from "../../src/domain/users/blocks";
import { checkCredentials, refusedSignIn } from "../../src/domain/users/credentials";
import { listApplicationUsers } from "../../src/domain/users/lists/application-users";
import type { LegacyCondition } from "../../src/domain/users/lists/legacy-filter";
import { USER_LIST_FIELDS, type UserFilter } from "../../src/domain/users/lists/user-filter";
import { listUsers } from "../../src/domain/users/lists/user-list";
import { listUserPage, usersByFullName, usersByTags } from "../../src/domain/users/lists/user-page";
import { exportUser } from "../../src/domain/users/user-export";
import { findUser, type UserKey } from "../../src/domain/users/user-queries";
import { deleteUser, insertUser, requireUser, updateUser } from "../../src/domain/users/users";
import { bindWebSession } from "../../src/domain/web-sessions/web-sessions";
import { purgeExpired } from "../../src/open-domain";
import type { Mail, Mailer } from "../../src/platform/mail/mail";
import { openStore } from "../../src/platform/store/open";
import type { Statement, Store } from "../../src/platform/store/store";
import { explain } from "../../tools/explain";
import { openTestModules, type TestModules } from "../support/auth-modules";
import { type FreshDatabase, freshDatabase } from "../support/operations/database";
import { fillTables } from "../support/operations/fill-tables";

/** Enough rows that the planner prefers an index to scanning the table. */
const ROWS = 100_000;

const sealer = new Sealer([newKey()]);

const FILL = [
  `INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'key', now())`,
  `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
    SELECT id, 'x', 'k', '${sealer.seal("s", AUTH_SECRET_PURPOSE)}', '{}', now() FROM accounts`,
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
  `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
      token, updated_at)
    SELECT application_id, id, 'gcm', 'development', 'android', 'udid' || id, 'token' || id, now()
    FROM users`,
  "UPDATE applications SET v1_list_disabled = false",
  `INSERT INTO password_resets (user_id, token_hash, expires_at)
    SELECT id, sha256(convert_to('link' || id, 'UTF8')), now() + interval '1 hour' FROM users`,
  `INSERT INTO nonces (application_id, ts, nonce) SELECT a.id, n, n
    FROM applications a, generate_series(1, ${ROWS}) n`,
  `INSERT INTO push_events (application_id, user_id, channel, environment, message, selector,
      updated_at)
    SELECT application_id, id, 'gcm', 'production', 'm', '{}', now() FROM users`,
  `INSERT INTO push_deliveries (event_id, subscription_id, updated_at)
    SELECT e.id, s.id, now() FROM push_events e JOIN push_subscriptions s ON s.user_id = e.user_id`,
  `INSERT INTO calls (application_id, session_id, caller_id)
    SELECT application_id, 's' || id, id FROM users`,
  `INSERT INTO call_participants (call_id, user_id, session_id, rang_at)
    SELECT c.id, u.id, c.session_id, c.started_at FROM calls c JOIN users u ON u.id = c.caller_id + 1`,
  `INSERT INTO call_signals (call_id, key, kind, from_user_id, first_at, last_at)
    SELECT id, gen_random_uuid(), 'call', caller_id, started_at, started_at FROM calls`,
  `INSERT INTO conferences (application_id, name, seats, video, access, origin, bitrate, created_by)
    SELECT application_id, 'room' || id, 12, true, 'everyone', 'graphql', 600000, id FROM users`,
  "INSERT INTO conference_users (conference_id, user_id) SELECT id, created_by FROM conferences",
  `INSERT INTO conference_members (conference_id, number, user_id, name, device, lease_until)
    SELECT id, created_by, created_by, 'n', 'd', now() FROM conferences`,
  `INSERT INTO conference_links (conference_id, secret_hash, expires_at, max_uses, created_by)
    SELECT id, sha256(convert_to('link' || id, 'UTF8')), now() + interval '1 day', 5, created_by FROM conferences`,
  `INSERT INTO conference_guests (id, conference_id, link_id, name, token_hash, expires_at)
    SELECT 1000000000 + id, conference_id, id, 'g', sha256(convert_to('guest' || id, 'UTF8')),
      now() + interval '1 day' FROM conference_links`,
  `INSERT INTO accounts (name, account_key, updated_at)
    SELECT 'more', 'key' || n, now() FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO account_members (account_id, email, password_hash, role)
    SELECT id, account_key || '@owner.example', 'no hash', 'owner' FROM accounts`,
  `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
    SELECT a.id, 'x', 'k', x.auth_secret, '{}', now() FROM accounts a, applications x
    WHERE a.name = 'more'`,
  `INSERT INTO api_keys (application_id, name, key_hash, scopes, created_by)
    SELECT a.id, 'key', sha256(convert_to('sbk' || a.id, 'UTF8')), '{users}', m.id
    FROM applications a JOIN account_members m ON m.account_id = a.account_id`,
  `INSERT INTO consumed_jwts (application_id, jti_hash, expires_at)
    SELECT id, sha256(convert_to('jti' || id, 'UTF8')), now() + interval '1 hour' FROM applications`,
  `INSERT INTO account_invitations (account_id, email, role, invited_by, secret_hash, expires_at)
    SELECT account_id, email, 'support', id, sha256(email::bytea), now() + interval '1 hour'
    FROM account_members`,
  `INSERT INTO account_sessions (member_id, token_hash, expires_at, last_activity_at)
    SELECT id, sha256(convert_to('owner' || id, 'UTF8')), now() + interval '1 hour', now()
    FROM account_members`,
  `INSERT INTO audit_entries (account_id, member_id, email, role, action, targets, fields, ip, request_id,
      created_at)
    SELECT account_id, id, email, role, 'signInMember', '[]', '[]', '127.0.0.1', 'r', now()
    FROM account_members`,
  `INSERT INTO push_credentials (application_id, environment, service, settings, secret, updated_at)
    SELECT a.id, e, s, '{}', '{}', now() FROM applications a,
      unnest(enum_range(NULL::push_environment)) e, unnest(enum_range(NULL::push_service)) s`,
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
const SCAN = /Seq Scan on (\w+)/;
const INDEX_SCAN = /^( *)(?:-> +)?(?:Parallel )?Index (?:Only )?Scan (?:Backward )?using/;

/** Whether a plan reads a whole table or a whole index. */
function readsAll(plan: string): boolean {
  if (SCAN.test(plan)) return true;
  // An index scan without a condition reads the whole index, unless a limit ends it early.
  if (/^ *(?:-> +)?Limit\b/m.test(plan)) return false;
  const lines = plan.split("\n");
  return lines.some((line, index) => {
    if (!INDEX_SCAN.test(line)) return false;
    const next = lines.findIndex((each, at) => at > index && /-> |^ *SubPlan|^ *CTE/.test(each));
    const details = lines.slice(index + 1, next < 0 ? undefined : next);
    return !details.some((each) => each.includes("Index Cond:"));
  });
}

let database: FreshDatabase;
let store: Store;
/** The statements of the functions under test, with values. */
const recorded: Array<{ statement: Statement; values: unknown[] }> = [];

beforeAll(async () => {
  database = await freshDatabase();
  // One connection, so that its statistics can be flushed and read at any time.
  const variables = { LOG_LEVEL: "silent", DATABASE_POOL: "1", ...database.environment };
  const config = readConfig(variables);
  store = await openStore({ config, log: openLog("silent"), isNode: true });
  await fillTables(store, FILL);
});

afterAll(async () => {
  await store.close();
  await database.remove();
});

/** Opens the modules on a store that records its statements. */
async function openModules(): Promise<TestModules> {
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  const recording =
    (query: Store["query"]): Store["query"] =>
    (statement, values) => {
      recorded.push({ statement, values });
      return query(statement, values);
    };
  const recordingStore: Store = {
    ...store,
    query: recording(store.query),
    transaction: (act) =>
      store.transaction((open) => act({ ...open, query: recording(open.query) })),
  };
  return openTestModules({ config, store: recordingStore, sealer });
}

/** Records the text of each mail instead of sending it. */
function mailerTo(texts: string[]): Mailer {
  return {
    kind: "smtp",
    send: async ({ text }) => void texts.push(text),
    check: async () => undefined,
    close: async () => undefined,
  };
}

/** Runs every statement about push credentials. */
async function queryPushCredentials(deps: SessionDeps): Promise<void> {
  const credentials = openCredentialService(deps, async () => null);
  const [row] = await store.query<{ id: number; account_id: number }>(
    { name: "any_application", text: "SELECT id, account_id FROM applications LIMIT 1" },
    [],
  );
  const { id = 0, account_id: account = 0 } = row ?? {};
  const scope = { applicationId: String(id), environment: "production" } as const;
  const web = { generate: true, subject: "mailto:push@example.com" };
  await setCredentials(credentials, account, scope, { web }, false);
  expect(await recheckCredentials(credentials, account, scope, "web")).toHaveLength(1);
  expect(await credentials.listLoader.load(id)).toHaveLength(6);
  await listCredentialProblems(credentials, account);
  expect((await clearCredentials(credentials, account, scope, "web")).cleared).toBe(true);
  // Seals the plain-text credentials; one page covers every statement.
  const firstPage: Store = {
    ...deps.store,
    query: (statement, values) =>
      values[0] === 0 || statement.name !== "all_push_secrets"
        ? deps.store.query(statement, values)
        : Promise.resolve([]),
  };
  await resealCredentials(firstPage, deps.sealer);
  credentials.close();
}

it("serves every query of a request from an index", async () => {
  const modules = await openModules();
  try {
    const { users, sessions, passwordReset } = modules;
    const [user] = await store.query<{ id: number; application_id: number }>(
      { name: "any_user", text: "SELECT id, application_id FROM users LIMIT 1" },
      [],
    );
    const { id = 0, application_id: applicationId = 0 } = user ?? {};
    const viewer: UserViewer = { kind: "user", sessionId: 1, applicationId, userId: id };
    await findSession(sessions, `token${id}`);
    await listSessions(sessions, viewer);
    await expect(bindWebSession(sessions, viewer, "no code")).rejects.toThrow(/waits/);
    for (const credentials of [{ login: "login7" }, { email: "7@mail.example" }]) {
      const wrong = { ...credentials, password: "no" };
      const attempt = checkCredentials(sessions, applicationId, wrong, "127.0.0.1");
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
      expect(await findUser(sessions, applicationId, key)).not.toBeNull();
    }
    const application = await findApplication(sessions, applicationId);
    const verified = { subject: `fb${id}`, fullName: null, email: null, phone: null };
    expect((await findOrCreateUser(sessions, application, "facebook", verified)).id).toBe(id);
    const reaching = {
      ...application,
      ...{ serverSessionsCreateUsers: true, serverSessionsReachSignedUpUsers: true },
    };
    const name = { kind: "login", value: `login${id}`, field: "login" } as const;
    for (const noted of [1, 0]) {
      const notes: number[] = [];
      const vouched = await findVouchedUser(sessions, reaching, name, {}, async (user, note) => {
        notes.push(user.id);
        await note();
      });
      expect([vouched.id, notes.length]).toEqual([id, noted]);
    }
    for (const conditions of PAGES) {
      const { list } = await listUserPage(sessions, viewer, { filter: conditions, page: 2 });
      await list.total();
    }
    for (const page of [1, 2]) {
      await (await usersByFullName(sessions, viewer, "Name7", { page })).list.total();
      await (await usersByTags(sessions, viewer, ["tag7", "tag8"], { page })).list.total();
    }
    expect(await users.existence.has(applicationId, id)).toBe(true);
    const samples = { id: [id, id], userTags: ["tag7", "tag7"] } as Record<string, unknown[]>;
    for (const [field, { kind, type }] of Object.entries(USER_LIST_FIELDS)) {
      if (kind === "additional") continue;
      const [value = ""] = samples[field] ?? ["login7"];
      const operators: object[] = [{ eq: value }, { in: [value] }];
      if (type === "text") operators.push({ startWith: "tag4999" });
      for (const operator of operators) {
        const filter = { [field]: operator } as UserFilter;
        const { list } = await listUsers(sessions, viewer, { filter, offset: 1 });
        await list.total();
      }
    }
    const reset = { applicationId, userId: 7 };
    const mailed: string[] = [];
    await sendResetMail(passwordReset, mailerTo(mailed), reset);
    const token = /token=([\w-]+)/.exec(mailed[0] ?? "")?.[1] ?? "";
    expect(await findResetLink(passwordReset, token)).toMatchObject({ userId: 7 });
    const device = (udid: string, token: string): SubscriptionFields => ({
      channel: "gcm",
      environment: "development",
      platform: "android",
      udid,
      token,
    });
    // Unchanged, with the token of another user, new, and deleted.
    await createPushSubscription(sessions, viewer, device(`udid${id}`, `token${id}`));
    await createPushSubscription(sessions, viewer, device(`udid${id}`, `token${id + 1}`));
    const { id: made } = await createPushSubscription(sessions, viewer, device("new", "new"));
    expect((await listPushSubscriptions(sessions, viewer)).nodes).toHaveLength(2);
    await deletePushSubscription(sessions, viewer, String(made));
    const pushed = recorded.filter(({ statement }) => /push_subscription/.test(statement.text));
    expect(new Set(pushed.map(({ statement }) => statement.text)).size).toBe(6);
    await sessions.activity.sweep();
    // At a time at which nothing has expired.
    await purgeExpired({ ...sessions, clock: { now: () => 0 } });
    await queryPushCredentials(sessions);
  } finally {
    await modules.close();
  }

  const plans = await plansOf(recorded.splice(0));
  expect(plans.size).toBeGreaterThan(25);
  expect([...plans].filter(([, plan]) => readsAll(plan))).toEqual([]);
});

/** The query plan of each statement, by its text. */
async function plansOf(statements: typeof recorded): Promise<Map<string, string>> {
  const plans = new Map<string, string>();
  for (const { statement, values } of statements) {
    plans.set(statement.text, await explain(store, statement.text, values));
  }
  return plans;
}

/** The number of sequential scans of each table so far. */
async function countScans(): Promise<Record<string, number>> {
  await store.query({ name: "flush", text: FLUSH_STATS }, []);
  const rows = await store.query<{ name: string; scans: number }>(
    {
      name: "scans",
      text: "SELECT relname AS name, seq_scan AS scans FROM pg_stat_user_tables ORDER BY 1",
    },
    [],
  );
  return Object.fromEntries(rows.map(({ name, scans }) => [name, scans]));
}
const FLUSH_STATS = "SELECT pg_stat_force_next_flush()::text, pg_stat_clear_snapshot()::text";

/** The names of all statements in these folders. */
function statementsOf(...folders: string[]): string[] {
  const files = folders.flatMap((folder) => {
    const path = join(__dirname, "../../src/domain", folder);
    return readdirSync(path).map((file) => join(path, file));
  });
  return files
    .flatMap((file) => [
      ...readFileSync(file, "utf8").matchAll(/(?:\bname: |\bcounted\(\s*)"([a-z_]+)"/g),
    ])
    .map(([, name = ""]) => name)
    .sort();
}

/** Invites somebody, who accepts, gets a role and is removed. */
async function useMembers(accounts: AccountDeps, viewer: AccountViewer): Promise<void> {
  const jobs: InvitationMailJob[] = [];
  const openInvitationQueue = async () => async (_: unknown, job: InvitationMailJob) => {
    jobs.push(job);
  };
  const secrets: string[] = [];
  const mailer = {
    kind: "smtp" as const,
    send: async ({ text }: Mail) => {
      secrets.push(/invitation\/([\w-]{43})/.exec(text)?.[1] ?? "");
    },
    check: async () => undefined,
    close: async () => undefined,
  };
  const deps = { ...accounts, openInvitationQueue };
  await inviteMember(deps, viewer, "new@owner.example", "developer");
  const revoked = await inviteMember(deps, viewer, "revoked@owner.example", "developer");
  await revokeInvitation(deps, viewer, String(revoked.invitation.id));
  for (const job of jobs) await sendInvitationMail(deps, mailer, job);
  const account = { id: viewer.accountId } as AccountType;
  const context = { accounts: deps } as unknown as AccountContext;
  expect(await new AccountMembersResolver().invitations(account, context)).toHaveLength(2);
  const from = { ip: "127.0.0.1", requestId: "1" };
  const accepted = await acceptInvitation(deps, secrets[0] ?? "", "correct horse", from);
  const close = () => undefined;
  accounts.sessionEvents.members.track({ ...accepted.viewer, close });
  const id = String(accepted.viewer.memberId);
  expect(await new AccountMembersResolver().members(account, context)).toHaveLength(2);
  await updateMember(deps, viewer, id, "support");
  await removeMember(deps, viewer, id);
}

it("serves every query of an owner from an index, including Prisma's", async () => {
  const modules = await openModules();
  try {
    const { accounts, applications, users, sessions } = modules;
    const [account] = await store.query<{ id: number }>(
      { name: "first", text: "SELECT id FROM accounts ORDER BY id LIMIT 1" },
      [],
    );
    const accountId = account?.id ?? 0;
    await store.db.accountMember.updateMany({
      where: { accountId: BigInt(accountId) },
      data: { email: "owner@example.com", passwordHash: await hashPassword("correct horse") },
    });
    const [own] = await listApplications(applications, accountId);
    if (!own) throw new Error("the account has no application");
    const id = String(own.id);
    // A secret and a setting in plain text, as old databases have them.
    const clear = { facebook: { appId: "1", appSecret: "s" } };
    await store.db.application.update({
      where: { id: BigInt(id) },
      data: { authSecret: "in clear", settings: clear },
    });
    const [someone] = await store.query<{ id: number }>(
      { name: "someone", text: "SELECT id FROM users ORDER BY id OFFSET 7 LIMIT 1" },
      [],
    );
    const userId = String(someone?.id);
    const from = { ip: "127.0.0.1", requestId: "r" };
    const before = await countScans();

    await resealSecrets(accounts.store, sealer);
    const wrong = signInMember(accounts, { email: "7@owner.example", password: "wrong" }, from);
    await expect(wrong).rejects.toThrow(/Unauthorized/);
    const credentials = { email: "owner@example.com", password: "correct horse" };
    const { token } = await signInMember(accounts, credentials, from);
    const later = { ...accounts, clock: { now: () => systemClock.now() + 120_000 } };
    const viewer = await findMemberByToken(later, token);
    const changes = { password: "another horse", oldPassword: credentials.password };
    await updateCurrentMember(accounts, viewer, changes, from.ip);
    await updateAccount(accounts, accountId, { name: "a" });
    await useMembers(accounts, viewer);
    const caller: Caller = { protocol: "graphql", ip: from.ip, requestId: "1" };
    const { limits } = accounts;
    const auth = new RequestAuth(
      authLookups(
        sessions,
        accounts,
        { findLinkGuest: () => Promise.reject(Fault.noSession()) },
        { ...accounts, uses: { record: () => undefined } },
      ),
      caller,
    );
    const viewerSubscriptions = new ViewerSubscriptions();
    const context = { accounts, caller, auth, limits, viewerSubscriptions };
    await new AccountResolver().accountSettings(context, "key7");
    const { id: made } = await createApplication(applications, accountId, "new");
    await findOwnedApplication(applications, accountId, String(made));
    await updateApplication(applications, accountId, id, { webOrigins: ["https://a.example"] });
    await rotateSecret(applications, accountId, id, 60);
    await findApplication(applications, own.id);
    await applications.webOrigins.check(own.id, "https://a.example");
    expect(await isAnsweredElsewhereEnabled(accounts.store, own.id)).toBe(false);
    expect(await findNewCallsPerMinute(accounts.store, own.id)).toBeNull();
    expect(await findApplicationName(accounts.store, own.id)).toBe(own.name);
    expect((await findCallPushSettings(accounts.store, [own.id])).size).toBe(0);
    expect((await findMissedCallSettings(accounts.store, [own.id])).size).toBe(0);
    await findCallEndSettings(accounts.store, [own.id]);
    for (const search of [null, "login7", "7@mail.example", "l", "nobody of that name"]) {
      const cursor =
        search === null
          ? userId
          : Buffer.from(JSON.stringify(["login", "login5"])).toString("base64url");
      for (const page of [{}, { after: cursor, first: 10 }, { before: cursor, last: 10 }]) {
        const { list, total } = await listApplicationUsers(users, own.id, { search, ...page });
        expect([await total(), list.users.length]).toBeDefined();
      }
    }
    for (const page of [{}, { after: userId, first: 10 }, { before: userId, last: 10 }]) {
      const { nodes, total } = await listApplicationSessions(sessions, own.id, page);
      expect(nodes.length).toBeGreaterThan(0);
      expect(await total()).toEqual({ count: 10_000, exact: false });
    }
    for (const page of [{}, { after: "1", last: 10 }]) {
      const { total } = await listApplicationSessions(sessions, own.id, { userId, ...page });
      expect(await total()).toEqual({ count: 1, exact: true });
    }
    const member: MemberViewer = {
      ...{ kind: "member", accountId, role: "owner", key: null },
      owns: async (each) => each === own.id,
    };
    const fields = { name: "backend", scopes: ["users"], expiresAt: null } as const;
    const { key, apiKey } = await createApiKey(accounts, viewer, own.id, fields);
    const apiKeys = openApiKeys({ ...accounts, sessionEvents: modules.sessionEvents });
    expect((await findApiKey(apiKeys, key)).id).toBe(apiKey.id);
    await apiKeys.close();
    const used = { ...apiKey, lastUsedAt: expect.any(Date) };
    expect(await listApiKeysOfApplication(accounts.store, own.id)).toContainEqual(used);
    const ended = { id: apiKey.id, endedSessions: 0 };
    expect(await revokeApiKey(apiKeys, member, String(apiKey.id), true)).toEqual(ended);
    const again = revokeApiKey(apiKeys, member, String(apiKey.id), true);
    await expect(again).rejects.toThrow(/no such/);
    const jti = Buffer.from("the hash of an id");
    expect(await consumeJwt(accounts.store, own.id, jti, new Date())).toBe(true);
    expect((await blockUser(users, own.id, userId, "Spam")).blockReason).toBe("Spam");
    const signedIn = {
      user: await requireUser(users, own.id, userId),
      passwordHash: null,
    };
    expect((await refusedSignIn(accounts.store, signedIn)).code).toBe("FORBIDDEN");
    expect((await unblockUser(users, own.id, userId)).blockedAt).toBeNull();
    const profile = { fullName: "New", email: "new@mail.example", tags: ["a"] };
    const updated = await updateUser(users, member, userId, profile, from.ip);
    expect(updated).toMatchObject(profile);
    await expect(destroySessionOf(sessions, member, "9007199254740991")).rejects.toThrow(/no such/);
    expect(await endSessionsOfUser(sessions, Number(userId))).toBe(0);
    const { list } = await listApplicationUsers(users, own.id, { search: "LOGIN77" });
    expect(list.users.map(({ login }) => login)).toContain("Login77");
    const { export: exported } = await exportUser(users, own.id, userId);
    expect(exported).toMatchObject({
      deliveries: [expect.anything()],
      calls: [expect.anything()],
    });
    expect(await deleteUser(users, member, { id: userId })).toBe(Number(userId));
    await bootstrap(accounts.store, sealer, "nowhere", {} as DeploymentEndpoints);
    await closeEndedMemberConnections(accounts);
    await signOutMember(accounts, viewer);
    await signOutMemberEverywhere(accounts, viewer);
    await purgeExpired({ ...sessions, clock: { now: () => 0 } });

    expect(await countScans()).toEqual(before);
    // Not counted: no index finds the subscriptions of an application, of which there are none by then.
    await insertUser(users, Number(made), { login: "last", password: "correct horse" }, from.ip);
    await deleteApplicationWithUsers(applications, { accountId, applicationId: Number(made) });
    expect(await listApplications(applications, accountId)).not.toContainEqual(
      expect.objectContaining({ id: Number(made) }),
    );
  } finally {
    await modules.close();
  }
  const statements = recorded.splice(0);
  const names = new Set(statements.map(({ statement }) => statement.name));
  expect(
    statementsOf("accounts", "api-keys", "applications")
      // Only the first start of a database takes this advisory lock.
      .filter((name) => name !== "lock_first_account" && !names.has(name)),
  ).toEqual([]);
  const plans = await plansOf(statements);
  expect([...plans].filter(([, plan]) => readsAll(plan))).toEqual([]);
});

it("detects a query that no index serves", async () => {
  const before = await countScans();
  expect(await store.db.user.findFirst({ where: { website: "x" } })).toBeNull();
  const after = await countScans();
  expect(after.users).toBeGreaterThan(before.users ?? 0);
  const scan = await explain(store, "SELECT 1 FROM users WHERE website = $1", ["x"]);
  expect(readsAll(scan)).toBe(true);
  const text = "SELECT id FROM push_deliveries WHERE reason = $1 ORDER BY id";
  await store.execute(
    "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off",
  );
  const [plan] = (await plansOf([{ statement: { name: "x", text }, values: ["x"] }])).values();
  await store.execute("RESET enable_seqscan; RESET enable_bitmapscan; RESET enable_sort");
  expect(plan).toMatch(/Index Scan using push_deliveries_pkey/);
  expect(readsAll(plan ?? "")).toBe(true);
});
