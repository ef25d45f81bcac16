import { graphql } from "../../../tools/graphql/graphql-http";
import { eventually, HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import {
  addDevice,
  eventBody,
  eventCounts,
  payload,
  postEvent,
  universal,
} from "../../support/push/push";
import { RecordingProviders } from "../../support/push/recording-provider";
import { newUser, rest, type TestUser } from "../../support/rest-client";

const DAY = 24 * HOUR;
const clock = new MovingClock();
const providers = new RecordingProviders();
let node: TestNode;
let sender: TestUser;
let user: TestUser;
let token: string;
beforeAll(async () => {
  node = await startNode({}, { clock, pushProvider: providers.open, jobsPollMs: 100 });
  sender = await newUser(node);
  sender = { ...sender, token: await longLivedToken(sender) };
  user = await newUser(node);
  token = await addDevice(node, user);
  // Created when the node first polls for jobs.
  const present = ([row]: unknown[]) => row !== undefined;
  await eventually(
    () => node.sql("SELECT 1 AS one WHERE to_regclass('pgboss.queue') IS NOT NULL"),
    present,
  );
  await eventually(
    () => node.sql("SELECT 1 AS one FROM pgboss.queue WHERE name = 'push-due'"),
    present,
  );
});
afterAll(() => node.stop());
// Sign-up uses the real time.
afterEach(() => clock.advance(Date.now() - clock.now()));

/** A session token that outlasts the time that passes in these tests. */
async function longLivedToken({ id }: TestUser): Promise<string> {
  const token = "long-lived".padEnd(43, "-");
  await node.sql(
    `INSERT INTO sessions (application_id, user_id, token_hash, nonce, ts, sliding, expires_at,
        last_activity_at, updated_at)
      SELECT application_id, id, sha256($2::text::bytea), 0, 0, false, now() + interval '1 year',
        now(), now() FROM users WHERE id = $1`,
    [id, token],
  );
  return token;
}

const FIELDS = "active occurredCount deliveryCount date endDate period eventType";
const seen = async (id: number) => {
  const document = `query ($id: ID!) { pushEvent(id: $id) { ${FIELDS} } }`;
  return (await graphql(node, document, { id: String(id) }, sender.token)).data.pushEvent;
};
const sentTo = () => providers.sent.filter(({ target }) => target.token === token).length;

/** Starts due dispatches, and waits for the event to reach a number of dispatches. */
async function dispatchDue(id: number, count: number) {
  await node.sql(
    "INSERT INTO pgboss.job (name, data, policy) VALUES ('push-due', '{}', 'stately')",
  );
  return eventually(
    () => seen(id),
    ({ occurredCount }) => occurredCount === count,
  );
}
/** Runs the job for due dispatches to completion. */
async function runDueJob() {
  const [job] = await node.sql<{ id: string }>(
    "INSERT INTO pgboss.job (name, data, policy) VALUES ('push-due', '{}', 'stately') RETURNING id",
  );
  await eventually(
    () =>
      node.sql<{ state: string }>("SELECT state::text FROM pgboss.job WHERE id = $1::uuid", [
        job?.id,
      ]),
    ([each]) => each?.state === "completed",
  );
}

/** Creates a schedule for the user's device, on one channel. */
const schedule = async (fields: Record<string, unknown>) => {
  const message = payload({ data: { a: "b" } });
  const [event] = await postEvent(node, sender, {
    push_type: "gcm",
    message,
    user: { ids: user.id },
    ...fields,
  });
  return event;
};

const inSeconds = (ms: number) => Math.floor((clock.now() + ms) / 1000);
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "");

describe("fixed_date", () => {
  it("is dispatched once at its date", async () => {
    const date = inSeconds(HOUR);
    const event = await schedule({ event_type: "fixed_date", date, name: "Reminder" });
    expect(event).toMatchObject({
      event_type: "fixed_date",
      date: iso(date),
      active: true,
      name: "Reminder",
    });
    const before = sentTo();
    await runDueJob();
    expect([await seen(event.id), sentTo()]).toMatchObject([{ occurredCount: 0 }, before]);
    clock.advance(HOUR);
    expect(await dispatchDue(event.id, 1)).toMatchObject({ active: false, deliveryCount: 1 });
    await eventCounts(node, event.id);
    await runDueJob();
    expect([await seen(event.id), sentTo()]).toMatchObject([{ occurredCount: 1 }, before + 1]);
  });

  it("accepts an ISO 8601 date, also without recipients yet", async () => {
    const late = await newUser(node);
    const date = iso(inSeconds(HOUR));
    const [event] = await postEvent(node, sender, {
      event_type: "fixed_date",
      date,
      push_type: "web",
      user: { ids: late.id },
      message: `payload=${universal({ title: "x" })}`,
    });
    expect(event.date).toBe(date);
    const device = await addDevice(node, late, "web");
    clock.advance(HOUR + MINUTE);
    await dispatchDue(event.id, 1);
    await eventCounts(node, event.id);
    expect(providers.tokens()).toContain(device);
  });
});

