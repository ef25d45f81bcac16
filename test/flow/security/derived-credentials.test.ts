import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hashToken, newToken } from "../../../src/core/random";
import { RESET_PATH } from "../../../src/domain/password-reset/reset-mail";
import { createConference, mutate } from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { startNode, type TestNode } from "../../support/node";
import { newGuest, newUser, rest, type TestUser } from "../../support/rest-client";
import { blockUser } from "../../support/sessions/blocks";
import { ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/**
 * Every stored credential ends with the right that it was derived from. A credential is a column with a token, a secret
 * or their hash; each has a row here that says what ends it. What is not stored is derived as follows: TURN credentials
 * are signed with an end of their own, the token that the dashboard hands to an explorer is that of the member's
 * session, and sockets, chat streams, also those that can be resumed, and sessions of legacy conference clients end
 * with the session or user that they were opened with (test/flow/sessions/revocation.test.ts).
 */

/** A user who moderates the conference of a host, and an owner of the account. */
interface World {
  at: TestNode;
  host: TestUser;
  user: TestUser;
  conferenceId: string;
  /** Id of the account's member. */
  memberId: number;
}

/** A credential of a world. */
interface Made {
  column: string;
  secret: string;
}

/** Ways in which a right ends. */
const WAYS = {
  "nothing happens": async () => undefined,
  "the user is blocked": ({ at, user }) => blockUser(at, user),
  "the user is erased": ({ at, user }) =>
    rest(at, "DELETE", `/users/${user.id}`, { token: user.token }),
  "the user has a new password": async ({ at, user }) => {
    const input = { id: String(user.id), password: "another correct horse" };
    await mutate(at, "updateUser", "user { id }", input, await ownerToken(at));
  },
  "the user is no longer listed": (world) =>
    setModerators(world, { userIds: [], moderatorIds: [] }),
  "the user moderates no longer": (world) =>
    setModerators(world, { userIds: [String(world.user.id)], moderatorIds: [] }),
  "the link is withdrawn": async ({ at, host, conferenceId }) => {
    const links = await at.sql<{ id: number }>(
      "SELECT id FROM conference_links WHERE conference_id = $1",
      [Number(conferenceId)],
    );
    for (const { id } of links) {
      await mutate(at, "deleteConferenceLink", "deletedLinkId", { linkId: String(id) }, host.token);
    }
  },
  "the guest is removed": async ({ at, host, conferenceId }) => {
    const guests = await at.sql<{ id: number }>(
      "SELECT id FROM conference_guests WHERE conference_id = $1",
      [Number(conferenceId)],
    );
    for (const { id } of guests) {
      const removal = { conferenceId, participantId: String(id) };
      await mutate(at, "removeConferenceParticipant", "done", removal, host.token);
    }
  },
  "the conference is closed": ({ at, host, conferenceId }) =>
    mutate(at, "closeConference", "conference { id }", { conferenceId }, host.token),
  "the member is removed": async ({ at, memberId }) =>
    mutate(at, "removeMember", "removedMemberId", { id: String(memberId) }, await ownerToken(at)),
  "the member becomes a support member": async ({ at, memberId }) =>
    mutate(
      at,
      "updateMember",
      "member { id }",
      { id: String(memberId), role: "SUPPORT" },
      await ownerToken(at),
    ),
  "the application is deleted": async ({ at }) =>
    mutate(
      at,
      "deleteApplication",
      "deletedApplicationId",
      { applicationId: String(at.application.id) },
      await ownerToken(at),
    ),
  "its time is over": async ({ at }, made) => {
    for (const { column, secret } of made) {
      const [table, hash] = column.split(".");
      const ended = await at.sql(
        `UPDATE ${table} SET expires_at = now() - interval '1 hour' WHERE ${hash} = $1 RETURNING 1 AS one`,
        [hashToken(secret)],
      );
      expect(ended).toHaveLength(1);
    }
  },
} satisfies Record<string, (world: World, made: Made[]) => Promise<unknown>>;
type Way = keyof typeof WAYS;

const setModerators = ({ at, host, conferenceId }: World, lists: object) =>
  mutate(at, "updateConference", "conference { id }", { conferenceId, ...lists }, host.token);

/** A kind of credential. */
interface Kind {
  /** Table and column of its hash. */
  column: string;
  /** Makes one. @returns the secret */
  make(world: World): Promise<string>;
  works(world: World, secret: string): Promise<boolean>;
  /** The ways that end it; all others leave it valid. */
  ends: Way[];
}

const createLink = async ({ at, user, conferenceId }: World): Promise<string> =>
  (await mutate(at, "createConferenceLink", "secret", { conferenceId }, user.token)).secret;
const memberLink = async ({ at, conferenceId, memberId }: World): Promise<string> => {
  const secret = newToken();
  await at.sql(
    `INSERT INTO conference_links (conference_id, secret_hash, expires_at, max_uses, created_by_member)
      VALUES ($1, $2, now() + interval '1 day', 5, $3)`,
    [Number(conferenceId), hashToken(secret), memberId],
  );
  return secret;
};
const admit = async (at: TestNode, secret: string): Promise<string> =>
  (await mutate(at, "admitConferenceGuest", "token", { secret, name: "Guest" })).token;
const succeeds = (attempt: Promise<unknown>) =>
  attempt.then(
    () => true,
    (error: unknown) => {
      // Refused, and not failed otherwise.
      expect(String(error)).toMatch(/ (UNAUTHENTICATED|NOT_FOUND|INVALID) /);
      return false;
    },
  );
const admits = ({ at }: World, secret: string) => succeeds(admit(at, secret));
const joins = ({ at, conferenceId }: World, token: string) =>
  succeeds(mutate(at, "joinConference", "membershipId", { conferenceId }, token));

const USER_ENDS: Way[] = ["the user is blocked", "the user is erased"];
const OF_USERS_LINK: Way[] = [
  ...USER_ENDS,
  "the user is no longer listed",
  "the user moderates no longer",
];
const OF_MEMBER: Way[] = ["the member is removed", "the member becomes a support member"];
const OF_LINK: Way[] = [
  "the link is withdrawn",
  "the conference is closed",
  "the application is deleted",
  "its time is over",
];

const KINDS: Record<string, Kind> = {
  "a session of a user": {
    column: "sessions.token_hash",
    async make({ at, user }) {
      const token = newToken();
      await at.sql(
        `INSERT INTO sessions (application_id, user_id, token_hash, nonce, ts, expires_at, last_activity_at, updated_at)
          VALUES ($1, $2, $3, 1, 1, now() + interval '1 hour', now(), now())`,
        [at.application.id, user.id, hashToken(token)],
      );
      return token;
    },
    works: async ({ at }, token) => (await rest(at, "GET", "/session", { token })).status === 200,
    ends: [
      ...USER_ENDS,
      "the user has a new password",
      "the application is deleted",
      "its time is over",
    ],
  },
  "the code that binds a web session, of nobody's right but the application's": {
    column: "sessions.binding_code_hash",
    async make({ at }) {
      const code = newToken();
      await at.sql(
        `INSERT INTO sessions (application_id, web, token_hash, binding_code_hash, nonce, ts, expires_at,
            last_activity_at, updated_at)
          VALUES ($1, true, $2, $3, 1, 1, now() + interval '1 hour', now(), now())`,
        [at.application.id, hashToken(newToken()), hashToken(code)],
      );
      return code;
    },
    async works({ at }, code) {
      const input = { codeOrToken: code };
      // Nobody can sign in to an application that is deleted.
      const user = await newUser(at).catch(() => null);
      return user !== null && succeeds(mutate(at, "bindWebSession", "bound", input, user.token));
    },
    ends: ["the application is deleted", "its time is over"],
  },
  "a session of a member": {
    column: "account_sessions.token_hash",
    async make({ at, memberId }) {
      const token = `acct_${newToken()}`;
      await at.sql(
        `INSERT INTO account_sessions (member_id, token_hash, expires_at, last_activity_at)
          VALUES ($1, $2, now() + interval '1 hour', now())`,
        [memberId, hashToken(token)],
      );
      return token;
    },
    works: async ({ at }, token) =>
      (await graphql(at, "{ currentMember { id } }", {}, token)).errors === undefined,
    ends: ["the member is removed", "its time is over"],
  },
  "an API key": {
    column: "api_keys.key_hash",
    async make({ at, memberId }) {
      const key = `sbk_${newToken()}`;
      await at.sql(
        `INSERT INTO api_keys (application_id, name, key_hash, scopes, created_by, expires_at)
          VALUES ($1, $2, $3, '{users}', $4, now() + interval '1 hour')`,
        [at.application.id, newToken(), hashToken(key), memberId],
      );
      return key;
    },
    works: async ({ at }, key) =>
      (await graphql(at, `{ user(by: { id: "1" }) { id } }`, {}, key)).errors === undefined,
    ends: [...OF_MEMBER, "the application is deleted", "its time is over"],
  },
  "an invitation to the account": {
    column: "account_invitations.secret_hash",
    async make({ at, memberId }) {
      const secret = newToken();
      await at.sql(
        `INSERT INTO account_invitations (account_id, email, role, invited_by, secret_hash, expires_at)
          SELECT account_id, $1, 'support', id, $3, now() + interval '1 hour' FROM account_members WHERE id = $2`,
        [`${newToken().toLowerCase()}@example.com`, memberId, hashToken(secret)],
      );
      return secret;
    },
    works: ({ at }, secret) =>
      succeeds(mutate(at, "acceptInvitation", "token", { secret, password: "correct horse" })),
    ends: [...OF_MEMBER, "its time is over"],
  },
  "a link that resets a password": {
    column: "password_resets.token_hash",
    async make({ at, user }) {
      const token = newToken();
      await at.sql(
        `INSERT INTO password_resets (user_id, token_hash, expires_at)
          VALUES ($1, $2, now() + interval '1 hour')`,
        [user.id, hashToken(token)],
      );
      return token;
    },
    works: async ({ at }, token) =>
      (await rest(at, "GET", `${RESET_PATH}?token=${token}`)).status === 200,
    ends: [
      ...USER_ENDS,
      "the user has a new password",
      "the application is deleted",
      "its time is over",
    ],
  },
  "a link of a user for guests": {
    column: "conference_links.secret_hash",
    make: createLink,
    works: admits,
    ends: [...OF_USERS_LINK, ...OF_LINK],
  },
  "a link of a member for guests": {
    column: "conference_links.secret_hash",
    make: memberLink,
    works: admits,
    ends: [...OF_MEMBER, ...OF_LINK],
  },
  "a guest's token by a link of a user": {
    column: "conference_guests.token_hash",
    make: async (world) => admit(world.at, await createLink(world)),
    works: joins,
    ends: [...OF_USERS_LINK, ...OF_LINK, "the guest is removed"],
  },
  "a guest's token by a link of a member": {
    column: "conference_guests.token_hash",
    make: async (world) => admit(world.at, await memberLink(world)),
    works: joins,
    ends: [...OF_MEMBER, ...OF_LINK, "the guest is removed"],
  },
};

/** Columns that only look like credentials, or that nobody's right in this service stands behind. */
const NO_DERIVED = {
  "accounts.account_key": "names an account, and authorizes nothing but its public settings",
  "account_members.password_hash": "is chosen by the member",
  "users.password_hash": "is chosen by the user",
  "users.login_key": "is the lower-case login",
  "users.email_key": "is the lower-case address",
  "applications.auth_key": "is the application's own",
  "applications.auth_secret": "is the application's own, and rotated by its owner",
  "applications.previous_secret": "has an end of its own",
  "applications.previous_secret_until": "is the end of the previous secret",
  "push_credentials.secret": "is of a push service",
  "push_subscriptions.token": "is of a push service; a blocked user's devices get nothing",
  "push_events.idempotency_key": "recognizes a repeated request",
  "push_events.request_hash": "recognizes a repeated request",
  "consumed_jwts.jti_hash": "recognizes a JWT that was accepted",
  "audit_entries.error_code": "is the code of an error",
  "call_signals.key": "identifies an entry, and is not secret",
};

let node: TestNode;
let second: TestNode;
beforeAll(async () => {
  node = await startNode({}, { openEngine: async (listener) => new MemoryEngine(listener) });
});
afterAll(() => node.stop());

async function newWorld(way: Way): Promise<World> {
  if (way === "the application is deleted") second = await secondApplication(node);
  const at = way === "the application is deleted" ? second : node;
  const [member] = await at.sql<{ id: number }>(
    `INSERT INTO account_members (account_id, email, password_hash, role)
      SELECT account_id, $2, 'no hash', 'owner' FROM applications WHERE id = $1 RETURNING id`,
    [at.application.id, `${newToken().toLowerCase()}@example.com`],
  );
  const host = await newGuest(at);
  // A guest has no password, and is cheaper.
  const user = await (way === "the user has a new password" ? newUser : newGuest)(at);
  const moderatorIds = [String(user.id)];
  const conferenceId = await createConference(at, host.token, { moderatorIds });
  return { at, host, user, conferenceId, memberId: member?.id ?? 0 };
}

test("every column that may hold a credential has a row", () => {
  const schema = readFileSync(join(__dirname, "../../../prisma/schema.prisma"), "utf8");
  const columns = schema.split(/^model /m).flatMap((model) => {
    const table = /@@map\("(\w+)"\)/.exec(model)?.[1];
    return model.split("\n").flatMap((line) => {
      const [, field = "", type] = /^ {2}(\w+) +(\w+)/.exec(line) ?? [];
      if (!table || type === undefined || !/^(String|Bytes|DateTime|Json)$/.test(type)) return [];
      if (!/token|secret|hash|code$|key$/i.test(field)) return [];
      return [`${table}.${/ @map\("(\w+)"\)/.exec(line)?.[1] ?? field}`];
    });
  });
  const known = [...Object.values(KINDS).map(({ column }) => column), ...Object.keys(NO_DERIVED)];
  expect(columns.sort()).toEqual([...new Set(known)].sort());
});

test.each(
  Object.keys(WAYS) as Way[],
)("when %s, exactly what was derived from it ends", async (way) => {
  const world = await newWorld(way);
  const made = new Map<string, Made>();
  for (const [name, { column, make }] of Object.entries(KINDS)) {
    made.set(name, { column, secret: await make(world) });
  }
  const end: (world: World, made: Made[]) => Promise<unknown> = WAYS[way];
  await end(world, [...made.values()]);
  const valid: string[] = [];
  for (const [name, { secret }] of made) {
    if (await KINDS[name]?.works(world, secret)) valid.push(name);
  }
  const expected = Object.entries(KINDS).filter(([, { ends }]) => !ends.includes(way));
  expect(valid).toEqual(expected.map(([name]) => name));
});
