import { createHash } from "node:crypto";
import { hash } from "@node-rs/argon2";
import { execute } from "../scripts/services/postgres-server";

/** Number of users in the database. */
export const USERS = 10_000;
/** Number of users with a session each. */
const SESSIONS = 1_000;
/** Number of users with the same tag: two pages of a list. */
const TAGGED = 200;
/** Number of devices of the user who receives signals. */
export const DEVICES = 100;
/** The password of every user. */
export const PASSWORD = "correct horse battery";

/** The data that the scenarios use. */
export interface Seed {
  /** Session tokens of different users. */
  tokens: string[];
  /** The session tokens of a user with {@link DEVICES} devices. */
  devices: { userId: number; tokens: string[] };
  /** Logins of users whose password is {@link PASSWORD}. */
  logins: string[];
  /** A tag with two pages of users. */
  tag: string;
}

/** Seeds the migrated database of an application and updates PostgreSQL's statistics. */
export async function seed(url: string, applicationId: number): Promise<Seed> {
  const from = await addUsers(url, applicationId);
  await execute(
    url,
    `INSERT INTO user_tags (user_id, application_id, tag, position)
     SELECT id, application_id, tag, position FROM users,
       LATERAL (VALUES ('group-' || (id - $1) / ${TAGGED}, 0), ('member', 1)) AS t(tag, position)`,
    [from],
  );
  const tokens = Array.from({ length: SESSIONS }, (_, n) => tokenOf(`session ${n}`));
  const devices = Array.from({ length: DEVICES }, (_, n) => tokenOf(`device ${n}`));
  const recipient = from + SESSIONS;
  await addSessions(url, applicationId, tokens, (n) => from + n);
  await addSessions(url, applicationId, devices, () => recipient);
  await execute(url, "VACUUM ANALYZE");
  return {
    tokens,
    devices: { userId: recipient, tokens: devices },
    logins: Array.from({ length: 100 }, (_, n) => `user_${n + 1}`),
    tag: "group-7",
  };
}

/** Adds {@link USERS} users with consecutive ids. @returns the first id */
async function addUsers(url: string, applicationId: number): Promise<number> {
  const passwordHash = await hash(PASSWORD, {
    algorithm: 2,
    memoryCost: 19_456,
    timeCost: 2,
    parallelism: 1,
  });
  const [first] = (await execute(
    url,
    `WITH added AS (
       INSERT INTO users (application_id, login, login_key, email, email_key, password_hash,
         external_id, full_name, phone, custom_data, timezone, updated_at)
       SELECT $1, 'user_' || n, 'user_' || n, 'user_' || n || '@example.com',
         'user_' || n || '@example.com', $2, 'customer-' || n, 'User number ' || n,
         '+4930' || (1000000 + n), '{"plan":"free","language":"en","note":"n' || n || '"}', 60, now()
       FROM generate_series(1, ${USERS}) AS n RETURNING id)
     SELECT min(id)::int AS id FROM added`,
    [applicationId, passwordHash],
  )) as { id: number }[];
  return first?.id ?? 0;
}

/** Adds {@link USERS} users with a session each. @returns their ids and tokens */
export async function seedSessions(
  url: string,
  applicationId: number,
): Promise<{ userId: number; token: string }[]> {
  const from = await addUsers(url, applicationId);
  const tokens = Array.from({ length: USERS }, (_, n) => tokenOf(`session ${n}`));
  await addSessions(url, applicationId, tokens, (n) => from + n);
  await execute(url, "VACUUM ANALYZE");
  return tokens.map((token, n) => ({ userId: from + n, token }));
}

/** A deterministic token: the same in every run. */
function tokenOf(name: string): string {
  return createHash("sha256").update(`bench ${name}`).digest("base64url");
}

async function addSessions(
  url: string,
  applicationId: number,
  tokens: string[],
  userOf: (n: number) => number,
): Promise<void> {
  await execute(
    url,
    `INSERT INTO sessions (application_id, user_id, token_hash, nonce, ts, expires_at,
       last_activity_at, updated_at)
     SELECT $1, user_id, sha256(token::bytea), 1, extract(epoch FROM now())::bigint,
       now() + interval '2 hours', now(), now()
     FROM unnest($2::text[], $3::bigint[]) AS v(token, user_id)`,
    [applicationId, tokens, tokens.map((_, n) => userOf(n))],
  );
}
