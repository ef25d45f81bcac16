import { listDeliveries } from "../../src/domain/push/delivery/deliveries";
import type { PushDelivery } from "../../src/domain/push/delivery/delivery-queries";
import {
  listUserDeliveries,
  NEWEST_EVENT_FIRST,
} from "../../src/domain/push/delivery/user-deliveries";
import { countRecipientsOf } from "../../src/domain/push/devices/recipient-count";
import { findEventsByKey, forgetKey } from "../../src/domain/push/events/event-key-queries";
import { listApplicationEvents } from "../../src/domain/push/events/event-list";
import { findEventById, stopEventById } from "../../src/domain/push/events/event-list-queries";
import type { Store } from "../../src/platform/store/store";
import { explainAnalyze, explainStatements, type PlanNode } from "../../tools/explain";
import { fillTables } from "../support/operations/fill-tables";
import { openPushFixture, type PushFixture } from "../support/push/push-fixture";

/** Enough rows that the planner prefers an index to a scan. */
const ROWS = 100_000;
/** Most rows that one node of a plan may read for a page of a list. */
const PAGE_ROWS = 1_000;
/** Most pages of tables and indexes that a statement may read for a page of a list; the index has hundreds. */
const LIST_PAGES = 100;
/** Most rows that one node of a plan may read for a count, which looks at 10,000 users. */
const COUNT_ROWS = 25_000;

const FILL = [
  `INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'key', now())`,
  `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
    SELECT id, 'x' || n, 'k', 's', '{}', now() FROM accounts, generate_series(1, 2) n`,
  `INSERT INTO users (application_id, login, login_key, external_id, updated_at)
    SELECT 1, 'l' || n, 'l' || n, 'ext' || n, now() FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO user_tags (user_id, application_id, tag, position)
    SELECT id, 1, tag, 0 FROM users, unnest('{all,every}'::text[]) tag`,
  "INSERT INTO user_tags (user_id, application_id, tag, position) VALUES (77, 1, 'rare', 0)",
  `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
      token, updated_at)
    SELECT 1, id, 'gcm', 'development', 'android', 'u' || id, 't' || id, now() FROM users`,
  // Events of the first application: incoming calls, all finished, with a few others among them.
  `INSERT INTO push_events (application_id, channel, environment, message, selector, kind, active,
      next_run_at, delivery_count, updated_at)
    SELECT 1, 'gcm', 'development', 'x', '{}', CASE WHEN n % 20000 < 3 THEN 'API' ELSE 'CALL' END,
      n % 20000 = 1, CASE WHEN n % 20000 = 1 THEN '2090-01-01'::timestamptz END,
      CASE WHEN n % 20000 = 2 THEN 1 ELSE 0 END, now()
    FROM generate_series(1, ${ROWS}) n`,
  // A tenth of the keys of owners in another application are for one channel each.
  `INSERT INTO push_events (application_id, channel, environment, message, selector, idempotency_key,
      active, updated_at)
    SELECT 2, 'gcm', 'development', 'x', '{}', 'key' || n, false, now()
    FROM generate_series(1, ${ROWS / 10}) n`,
  // One event with a delivery to each device, few of which failed; one device with many deliveries.
  `INSERT INTO push_deliveries (event_id, subscription_id, outcome, updated_at)
    SELECT 1, id, CASE WHEN id % 30000 = 0 THEN 'refused' ELSE 'accepted' END::push_outcome, now()
    FROM push_subscriptions`,
  `INSERT INTO push_deliveries (event_id, subscription_id, occurrence, outcome, updated_at)
    SELECT id, 5, 1, 'accepted', now() FROM push_events WHERE id < 50000`,
  "VACUUM",
];

let fixture: PushFixture;
/** Executed plans by statement. */
const plans = new Map<string, PlanNode[]>();

beforeAll(async () => {
  fixture = await openPushFixture({
    wrap: (store) => ({
      async query<Row>(...[statement, values]: Parameters<Store["query"]>): Promise<Row[]> {
        if (/^(?:SELECT|WITH candidates)/.test(statement.text)) {
          plans.set(statement.name, await explainAnalyze(store, statement.text, values));
        }
        return store.query<Row>(statement, values);
      },
    }),
  });
  await fillTables(fixture.store, FILL);
});
afterAll(() => fixture.close());
beforeEach(() => plans.clear());

