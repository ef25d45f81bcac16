import { generateKeyPairSync } from "node:crypto";
import type { App } from "../../src/app";

/** Two devices of each user, one of each platform, and a tag that all users have. */
const DEVICES = `
  WITH tagged AS (INSERT INTO user_tags (user_id, application_id, tag, position)
    SELECT id, 1, 'technicians', 0 FROM users WHERE application_id = 1)
  INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid, token, updated_at)
    SELECT 1, u.id, c.channel::push_channel, 'production', c.platform::push_platform, c.channel || n, c.channel || n || u.id, now()
    FROM users u, generate_series(1, 4) n, (VALUES ('apns', 'ios'), ('gcm', 'android')) c (channel, platform)
    WHERE u.application_id = 1`;

/** A warning to both platforms, of which some still wait; an older push; a schedule. The oldest is first. */
const EVENTS = `
  INSERT INTO push_events (application_id, event_type, channel, environment, message, date, period, next_run_at, selector,
      tag_query, universal, active, occured_count, created_at, updated_at)
    SELECT 1, type::push_event_type, channel::push_channel, 'production', message, due, period, due,
      '{"by":"any","tags":["technicians"]}', 'any: technicians', true, period IS NOT NULL, 1, now() - age, now() - age
    FROM (VALUES
      ('period_date', 'gcm', '{"title":"Your jobs of today","body":"Open the app to see the route."}', 86400,
        now() + interval '9 hours', interval '9 days'),
      ('one_shot', 'apns', '{"title":"New parts have arrived","body":"The depot is open until 18:00."}', NULL, NULL,
        interval '2 days'),
      ('one_shot', 'apns', '{"title":"Storm warning","body":"Work on roofs stops at 14:00."}', NULL, NULL, interval '4 minutes'),
      ('one_shot', 'gcm', '{"title":"Storm warning","body":"Work on roofs stops at 14:00."}', NULL, NULL, interval '4 minutes'))
      AS e (type, channel, message, period, due, age)`;

/** A delivery to each device, with the outcome that its place selects. */
const DELIVERIES = `
  INSERT INTO push_deliveries (event_id, subscription_id, outcome, reason, attempts, provider_id, due_at, created_at, updated_at)
    SELECT e.id, s.id, o.outcome::push_outcome, o.reason, 1, NULL, now() + interval '2 minutes', e.created_at, e.created_at
    FROM push_events e JOIN push_subscriptions s ON s.application_id = 1 AND s.channel = e.channel
    CROSS JOIN LATERAL (SELECT * FROM (VALUES
      (3, 'gone', CASE WHEN e.channel = 'apns' THEN 'Unregistered' ELSE 'UNREGISTERED' END),
      (7, 'refused', CASE WHEN e.channel = 'apns' THEN 'DeviceTokenNotForTopic' ELSE 'SENDER_ID_MISMATCH' END),
      (9, 'later', CASE WHEN e.channel = 'apns' THEN 'TooManyRequests' ELSE 'UNAVAILABLE' END),
      (0, 'accepted', NULL)) AS v (place, outcome, reason)
      WHERE v.place IN (s.id % 11, 0) AND (v.place <> 9 OR e.id = (SELECT max(id) FROM push_events))
      ORDER BY v.place DESC LIMIT 1) o`;

const COUNTS = `
  UPDATE push_events e SET delivery_count = c.deliveries, accepted_count = c.accepted, gone_count = c.gone, refused_count = c.refused
    FROM (SELECT event_id, count(*) AS deliveries, count(*) FILTER (WHERE outcome = 'accepted') AS accepted,
        count(*) FILTER (WHERE outcome = 'gone') AS gone, count(*) FILTER (WHERE outcome = 'refused') AS refused
      FROM push_deliveries GROUP BY event_id) c WHERE c.event_id = e.id`;

const REFUSED = `
  UPDATE push_credentials SET refused_since = now() - interval '5 hours', refused_reason = 'PERMISSION_DENIED: the API is off'
    WHERE service = 'fcm'`;

const SET = `mutation SetCredentials($input: SetPushCredentialsInput!) { setPushCredentials(input: $input) { warning } }`;

/** The credentials of push services, which nobody is asked about. */
function credentials(): object[] {
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const account = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const pem = { type: "pkcs8", format: "pem" } as const;
  return [
    {
      apns: {
        key: key.export(pem),
        keyId: "8KD2V7QX4M",
        teamId: "FIELD98765",
        bundleId: "example.field.service",
      },
    },
    {
      fcm: {
        serviceAccount: {
          type: "service_account",
          project_id: "field-service",
          private_key_id: "0f1e2d3c4b5a6978",
          private_key: account.export(pem),
          client_email: "push@field-service.iam.gserviceaccount.com",
        },
      },
    },
    { web: { generate: true, subject: "mailto:push@field.example" } },
  ];
}

/**
 * Adds pushes with their deliveries, and the credentials of push services, to the users of the first application.
 * @param run sends an operation with the owner's token
 */
export async function createPushData(
  { store }: Pick<App, "store">,
  run: (query: string, variables: object) => Promise<unknown>,
): Promise<void> {
  for (const each of credentials()) {
    const input = { applicationId: "1", environment: "PRODUCTION", skipCheck: true, ...each };
    await run(SET, { input });
  }
  for (const [n, text] of [DEVICES, EVENTS, DELIVERIES, COUNTS, REFUSED].entries()) {
    await store.query({ name: `demo_push_${n}`, text }, []);
  }
}
