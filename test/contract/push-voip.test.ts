import { deliver } from "../../src/domain/push/delivery/deliver";
import { type DeliverJob, type FanOutJob, fanOut } from "../../src/domain/push/delivery/fan-out";
import { createEvents } from "../../src/domain/push/events/events";
import { openPushFixture, type PushFixture } from "../support/push/push-fixture";

/** Fallback to the alert push for users whose VoIP subscriptions are gone. */

let fixture: PushFixture;
let applicationId: number;
beforeAll(async () => {
  fixture = await openPushFixture();
  const [row] = await sql<{ id: number }>(
    `WITH a AS (INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'k', now())
        RETURNING id)
      INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
        SELECT id, 'x', 'k', 's', '{}', now() FROM a RETURNING id`,
  );
  applicationId = row?.id ?? 0;
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await sql("DELETE FROM push_events");
  fixture.providers.sent.length = 0;
  fixture.fanOutJobs.length = 0;
  fixture.deliverJobs.length = 0;
});

const sql = <Row>(text: string, values: unknown[] = []) =>
  fixture.store.query<Row>({ name: "test", text }, values);

let made = 0;
/** Creates a user with a device for each channel. Tokens that begin with `dead` are unregistered. */
async function newUser(...devices: Array<[channel: string, token: string]>): Promise<number> {
  made += 1;
  const [user] = await sql<{ id: number }>(
    `INSERT INTO users (application_id, login, login_key, updated_at) VALUES ($1, $2, $2, now())
      RETURNING id`,
    [applicationId, `user-${made}`],
  );
  for (const [channel, token] of devices) {
    await sql(
      `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
          token, updated_at)
        VALUES ($1, $2, $3::push_channel, 'development', 'ios', $4, $4, now())`,
      [applicationId, user?.id, channel, `${token}-${made}`],
    );
    if (token.startsWith("dead")) {
      fixture.providers.outcomes.set(`${token}-${made}`, () => ({
        kind: "unregistered",
        reason: "410",
      }));
    }
  }
  return user?.id ?? 0;
}

const createPush = (...users: number[]) =>
  createEvents(
    fixture.push,
    { applicationId, userId: users[0] ?? 0 },
    {
      environment: "development",
      message: { notification: { body: "Ring", apple: { voip: true } } },
      userIds: users.map(String),
    },
  );

async function send(...jobs: Array<DeliverJob | undefined>) {
  for (const job of jobs) if (job) await deliver(fixture.push, job);
}
const fanOutJob = (job: FanOutJob | undefined) => job && fanOut(fixture.push, job);
/** Channels and devices of accepted pushes, sorted. */
const reachedDevices = () =>
  fixture.providers.sent
    .filter(({ target }) => !target.token.startsWith("dead"))
    .map(({ push, target }) => `${push.channel} ${target.token.replace(/-.*/, "")}`)
    .sort();
const counts = () =>
  sql(
    `SELECT channel::text, active, delivery_count AS written, accepted_count AS accepted,
      gone_count AS gone FROM push_events ORDER BY id`,
  );

it("creates an alert event if there is none, and delivers nothing twice", async () => {
  const user = await newUser(["apns_voip", "dead"], ["apns", "tablet"], ["gcm", "android"]);
  expect((await createPush(user)).map(({ channel }) => channel)).toEqual(["apns_voip", "gcm"]);
  const { fanOutJobs, deliverJobs } = fixture;
  for (const job of fanOutJobs) await fanOutJob(job);
  const [voip, gcm] = deliverJobs.splice(0);
  await send(voip, gcm);
  const [instead] = deliverJobs;
  expect(deliverJobs).toHaveLength(1);
  await send(instead, voip, instead);
  expect(deliverJobs).toHaveLength(1);
  expect(reachedDevices()).toEqual(["apns tablet", "gcm android"]);
  expect(await counts()).toEqual([
    { channel: "apns_voip", active: false, written: 1, accepted: 0, gone: 1 },
    { channel: "gcm", active: false, written: 1, accepted: 1, gone: 0 },
    { channel: "apns", active: false, written: 1, accepted: 1, gone: 0 },
  ]);
});

it.each(["before", "after"])("joins an existing alert event, %s its fan-out", async (order) => {
  const user = await newUser(["apns_voip", "dead"], ["apns", "tablet"]);
  const other = await newUser(["apns", "plain"]);
  await createPush(user, other);
  const { fanOutJobs, deliverJobs } = fixture;
  const [voip, standard] = fanOutJobs;
  if (order === "before") await fanOutJob(standard);
  await fanOutJob(voip);
  await send(...deliverJobs.splice(0));
  if (order === "after") await fanOutJob(standard);
  await send(...deliverJobs.splice(0));
  expect(deliverJobs).toEqual([]);
  expect(reachedDevices()).toEqual(["apns plain", "apns tablet"]);
  expect(await counts()).toEqual([
    { channel: "apns_voip", active: false, written: 1, accepted: 0, gone: 1 },
    { channel: "apns", active: false, written: 2, accepted: 2, gone: 0 },
  ]);
});

it("does not reach users with another VoIP subscription or without other devices", async () => {
  const several = await newUser(["apns_voip", "dead"], ["apns_voip", "phone"], ["apns", "tablet"]);
  const none = await newUser(["apns_voip", "dead"]);
  await createPush(several, none);
  await fanOutJob(fixture.fanOutJobs[0]);
  await send(...fixture.deliverJobs.splice(0));
  expect(fixture.deliverJobs).toEqual([]);
  expect(reachedDevices()).toEqual(["apns_voip phone"]);
  expect(await counts()).toEqual([
    { channel: "apns_voip", active: false, written: 3, accepted: 1, gone: 2 },
  ]);
});
