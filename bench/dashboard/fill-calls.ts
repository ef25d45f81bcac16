import type { Client } from "pg";
import { lastId, moveSequence } from "./table-ids";

/** An application whose users exist. */
interface UsersOfApplication {
  accountId: number;
  applicationId: number;
  size: { users: number };
  firstUser: number;
}

/** Number of calls that are going on now, of open conferences, and of calls with a timeline. */
const OPEN_CALLS = 100;
const OPEN_CONFERENCES = 50;
const TIMELINES = 1_000;

/** $1 the application, $2 the id before the first call, $3 how many, $4 the first user. The last ones are open. */
const CALLS = `INSERT INTO calls (id, application_id, session_id, caller_id, call_type, state, started_at,
    accepted_at, ended_at)
  SELECT $2::bigint + n, $1::bigint, 'call-' || n, $4::bigint + (n - 1) * 5 % $5::bigint, 1 + n % 2,
    (CASE WHEN n > $3::bigint - ${OPEN_CALLS} THEN 'accepted' WHEN n % 10 = 0 THEN 'missed'
      WHEN n % 25 = 1 THEN 'rejected' ELSE 'hung_up' END)::call_state,
    started_at, CASE WHEN n % 10 <> 0 AND n % 25 <> 1 THEN started_at + interval '8 seconds' END,
    CASE WHEN n <= $3::bigint - ${OPEN_CALLS} THEN started_at + interval '3 minutes' END
  FROM generate_series(1, $3::bigint) n,
    LATERAL (SELECT now() - ($3::bigint - n) * interval '20 seconds' AS started_at) of`;
const PARTICIPANTS = `INSERT INTO call_participants (call_id, user_id, session_id, started_at, state, rang_at,
    answered_at)
  SELECT c.id, user_id, c.session_id, c.started_at, c.state, c.started_at, c.accepted_at
  FROM calls c, LATERAL (VALUES (c.caller_id), ($2::bigint + (c.caller_id - $2::bigint + 1) % $3::bigint))
    AS p(user_id) WHERE c.application_id = $1`;
const TIMELINE = `INSERT INTO call_signals (call_id, key, kind, from_user_id, to_user_id, first_at, last_at)
  SELECT c.id, gen_random_uuid(), k.kind::call_signal_kind, c.caller_id, c.caller_id + 1, c.started_at,
    c.started_at
  FROM (SELECT * FROM calls WHERE application_id = $1::bigint ORDER BY id DESC LIMIT ${TIMELINES}) c,
    unnest('{call,iceCandidates,accept,iceCandidates,update,hangUp}'::text[]) AS k(kind)`;
/** $2 how many, $3 the first user, $4 how many users. */
const CONFERENCES = `WITH made AS (INSERT INTO conferences (application_id, name, seats, video, access, origin,
      bitrate, created_by, empty_since, created_at, closed_at)
    SELECT $1::bigint, 'Room ' || n, 12, true, 'everyone', 'graphql', 600000, $3::bigint + n % $4::bigint, NULL,
      now() - ($2::bigint - n) * interval '2 minutes',
      CASE WHEN n <= $2::bigint - ${OPEN_CONFERENCES} THEN now() - ($2::bigint - n) * interval '1 minute' END
    FROM generate_series(1, $2::bigint) n RETURNING *)
  INSERT INTO conference_members (conference_id, number, user_id, name, device, lease_until, joined_at, left_at)
    SELECT id, created_by + k, created_by, 'Participant ' || k, 'device', now() + interval '1 day', created_at,
      CASE WHEN closed_at IS NOT NULL THEN closed_at END
    FROM made, generate_series(0, 3) k`;
/** $2 the account, $3 how many, $4 the first user. */
const AUDIT = `INSERT INTO audit_entries (account_id, application_id, member_id, email, role, action, targets,
    fields, outcome, ip, user_agent, request_id, created_at)
  SELECT $2::bigint, $1::bigint, m.id, m.email, 'owner', (ARRAY['updateUser', 'blockUser', 'updateApplication'])[1 + (n % 3)::int],
    json_build_array(json_build_object('name', 'userId', 'id', ($4::bigint + n)::text)),
    '[{"name":"fullName","value":null,"cleared":false}]', 'succeeded', '192.0.2.7', 'Mozilla/5.0', 'request-' || n,
    now() - ($3::bigint - n) * interval '40 seconds'
  FROM (SELECT id, email FROM account_members WHERE account_id = $2::bigint ORDER BY id LIMIT 1) m,
    generate_series(1, $3::bigint) n`;
const STATISTICS = `INSERT INTO application_statistics (application_id, seconds, starts_at, sessions, requests,
    signals, sign_ups, sign_ins, calls, pushes_accepted, pushes_failed, errors_invalid)
  SELECT $1::bigint, seconds, date_trunc(unit, now(), 'UTC') - n * seconds * interval '1 second', 100 + n, 5000 + n * 7,
    900 + n, n % 7, n % 50, n % 20, n * 11, n % 3, n % 9
  FROM (VALUES (60, 'minute', 69), (3600, 'hour', 25), (86400, 'day', 31)) AS r(seconds, unit, last),
    generate_series(0, last) n ON CONFLICT DO NOTHING`;
const NODE = `INSERT INTO statistics_nodes (id, lease_until) VALUES ('another', now() + interval '1 day')
  ON CONFLICT DO NOTHING`;
const SOCKETS = `INSERT INTO application_sockets (node_id, application_id, graphql, xmpp, janus)
  VALUES ('another', $1::bigint, 900, 400, 50)`;

/** Fills an application with calls, conferences and statistics, and the audit log of its account. */
export async function fillCallsAndLogs(
  client: Client,
  { accountId, applicationId, size: { users }, firstUser }: UsersOfApplication,
): Promise<void> {
  const calls = Math.max(OPEN_CALLS + users / 10, users / 5);
  const before = await lastId(client, "calls");
  await client.query(CALLS, [applicationId, before, Math.round(calls), firstUser, users]);
  await moveSequence(client, "calls");
  await client.query(PARTICIPANTS, [applicationId, firstUser, users]);
  await client.query(TIMELINE, [applicationId]);
  const conferences = OPEN_CONFERENCES + Math.round(users / 100);
  await client.query(CONFERENCES, [applicationId, conferences, firstUser, users]);
  await client.query(AUDIT, [applicationId, accountId, 100 + Math.round(users / 10), firstUser]);
  await client.query(STATISTICS, [applicationId]);
  await client.query(NODE);
  await client.query(SOCKETS, [applicationId]);
}
