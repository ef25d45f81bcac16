import type { UserViewer } from "../../src/core/viewer";
import { deliver } from "../../src/domain/push/delivery/deliver";
import { listDeliveries } from "../../src/domain/push/delivery/deliveries";
import { findDeliveries } from "../../src/domain/push/delivery/delivery-queries";
import { fanOut } from "../../src/domain/push/delivery/fan-out";
import { purgeDeliveries } from "../../src/domain/push/delivery/purge";
import { startDueDispatches } from "../../src/domain/push/delivery/schedule";
import { sendVoipFallback } from "../../src/domain/push/delivery/voip-fallback";
import { dryRunEvent } from "../../src/domain/push/events/dry-run";
import {
  findEvent,
  listApplicationEvents,
  listEvents,
  stopEvent,
} from "../../src/domain/push/events/event-list";
import { createEvents } from "../../src/domain/push/events/events";
import { pushUserData } from "../../src/domain/push/user-data";
import { explainStatements } from "../../tools/explain";
import { fillTables } from "../support/operations/fill-tables";
import { readExports } from "../support/operations/read-exports";
import { openPushFixture, type PushFixture } from "../support/push/push-fixture";

/** Enough rows that the planner prefers an index to a scan. */
const ROWS = 100_000;

const FILL = [
  `INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'key', now())`,
  `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
    SELECT id, 'x' || n, 'k', 's', '{}', now() FROM accounts, generate_series(1, 20) n`,
  `INSERT INTO users (application_id, login, login_key, external_id, external_user_id, updated_at)
    SELECT 1 + n % 20, 'l' || n, 'l' || n, 'ext' || n, 'xid' || n, now()
    FROM generate_series(1, ${ROWS}) n`,
  // Few users are blocked, of each application.
  "UPDATE users SET blocked_at = now() WHERE id % 1000 < 20",
  `INSERT INTO user_tags (user_id, application_id, tag, position)
    SELECT id, application_id, tag || (id % 500), 0 FROM users, unnest('{red,blue}'::text[]) tag`,
  `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
      token, updated_at)
    SELECT application_id, id, 'gcm', 'development', 'android', 'u' || id, 't' || id, now()
    FROM users`,
  `INSERT INTO push_events (application_id, user_id, channel, environment, message, selector,
      idempotency_key, active, updated_at)
    SELECT application_id, id, 'gcm', 'development', 'x', '{}', 'key' || id, false, now() FROM users`,
  `INSERT INTO push_deliveries (event_id, subscription_id, outcome, updated_at)
    SELECT id, id, 'accepted', now() FROM push_events`,
];
const SCAN = /Seq Scan on (users|user_tags|push_subscriptions|push_events|push_deliveries)\b/;

/** Statements that exclude the devices of blocked users. */
const BLOCKS =
  /^(push_(has_recipients|recipient_count|recipient_sample|fan_out)_|push_batch|write_alert_push)/;

let fixture: PushFixture;
/** Query plans by statement. */
const plans = new Map<string, string>();

beforeAll(async () => {
  fixture = await openPushFixture({ wrap: (store) => explainStatements(store, plans) });
  await fillTables(fixture.store, FILL);
});
afterAll(() => fixture.close());

const SELECTORS = [
  { userIds: Array.from({ length: 700 }, (_, n) => String(20 * n + 20)) },
  { externalUserIds: Array.from({ length: 700 }, (_, n) => `ext${20 * n + 20}`) },
  { tagsAny: ["red20", "blue40"] },
  { tagsAll: ["red20", "blue20"] },
  { tagsExclude: ["red20"] },
];

it("runs no statement that scans a table", async () => {
  const { push, store, fanOutJobs, deliverJobs, providers } = fixture;
  const [first] = await store.query<{ id: number; application_id: number }>(
    { name: "any", text: "SELECT id, application_id FROM users WHERE id = 20" },
    [],
  );
  const { id: userId = 0, application_id: applicationId = 0 } = first ?? {};
  const sender = { applicationId, userId };
  const viewer: UserViewer = { kind: "user", sessionId: 1, ...sender };
  for (const selector of SELECTORS) {
    const input = {
      environment: "development",
      message: { notification: { body: "Hello" } },
      ...selector,
    } as const;
    await dryRunEvent(push, sender, input);
    await createEvents(push, sender, input, `key-${Object.keys(selector)}`);
  }
  for (let done = 0; done < 8; done += 1) {
    const job = fanOutJobs.shift();
    if (job) await fanOut(push, job);
  }
  expect(deliverJobs.length).toBeGreaterThan(2);
  const [batch] = deliverJobs;
  const [gone] = await store.query<{ token: string }>(
    {
      name: "gone",
      text: `SELECT s.token FROM push_subscriptions s JOIN push_deliveries d
        ON d.subscription_id = s.id WHERE d.id = $1`,
    },
    [batch?.deliveries[0]],
  );
  providers.outcomes.set(gone?.token ?? "", () => ({
    kind: "unregistered",
    reason: "Unregistered",
  }));
  if (batch) await deliver(push, batch);
  for (const standard of [null, batch?.event ?? 0]) {
    const voip = { id: batch?.event ?? 0, channel: "apns_voip", alertId: standard } as const;
    const devices = { users: [20, 40], occurrence: 0, now: new Date() };
    const enqueue = await push.jobs.openQueues();
    await push.store.transaction((open) =>
      sendVoipFallback(open, enqueue, { ...voip, universal: true }, devices),
    );
  }
  const events = await listEvents(push, viewer, { first: 10 });
  await listApplicationEvents(push, applicationId, { first: 10 });
  const id = String(events.nodes[0]?.id);
  await findEvent(push, viewer, id);
  await listDeliveries(push, Number(id), {});
  await findDeliveries(push.store.query, [1, 2, 3]);
  await createEvents(push, sender, {
    environment: "development",
    message: { notification: { body: "Hello" } },
    eventType: "fixed_date",
    date: new Date(),
    userIds: ["1"],
  });
  await startDueDispatches(push);
  await stopEvent(push, viewer, id, true);
  const later = Date.now() + 31 * 24 * 60 * 60 * 1000;
  await purgeDeliveries({ ...push, clock: { now: () => later } });
  await readExports([pushUserData], push.store.query, userId);
  await pushUserData.stopUser?.(push.store.query, userId, new Date());
  expect([...plans.keys()]).toEqual(
    expect.arrayContaining([
      "purge_push_deliveries",
      "forget_push_subscriptions",
      "create_alert_push_event",
      "write_alert_push",
      "export_push_subscriptions",
      "export_push_events",
      "export_push_deliveries",
      "stop_push_events",
    ]),
  );
  // Whether a recipient is blocked: an index answers it, that of the blocked users or that of all users by id.
  const asking = [...plans].filter(([name]) => BLOCKS.test(name));
  expect(asking.map(([name]) => name).sort()).toHaveLength(22);
  expect(asking.filter(([, plan]) => !/users_(blocked_idx|pkey) on users b/.test(plan))).toEqual(
    [],
  );
  expect(plans.size).toBeGreaterThan(25);
  expect([...plans].filter(([, plan]) => SCAN.test(plan))).toEqual([]);
});

it("detects a statement without an index", async () => {
  await explainStatements(fixture.store, plans).query(
    { name: "bad", text: "SELECT 1 FROM push_events WHERE kind = $1" },
    ["x"],
  );
  expect(plans.get("bad")).toMatch(SCAN);
});