describe("a universal schedule", () => {
  it("reaches users on every channel by the devices they have at its date", async () => {
    const [first, second] = [await newUser(node), await newUser(node)];
    const plain = await addDevice(node, first, "apns");
    const events = await postEvent(node, sender, {
      event_type: "fixed_date",
      date: inSeconds(HOUR),
      message: universal({ message: "Ring", ios_voip: 1 }),
      user: { ids: `${first.id},${second.id}` },
    });
    expect(events.map((event) => event.notification_channel.name)).toEqual([
      "apns_voip",
      "apns",
      "gcm",
      "web",
    ]);
    const voip = await addDevice(node, second, "apns_voip");
    const android = await addDevice(node, second, "gcm");
    clock.advance(HOUR);
    // One run starts them all.
    await dispatchDue(events[0].id, 1);
    for (const { id } of events) await eventCounts(node, id);
    expect(
      providers.sent
        .filter(({ target }) => [plain, voip, android].includes(target.token))
        .map(({ target, push }) => [push.channel, target.token])
        .sort(),
    ).toEqual([
      ["apns", plain],
      ["apns_voip", voip],
      ["gcm", android],
    ]);
  });
});

describe("period_date", () => {
  it("is dispatched every period from its date, skips missed dispatches, and ends", async () => {
    const date = inSeconds(HOUR);
    const event = await schedule({
      event_type: "period_date",
      date,
      period: 86_400,
      end_date: date + 5 * 86_400,
    });
    const before = sentTo();
    clock.advance(HOUR);
    expect(await dispatchDue(event.id, 1)).toMatchObject({ active: true, occurredCount: 1 });
    // After three days of downtime: one dispatch, then the old schedule again.
    clock.advance(3 * DAY + 2 * HOUR);
    await dispatchDue(event.id, 2);
    await runDueJob();
    expect(await seen(event.id)).toMatchObject({ occurredCount: 2, active: true });
    clock.advance(22 * HOUR);
    await dispatchDue(event.id, 3);
    clock.advance(DAY);
    expect(await dispatchDue(event.id, 4)).toMatchObject({ active: false });
    await eventCounts(node, event.id);
    clock.advance(7 * DAY);
    await runDueJob();
    expect([(await seen(event.id)).occurredCount, sentTo()]).toEqual([4, before + 4]);
  });

  it("is not dispatched after its end, even after a long downtime", async () => {
    const date = inSeconds(HOUR);
    const event = await schedule({
      event_type: "period_date",
      date,
      period: 86_400,
      end_date: date + 86_400 + 60,
    });
    const before = sentTo();
    clock.advance(HOUR);
    await dispatchDue(event.id, 1);
    await eventCounts(node, event.id);
    clock.advance(3 * DAY);
    await runDueJob();
    expect(await seen(event.id)).toMatchObject({ active: false, occurredCount: 1 });
    expect(sentTo()).toBe(before + 1);
  });

  it("ends when it is stopped", async () => {
    const event = await schedule({
      event_type: "period_date",
      date: inSeconds(HOUR),
      period: 604_800,
    });
    const stop = `mutation ($id: ID!) { stopPushEvent(input: { id: $id }) { event { active } } }`;
    const { data } = await graphql(node, stop, { id: String(event.id) }, sender.token);
    expect(data.stopPushEvent.event).toEqual({ active: false });
    clock.advance(HOUR + MINUTE);
    await runDueJob();
    expect(await seen(event.id)).toMatchObject({ occurredCount: 0, active: false });
  });
});