/** The statements that read more rows than allowed, or a whole table. */
const excessive = (max: number) =>
  [...plans].flatMap(([name, nodes]) =>
    nodes
      .filter(({ rows, type, relation }) => relation && (rows > max || type === "Seq Scan"))
      .map((node) => ({ name, ...node })),
  );

it("lists events by kind and state, however many others there are", async () => {
  for (const state of ["SCHEDULED", "SENDING", "FINISHED", null] as const) {
    for (const kind of ["API", "CALL", null] as const) {
      const { nodes } = await listApplicationEvents(
        fixture.push,
        1,
        { first: 10 },
        { state, kind },
      );
      const isNone = kind === "CALL" && (state === "SCHEDULED" || state === "SENDING");
      expect([state, kind, nodes.length > 0]).toEqual([state, kind, !isNone]);
      await listApplicationEvents(fixture.push, 1, { last: 10 }, { state, kind });
      expect(excessive(PAGE_ROWS)).toEqual([]);
    }
  }
  expect([...plans.keys()].sort()).toEqual([
    "push_events_of_application",
    "push_events_of_application_ascending",
    "push_events_of_application_filtered",
    "push_events_of_application_filtered_ascending",
  ]);
});

it("lists the few failed deliveries of an event of many", async () => {
  for (const outcome of ["failed", "pending", "accepted", "unregistered", "retry", null] as const) {
    for (const page of [{ first: 10 }, { last: 10 }]) {
      const { nodes } = await listDeliveries(fixture.push, 1, page, outcome);
      const counts: Record<string, number> = { failed: 3, pending: 0, unregistered: 0, retry: 0 };
      expect(nodes).toHaveLength(counts[outcome ?? ""] ?? 10);
      expect(excessive(PAGE_ROWS)).toEqual([]);
      // A scan that goes on behind the outcome finds no rows, but reads the index.
      for (const [root] of plans.values()) expect(root?.pages).toBeLessThanOrEqual(LIST_PAGES);
    }
  }
  expect(plans.size).toBe(4);
});

it("lists the deliveries of a user page by page", async () => {
  const first = await listUserDeliveries(fixture.push, 1, "5", { first: 10 });
  const after = NEWEST_EVENT_FIRST.cursorOf(first.nodes[9] as PushDelivery);
  const second = await listUserDeliveries(fixture.push, 1, "5", { first: 10, after });
  await listUserDeliveries(fixture.push, 1, "5", { last: 10, before: after });
  expect(first.nodes.map(({ eventId }) => eventId)).toEqual(
    Array.from({ length: 10 }, (_, n) => 49_999 - n),
  );
  expect(second.nodes[0]?.eventId).toBe(49_989);
  expect(excessive(PAGE_ROWS)).toEqual([]);
});

it.each([
  [{ tagsAny: ["rare"] }, 1, true],
  [{ tagsAny: ["all", "rare"] }, 10_000, false],
  [{ tagsAll: ["all", "rare"] }, 1, false],
  [{ tagsExclude: ["all"] }, 0, false],
  [{ tagsExclude: ["rare"] }, 9_999, false],
  [{ userIds: ["5", "6"] }, 2, true],
  [{ externalUserIds: ["ext5", "ext6"] }, 2, true],
])("counts %j within a bound", async (selector, users, isExact) => {
  const counted = await countRecipientsOf(fixture.push, 1, {
    environment: "development",
    ...selector,
  });
  expect(counted).toMatchObject({ userCount: users, isExact });
  expect(excessive(COUNT_ROWS)).toEqual([]);
});

it("finds an owner's idempotency key, and the event to stop, by an index", async () => {
  const texts = new Map<string, string>();
  const { query } = explainStatements(fixture.store, texts);
  const sender = { applicationId: 2, userId: null };
  expect((await findEventsByKey(query, sender, "key77"))?.events).toHaveLength(1);
  await forgetKey(query, sender, "key77");
  await findEventById(query, 1);
  await stopEventById(query, 1, true, new Date(0));
  expect([...texts.keys()]).toEqual([
    "push_events_by_key_of_owner",
    "forget_push_key_of_owner",
    "push_event_by_id",
    "stop_push_event",
  ]);
  for (const plan of texts.values()) expect(plan).not.toMatch(/Seq Scan/);
  expect(texts.get("push_events_by_key_of_owner")).toContain("push_events_owner_key");
});
