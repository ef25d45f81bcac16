import type { Client } from "pg";
import { lastId, moveSequence } from "./table-ids";

/** Number of other events, for a page of deliveries of a user and for the list of events. */
const EVENTS_MAX = 10_000;

/** $1 the application, $2 and $4 the ids before the first user and the first device, $3 how many. */
const DEVICES = `INSERT INTO push_subscriptions (id, application_id, user_id, channel, environment, platform,
    udid, token, created_at, updated_at)
  SELECT $4::bigint + n, $1::bigint, $2::bigint + n, channel::push_channel, 'production',
    CASE channel WHEN 'gcm' THEN 'android' ELSE 'ios' END::push_platform, 'device-' || n,
    md5($1::bigint || '-' || n) || md5('token' || n), now() - interval '30 days', now() - interval '1 day'
  FROM generate_series(1, $3::bigint) n,
    LATERAL (SELECT CASE WHEN n % 10 < 7 THEN 'gcm' ELSE 'apns' END AS channel) of`;

/** The large event: a push to everybody, repeated daily. One delivery in 30 failed or found no device. */
const LARGE_EVENT = `INSERT INTO push_events (id, application_id, event_type, channel, environment, message, name,
    selector, tag_query, active, occured_count, delivery_count, accepted_count, gone_count, refused_count,
    dispatched_at, created_at, updated_at)
  SELECT $2::bigint, $1::bigint, 'period_date', 'gcm', 'production', '{"title":"News","body":"What is new today"}',
    'Daily news', '{"by":"any","tags":["plan-free","plan-pro"]}', 'any: plan-free,plan-pro', false,
    ceil($3::numeric / $4::bigint), $3::bigint, $3::bigint - $3::bigint / 40 - $3::bigint / 125, $3::bigint / 40, $3::bigint / 125,
    now() - interval '2 days', now() - interval '5 days', now()`;

const DELIVERIES = `INSERT INTO push_deliveries (id, event_id, subscription_id, occurrence, outcome, reason,
    attempts, due_at, created_at, updated_at)
  SELECT $5::bigint + n, $1::bigint, $2::bigint + 1 + (n - 1) % $4::bigint, 1 + (n - 1) / $4::bigint,
    CASE WHEN n % 125 = 7 THEN 'refused' WHEN n % 40 = 3 THEN 'gone' ELSE 'accepted' END::push_outcome,
    CASE WHEN n % 125 = 7 THEN 'INTERNAL' WHEN n % 40 = 3 THEN 'UNREGISTERED' END, 1, now(), now(), now()
  FROM generate_series(1, $3::bigint) n`;

/** Events of calls, and of the API: finished, scheduled (one in 500), and being sent (one in 1,000). */
const EVENTS = `INSERT INTO push_events (id, application_id, event_type, channel, environment, message, name, kind,
    selector, active, next_run_at, occured_count, delivery_count, accepted_count, created_at, updated_at)
  SELECT $2::bigint + n, $1::bigint, 'one_shot', 'gcm', 'production', '{"title":"Reminder","body":"Your appointment"}',
    'Reminder ' || n, CASE WHEN n % 3 = 0 THEN 'CALL' ELSE 'API' END, '{"by":"any","tags":["beta"]}',
    n % 500 = 4, CASE WHEN n % 500 = 4 THEN timestamptz '2090-01-01' END, 1,
    CASE WHEN n % 1000 = 1 THEN 20 ELSE 10 END, 10, now() - n * interval '30 seconds', now()
  FROM generate_series(1, $3::bigint) n`;

/** Fills an application with devices, events and deliveries. @returns the id of the large event */
export async function fillPushes(
  client: Client,
  applicationId: number,
  userBefore: number,
  { users, deliveries }: { users: number; deliveries: number },
): Promise<number> {
  const deviceBefore = await lastId(client, "push_subscriptions");
  await client.query(DEVICES, [applicationId, userBefore, users, deviceBefore]);
  await moveSequence(client, "push_subscriptions");
  const eventBefore = await lastId(client, "push_events");
  const events = Math.min(EVENTS_MAX, users);
  await client.query(EVENTS, [applicationId, eventBefore, events]);
  const eventId = eventBefore + events + 1;
  await client.query(LARGE_EVENT, [applicationId, eventId, deliveries, users]);
  await moveSequence(client, "push_events");
  const before = await lastId(client, "push_deliveries");
  await client.query(DELIVERIES, [eventId, deviceBefore, deliveries, users, before]);
  await moveSequence(client, "push_deliveries");
  return eventId;
}