describe("a request with an Idempotency-Key", () => {
  const post = (key: string, event: Record<string, unknown> = {}, who = sender) =>
    rest(node, "POST", "/events", {
      token: who.token,
      body: eventBody({ user: { ids: user.id }, ...event }),
      headers: { "Idempotency-Key": key },
    });
  const idsOf = ({ body }: Awaited<ReturnType<typeof post>>) =>
    body.map(({ event }: { event: { id: number } }) => event.id);

  it("creates one push within a day, even if repeated or concurrent", async () => {
    const before = sentTo();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post("once")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.flatMap(idsOf)).size).toBe(1);
    const [id] = idsOf(answers[0]!);
    await eventCounts(node, id);
    expect(sentTo()).toBe(before + 1);
    clock.advance(DAY - MINUTE);
    expect(idsOf(await post("once"))).toEqual([id]);
    clock.advance(2 * MINUTE);
    expect(idsOf(await post("once"))).not.toEqual([id]);
  });

  it("of a schedule returns the same events after its date", async () => {
    const event = { event_type: "fixed_date", date: inSeconds(HOUR) };
    const first = await post("dated", event);
    expect(first.status).toBe(201);
    clock.advance(3 * HOUR);
    const again = await post("dated", event);
    expect([again.status, idsOf(again)]).toEqual([201, idsOf(first)]);
    const other = await post("dated-again", event);
    expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ["date"]]);
  });

  it("is refused for another request of the sender, and independent of other senders", async () => {
    await post("mine");
    const other = await post("mine", { name: "another" });
    expect([other.status, other.body]).toEqual([
      422,
      { errors: { "Idempotency-Key": [expect.stringContaining("another request")] } },
    ]);
    const stranger = await newUser(node);
    expect((await post("mine", { name: "another" }, stranger)).status).toBe(201);
  });

  it.each(["", "a b", "x".repeat(256)])("is refused with an invalid key: %j", async (key) => {
    const { status } = await post(key);
    expect(status).toBe(key === "" ? 201 : 422);
  });

  it("takes the key as an argument in GraphQL", async () => {
    const document = `mutation ($input: CreatePushEventInput!, $key: String) {
      createPushEvent(input: $input, idempotencyKey: $key) { events { id } } }`;
    const message = { notification: { body: "Hello" } };
    const input = { environment: "DEVELOPMENT", message, userIds: [String(user.id)] };
    const run = () => graphql(node, document, { input, key: "graphql" }, sender.token);
    const [first, second] = [await run(), await run()];
    expect(first.errors).toBeUndefined();
    expect(second.data).toEqual(first.data);
  });
});

describe("a dry run", () => {
  const TRY = `mutation ($input: CreatePushEventInput!) {
    createPushEvent(input: $input, dryRun: true) { events { id } dryRun { problems channels {
      channel deviceCount userCount more userIds headers payload bytes maxBytes problems } } } }`;
  const run = async (input: object) => {
    const { data, errors } = await graphql(
      node,
      TRY,
      {
        input: { environment: "DEVELOPMENT", message: { notification: { body: "Hi" } }, ...input },
      },
      sender.token,
    );
    expect(errors).toBeUndefined();
    return data.createPushEvent;
  };

  it("returns recipients and payloads, and sends and writes nothing", async () => {
    const fresh = await newUser(node);
    await addDevice(node, fresh, "apns");
    await addDevice(node, fresh, "gcm");
    const [before] = await node.sql("SELECT count(*) FROM push_events");
    const sent = providers.sent.length;
    const answer = await run({
      message: { notification: { body: "Hi", badge: 2, data: { mine: true } } },
      userIds: [String(fresh.id), String(sender.id)],
    });
    expect(answer.events).toEqual([]);
    expect(answer.dryRun.problems).toEqual([]);
    const common = { deviceCount: 1, userCount: 1, more: false, userIds: [String(fresh.id)] };
    expect(answer.dryRun.channels).toEqual([
      {
        ...common,
        channel: "APNS",
        maxBytes: 4096,
        problems: [],
        headers: expect.objectContaining({ "apns-push-type": "alert" }),
        payload: { aps: { alert: { body: "Hi" }, badge: 2 }, mine: true },
        bytes: expect.any(Number),
      },
      expect.objectContaining({ ...common, channel: "GCM", problems: [] }),
    ]);
    expect(await node.sql("SELECT count(*) FROM push_events")).toEqual([before]);
    expect(providers.sent).toHaveLength(sent);
  });

  it("of a universal schedule covers every channel", async () => {
    const { dryRun } = await run({
      eventType: "FIXED_DATE",
      date: new Date(clock.now() + HOUR).toISOString(),
      userIds: [String(user.id)],
    });
    const channels = dryRun.channels.map(
      ({ channel, deviceCount }: { channel: string; deviceCount: number }) => [
        channel,
        deviceCount,
      ],
    );
    expect([dryRun.problems, channels]).toEqual([
      [],
      [
        ["APNS", 0],
        ["GCM", 1],
        ["WEB", 0],
      ],
    ]);
  });

  it("reports dropped keys of the message", async () => {
    const payload = { notification: { titel: "T" } };
    const userIds = [String(user.id)];
    const { dryRun } = await run({ message: { platform: { channel: "GCM", payload } }, userIds });
    expect(dryRun.channels[0]).toMatchObject({
      channel: "GCM",
      problems: ["notification.titel is dropped: Firebase does not know it"],
    });
    const badge = { notification: { badge: 3, data: { id: 7 } } };
    expect((await run({ message: badge, userIds })).dryRun.channels[0]).toMatchObject({
      channel: "GCM",
      payload: { data: { id: "7" } },
      problems: ["badge is dropped: Android needs a title or a body"],
    });
  });

  it("reports every problem at once", async () => {
    const { dryRun } = await run({
      message: { notification: { badge: -1 } },
      eventType: "PERIOD_DATE",
      name: "x".repeat(300),
      userIds: [],
    });
    expect(dryRun.channels).toEqual([]);
    expect(dryRun.problems.map((text: string) => text.split(":")[0]).sort()).toEqual([
      "date",
      "message.notification.badge",
      "name",
      "userIds",
    ]);
  });

  it("names event types as the schema does, and REST as its parameters do", async () => {
    const userIds = [String(user.id)];
    const date = new Date(clock.now() + HOUR).toISOString();
    for (const [input, parameters, problem] of [
      [{ date }, { date }, "date: is only for FIXED_DATE and PERIOD_DATE"],
      [
        { eventType: "FIXED_DATE" },
        { event_type: "fixed_date" },
        "date: is required for FIXED_DATE",
      ],
      [
        { eventType: "FIXED_DATE", date, period: 86_400 },
        { event_type: "fixed_date", date, period: 86_400 },
        "period: is only for PERIOD_DATE",
      ],
      [
        { eventType: "PERIOD_DATE", date },
        { event_type: "period_date", date },
        "period: is required for PERIOD_DATE",
      ],
    ] as Array<[object, object, string]>) {
      const { dryRun } = await run({ ...input, userIds });
      expect(dryRun.problems).toEqual([problem]);
      const [field = "", text = ""] = problem.split(": ");
      const { status, body } = await rest(node, "POST", "/events", {
        token: sender.token,
        body: eventBody({ ...parameters, user: { ids: String(user.id) } }),
      });
      const onRest = text.replace(/[A-Z]+_DATE/g, (name) => name.toLowerCase());
      expect([status, body]).toEqual([422, { errors: { [field]: [onRest] } }]);
    }
  });

  it("reports problems of a channel: no recipients, too large, no credentials", async () => {
    providers.missing.add("apns");
    const lonely = await newUser(node);
    const { dryRun } = await run({
      message: { platform: { channel: "APNS", payload: { aps: { alert: "x".repeat(5_000) } } } },
      userIds: [String(lonely.id)],
    });
    providers.missing.clear();
    expect(dryRun.problems).toEqual([
      "No one can receive the message: no recipient has a device in this environment",
    ]);
    expect(dryRun.channels[0].problems).toEqual([
      expect.stringContaining("4,096"),
      "No recipient has a device on this channel",
      "No apns credentials are set for development",
    ]);
  });
});

