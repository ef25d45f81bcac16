import type { Client } from "pg";
import { fillCallsAndLogs } from "./fill-calls";
import { fillPushes } from "./fill-pushes";
import { lastId, moveSequence } from "./table-ids";

/** How much an application has. */
export interface FillSize {
  users: number;
  /** Deliveries of its largest event. */
  deliveries: number;
}

/** An application with its account, to fill. */
export interface FilledApplication {
  accountId: number;
  applicationId: number;
  size: FillSize;
  /** The ids of its users are consecutive, from this one. */
  firstUser: number;
  /** The event with all deliveries but a few. */
  eventId: number;
}

/** The prefix of the logins of the last twentieth of the users: many, and all at the end of the ids. */
export const CLUSTERED_PREFIX = "zz-import-";
/** Share of the users with the prefix, as one of so many. */
const CLUSTERED = 20;

const FIRST_NAMES = `{Anna,Ben,Clara,David,Elena,Felix,Greta,Hugo,Ines,Jonas,Kira,Leon,Mia,Noah,Olga,Paul,
  Quinn,Rosa,Sara,Tom,Uma,Viktor,Wanda,Xenia,Yara,Zoe,Aisha,Bruno,Chloe,Diego,Emma,Fatima,Goran,Hana,Igor,Julia}`;
const LAST_NAMES = `{Adler,Bauer,Costa,Duarte,Ebert,Fischer,Garcia,Hansen,Ivanova,Jansen,Keller,Lopez,Meyer,
  Novak,Olsen,Petrov,Quast,Rossi,Schmidt,Toth,Ueda,Vogel,Weber,Xu,Yilmaz,Zimmermann,Ahmed,Brandt,Chen,Dubois,
  Evans}`;

/**
 * $1 the application, $2 the id before the first, $3 how many. One in 50 is a guest, one in 200 is blocked. One in
 * ten has no login, one in ten no e-mail; names repeat and are not in the order of the ids.
 */
const USERS = `INSERT INTO users (id, application_id, login, login_key, email, email_key, full_name,
    external_id, phone, timezone, is_guest, guest_until, blocked_at, block_reason, last_request_at, created_at,
    updated_at)
  SELECT $2::bigint + n, $1::bigint, login, login, email, email, CASE WHEN NOT guest THEN first || ' ' || last END,
    CASE WHEN NOT guest THEN 'customer-' || n END,
    CASE WHEN n % 3 = 0 THEN '+49' || 30000000 + n * 7919 % 9999991 END, 60, guest,
    CASE WHEN guest THEN now() + interval '1 year' END,
    CASE WHEN n % 200 = 3 THEN now() - n % 90 * interval '1 day' END,
    CASE WHEN n % 200 = 3 THEN 'spam' END,
    CASE WHEN n % 5 < 3 THEN now() - n * 7919 % 7776000 * interval '1 second' END,
    now() - ($3::bigint - n) * interval '1 minute', now() - n * 104729 % 7776000 * interval '1 second'
  FROM (SELECT n, first, last, guest,
      CASE WHEN guest THEN 'guest-' || md5(n::text)
        WHEN n > $3::bigint - $3::bigint / ${CLUSTERED} THEN '${CLUSTERED_PREFIX}' || n
        WHEN n % 10 <> 1 THEN lower(first || '.' || last) || n END AS login,
      CASE WHEN NOT guest AND n % 10 <> 2 THEN lower(first || '.' || last) || n || '@example.com' END AS email
    FROM (SELECT n, n % 50 = 7 AS guest,
        ('${FIRST_NAMES}'::text[])[1 + (n * 7919 % 36)::int] AS first,
        ('${LAST_NAMES}'::text[])[1 + (n * 104729 % 31)::int] AS last
      FROM generate_series(1, $3::bigint) n) names) parts`;

/** Tags that few, some and many users have; those with the tag of many are independent of all else. */
const TAGS = `INSERT INTO user_tags (user_id, application_id, tag, position)
  SELECT $2::bigint + n, $1::bigint, tag, position FROM generate_series(1, $3::bigint) n, LATERAL (VALUES
    (CASE WHEN (hashint8(n) & 65535) % 5 = 0 THEN 'plan-pro' ELSE 'plan-free' END, 0), ('city-' || n * 7919 % 1000, 1),
    (CASE WHEN n % 5000 = 11 THEN 'beta' END, 2)) AS t(tag, position)
  WHERE tag IS NOT NULL`;

const SESSIONS = `INSERT INTO sessions (application_id, user_id, token_hash, nonce, ts, expires_at,
    last_activity_at, updated_at)
  SELECT $1::bigint, $2::bigint + n, sha256(convert_to($1::bigint || ' ' || n, 'UTF8')), n, 1,
    now() + interval '1 day', now(), now()
  FROM generate_series(1, $3::bigint, 10) n`;

/** Tables that are filled without their indexes, which are built again afterwards. */
const LARGE_TABLES = ["users", "user_tags", "push_subscriptions", "push_deliveries", "calls"];

/**
 * Fills applications with users and all that the dashboard shows of them. Times are within what the service keeps.
 * The connection's session is left without triggers.
 */
export async function fillApplications(
  client: Client,
  applications: ReadonlyArray<Pick<FilledApplication, "accountId" | "applicationId" | "size">>,
): Promise<FilledApplication[]> {
  await client.query("SET session_replication_role = replica; SET maintenance_work_mem = '512MB'");
  const indexes = await client.query<{ name: string; definition: string }>(
    `SELECT i.indexname AS name, i.indexdef AS definition FROM pg_indexes i
      WHERE i.schemaname = 'public' AND i.tablename = ANY($1::text[]) AND NOT EXISTS
        (SELECT FROM pg_constraint c WHERE c.conindid = to_regclass(quote_ident(i.indexname)))`,
    [LARGE_TABLES],
  );
  for (const { name } of indexes.rows) await client.query(`DROP INDEX "${name}"`);
  const filled: FilledApplication[] = [];
  for (const each of applications) filled.push(await fillApplication(client, each));
  for (const { definition } of indexes.rows) await client.query(definition);
  await client.query("VACUUM ANALYZE");
  return filled;
}

async function fillApplication(
  client: Client,
  application: Pick<FilledApplication, "accountId" | "applicationId" | "size">,
): Promise<FilledApplication> {
  const { applicationId, size } = application;
  const before = await lastId(client, "users");
  for (const text of [USERS, TAGS, SESSIONS]) {
    await client.query(text, [applicationId, before, size.users]);
  }
  await moveSequence(client, "users");
  const eventId = await fillPushes(client, applicationId, before, size);
  const filled = { ...application, firstUser: before + 1, eventId };
  await fillCallsAndLogs(client, filled);
  return filled;
}
