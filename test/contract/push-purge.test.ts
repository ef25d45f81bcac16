import { deliver } from "../../src/domain/push/delivery/deliver";
import { fanOut } from "../../src/domain/push/delivery/fan-out";
import { purgeDeliveries } from "../../src/domain/push/delivery/purge";
import { startDueDispatches } from "../../src/domain/push/delivery/schedule";
import { stopEvent } from "../../src/domain/push/events/event-list";
import { createEvents } from "../../src/domain/push/events/events";
import { HOUR, MovingClock } from "../support/moving-clock";
import { openPushFixture, type PushFixture } from "../support/push/push-fixture";

/** Retention of deliveries, also for events with several dispatches. */

const DAY = 24 * HOUR;
const USERS = 700;
const clock = new MovingClock();

let fixture: PushFixture;
let sender: { applicationId: number; userId: number };
beforeAll(async () => {
  clock.hold(true);
  fixture = await openPushFixture({ clock });
  await sql(
    "INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'key', now())",
    `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
      SELECT id, 'x', 'k', 's', '{}', now() FROM accounts`,
    `INSERT INTO users (application_id, login, login_key, updated_at)
      SELECT id, 'l' || n, 'l' || n, now() FROM applications, generate_series(1, ${USERS}) n`,
    `INSERT INTO user_tags (user_id, application_id, tag, position)
      SELECT id, application_id, 'all', 0 FROM users`,
    `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
        token, updated_at)
      SELECT application_id, id, 'gcm', 'development', 'android', 'u' || id, 't' || id, now()
      FROM users`,
  );
  const [user] = await sql<{ id: number; application_id: number }>(
    "SELECT id, application_id FROM users LIMIT 1",
  );
  sender = { applicationId: user?.application_id ?? 0, userId: user?.id ?? 0 };
});
afterAll(() => fixture.close());

async function sql<Row>(...texts: string[]): Promise<Row[]> {
  let rows: Row[] = [];
  for (const text of texts) rows = await fixture.store.query<Row>({ name: "test", text }, []);
  return rows;
}

const createPush = (fields: object = {}) =>
  createEvents(fixture.push, sender, {
    environment: "development",
    message: { notification: { body: "Hello" } },
    tagsAny: ["all"],
    ...fields,
  });

/** Runs all enqueued jobs. */
async function work() {
  const { push, fanOutJobs, deliverJobs } = fixture;
  for (;;) {
    const expansion = fanOutJobs.shift();
    const batch = deliverJobs.shift();
    if (expansion) await fanOut(push, expansion);
    if (batch) await deliver(push, batch);
    if (!expansion && !batch) return;
  }
}

/** Number of deliveries by dispatch. */
const remaining = async () => {
  const rows = await sql<{ occurrence: number; count: number }>(
    "SELECT occurrence, count(*) FROM push_deliveries GROUP BY 1 ORDER BY 1",
  );
  return Object.fromEntries(rows.map(({ occurrence, count }) => [occurrence, count]));
};
const dispatchAges = async () =>
  (await sql<{ dispatched_at: Date | null }>("SELECT dispatched_at FROM push_events")).map(
    ({ dispatched_at: at }) => at && clock.now() - at.getTime(),
  );

beforeEach(() => sql("DELETE FROM push_events"));

it("deletes deliveries of a schedule after 30 days, dispatch by dispatch", async () => {
  await createPush({ eventType: "period_date", period: 86_400, date: new Date(clock.now()) });
  // Only one of its channels has recipients.
  await sql("DELETE FROM push_events WHERE channel <> 'gcm'");
  await startDueDispatches(fixture.push);
  await work();
  for (let day = 1; day <= 3; day += 1) {
    clock.advance(DAY);
    await startDueDispatches(fixture.push);
    await work();
  }
  expect(await remaining()).toEqual({ 0: USERS, 1: USERS, 2: USERS, 3: USERS });
  clock.advance(27 * DAY - HOUR);
  await purgeDeliveries(fixture.push);
  expect(await remaining()).toEqual({ 0: USERS, 1: USERS, 2: USERS, 3: USERS });
  clock.advance(DAY + HOUR);
  await purgeDeliveries(fixture.push);
  expect(await remaining()).toEqual({ 2: USERS, 3: USERS });
  expect(await dispatchAges()).toEqual([29 * DAY]);
  clock.advance(2 * DAY);
  await purgeDeliveries(fixture.push);
  expect([await remaining(), await dispatchAges()]).toEqual([{}, [null]]);
  // A further dispatch sets dispatched_at again.
  await startDueDispatches(fixture.push);
  await work();
  expect([await remaining(), await dispatchAges()]).toEqual([{ 4: USERS }, [0]]);
});

it("deletes deliveries of an event stopped during its first dispatch", async () => {
  const [event] = await createPush();
  const { push, fanOutJobs } = fixture;
  await fanOut(push, fanOutJobs.shift()!);
  const viewer = { kind: "user", sessionId: 1, ...sender } as const;
  await stopEvent(push, viewer, String(event?.id), false);
  await work();
  expect(await remaining()).toEqual({ 0: 500 });
  clock.advance(31 * DAY);
  await purgeDeliveries(push);
  expect([await remaining(), await dispatchAges()]).toEqual([{}, [null]]);
});