describe("the list of events", () => {
  const LIST = `query ($first: Int, $after: String) { pushEvents(first: $first, after: $after) {
    nodes { id } edges { cursor } pageInfo { hasNextPage endCursor hasPreviousPage } } }`;

  it("contains the user's own events, newest first, in pages", async () => {
    const own = await newUser(node);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const [event] = await postEvent(node, own, { user: { ids: user.id } });
      ids.unshift(String(event.id));
    }
    const page = async (variables: object) =>
      (await graphql(node, LIST, { ...variables }, own.token)).data.pushEvents;
    const first = await page({ first: 2 });
    expect(first.nodes.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(first.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      endCursor: ids[1],
    });
    const second = await page({ first: 2, after: first.pageInfo.endCursor });
    expect(second.nodes).toEqual([{ id: ids[2] }]);
    expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    for (const wrong of [{ first: 0 }, { after: "x" }]) {
      const { errors } = await graphql(node, LIST, wrong, own.token);
      expect(Object.keys(errors?.[0].extensions.fields)).toEqual(Object.keys(wrong));
    }
  });

  it("loses a deleted event with its deliveries, and hides other users' events", async () => {
    const [event] = await postEvent(node, sender, { user: { ids: user.id } });
    await eventCounts(node, event.id);
    const remove =
      "mutation ($id: ID!) { deletePushEvent(input: { id: $id }) { deletedPushEventId } }";
    const id = String(event.id);
    const foreign = await graphql(node, remove, { id }, user.token);
    expect(foreign.errors?.[0].extensions.code).toBe("NOT_FOUND");
    const { data } = await graphql(node, remove, { id }, sender.token);
    expect(data.deletePushEvent).toEqual({ deletedPushEventId: id });
    expect(await seen(event.id)).toBeNull();
    expect(await node.sql("SELECT 1 FROM push_deliveries WHERE event_id = $1", [id])).toEqual([]);
  });
});
