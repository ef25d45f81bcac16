import { addCall, addLiveCall } from "../calls/calls";
import { addConference } from "../conferences/stored-conference";
import type { TestNode } from "../node";
import { addFailedJob } from "../operations/failed-jobs";
import { addEvent } from "../push/push";
import { addSubscription } from "../push/push-devices";
import type { TestUser } from "../rest-client";
import { signedParameters } from "../rest-client";
import { addMember } from "../sessions/owner";
import type { Participants } from "./permission-rows";

const PASSWORD = "correct horse";

/** Makes the participants of permission rows on a node. */
export interface World {
  /** A unique number, which tests increase. */
  count: number;
  /** A signed-in user. Its password hash is already computed, and its session is stored, because signing in takes long. */
  signedInUser(at: TestNode): Promise<TestUser>;
  /** New users with objects of user A. */
  participants(
    own: Pick<Participants, "owner"> &
      Partial<Pick<Participants, "invitationSecret" | "resetToken">>,
  ): Promise<Participants>;
}

/**
 * Opens the world of a node with two applications.
 * @param user a user with the password of all users
 */
export async function openWorld(
  node: TestNode,
  foreignNode: TestNode,
  user: Pick<TestUser, "id">,
): Promise<World> {
  const [row] = await node.sql<{ hash: string }>(
    "SELECT password_hash AS hash FROM users WHERE id = $1",
    [user.id],
  );
  const passwordHash = row?.hash ?? "";
  let resetLinks = 0;
  let invitations = 0;
  const world: World = {
    count: 0,

    async signedInUser(at) {
      const login = `cheap-${++world.count}`;
      const token = login.padEnd(43, "-");
      const [made] = await at.sql<{ id: number; sessionId: number }>(
        `WITH made AS (INSERT INTO users (application_id, login, login_key, password_hash, updated_at)
            VALUES ($1, $2, $2, $3, now()) RETURNING id, application_id)
          INSERT INTO sessions (application_id, user_id, token_hash, nonce, ts, sliding, expires_at,
              last_activity_at, ip, user_agent, updated_at)
            SELECT application_id, id, sha256(convert_to($4, 'UTF8')), id, 0, true,
              now() + interval '1 hour', now(), '127.0.0.1', 'node', now() FROM made
            RETURNING user_id::int AS id, id::int AS "sessionId"`,
        [at.application.id, login, passwordHash, token],
      );
      if (!made) throw new Error("no user was stored");
      return { ...made, login, password: PASSWORD, token };
    },

    async participants(own) {
      const [a, b, foreign] = [
        await world.signedInUser(node),
        await world.signedInUser(node),
        await world.signedInUser(foreignNode),
      ] as const;
      const spareApplicationId = await addSpareApplication(node);
      return {
        // Of addInvitations and addResetLinks.
        invitationSecret: () => `inviting${++invitations}`,
        resetToken: () => `link of lost${++resetLinks}`,
        ...own,
        ...(await addMember(node)),
        node,
        foreignNode,
        a,
        b,
        foreign,
        spareApplicationId,
        apiKeyId: await addApiKey(node, spareApplicationId),
        subscriptionId: await addSubscription(node, a),
        eventId: await addEvent(node, a),
        callRecordId: await addCall(node, a),
        liveCallRecordId: await addLiveCall(node, a, b),
        failedJobId: await addFailedJob(node),
        conference: await addConference(node, a),
        get unique() {
          return world.count;
        },
        signed: () => signedParameters(node),
      };
    },
  };
  return world;
}

/** Adds users with a password reset link each: a link works once, and invalidates its user's other links. */
export async function addResetLinks(node: TestNode): Promise<void> {
  await node.sql(
    `WITH lost AS (INSERT INTO users (application_id, login, login_key, updated_at)
        SELECT $1, 'lost' || n, 'lost' || n, now() FROM generate_series(1, 200) n RETURNING id, login)
      INSERT INTO password_resets (user_id, token_hash, expires_at)
        SELECT id, sha256(convert_to('link of ' || login, 'UTF8')), now() + interval '1 hour' FROM lost`,
    [node.application.id],
  );
}

/** Adds accounts with an open invitation each, since an account has a maximum of members. */
export async function addInvitations(node: TestNode): Promise<void> {
  await node.sql(
    `WITH a AS (INSERT INTO accounts (name, account_key, updated_at)
        SELECT 'inviting', 'inviting' || n, now() FROM generate_series(1, 200) n
        RETURNING id, account_key)
      INSERT INTO account_invitations (account_id, email, role, secret_hash, expires_at)
        SELECT id, account_key || '@example.com', 'support', sha256(convert_to(account_key, 'UTF8')),
          now() + interval '1 hour' FROM a`,
  );
}

/** An API key of an application of the owner's account. @returns its id */
async function addApiKey(node: TestNode, applicationId: string): Promise<string> {
  const [key] = await node.sql<{ id: number }>(
    `INSERT INTO api_keys (application_id, name, key_hash, scopes, created_by)
      SELECT a.id, 'key', sha256(convert_to('key of ' || a.id, 'UTF8')), '{push}', m.id
        FROM applications a JOIN account_members m ON m.account_id = a.account_id AND m.role = 'owner'
        WHERE a.id = $1 ORDER BY m.id LIMIT 1 RETURNING id`,
    [Number(applicationId)],
  );
  return String(key?.id);
}

/** An application of the owner's account that nothing else uses, so that it may be deleted. */
async function addSpareApplication(node: TestNode): Promise<string> {
  const [spare] = await node.sql<{ id: number }>(
    `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
      SELECT account_id, 'Spare', 'key', 'secret', '{}', now() FROM applications WHERE id = $1
      RETURNING id`,
    [node.application.id],
  );
  return String(spare?.id);
}
