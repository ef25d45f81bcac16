import type { Outcome } from "../../../src/domain/push/providers/port/provider";
import { graphql } from "../../../tools/graphql/graphql-http";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { addDevice, eventCounts } from "../../support/push/push";
import { RecordingProviders } from "../../support/push/recording-provider";
import { newUser, type TestUser } from "../../support/rest-client";
import { memberToken, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

const providers = new RecordingProviders();
let node: TestNode;
let user: TestUser;
let owner: string;
let stranger: string;
beforeAll(async () => {
  node = await startNode({}, { pushProvider: providers.open, jobsPollMs: 100 });
  user = await newUser(node);
  owner = await ownerToken(node);
  stranger = await ownerToken(await secondApplication(node));
});
afterAll(() => node.stop());
beforeEach(() => node.sql("DELETE FROM push_subscriptions"));

const applicationId = () => String(node.application.id);
const run = (document: string, variables: Record<string, unknown> = {}, token = owner) =>
  graphql(node, document, variables, token);
const CREATE = `mutation ($input: CreatePushEventInput!, $key: String, $dryRun: Boolean) {
  createPushEvent(input: $input, idempotencyKey: $key, dryRun: $dryRun) {
    events { id state }
    dryRun {
      problems
      recipients { deviceCount userCount isExact channels { channel deviceCount userCount } }
      channels {
        channel payload bytes maxBytes droppedKeys sendable problems
        display { visible title subtitle body badge sound imageUrl icon titleLocKey bodyLocKey }
      }
    }
  }
}`;
const inputOf = (more: Record<string, unknown> = {}) => ({
  applicationId: applicationId(),
  environment: "DEVELOPMENT",
  message: { notification: { title: "Hello" } },
  userIds: [String(user.id)],
  ...more,
});
const schedule = (more: Record<string, unknown> = {}) =>
  inputOf({ eventType: "FIXED_DATE", date: "2090-01-01T00:00:00Z", ...more });

async function create(input: object, key?: string): Promise<Array<{ id: string; state: string }>> {
  const { data, errors } = await run(CREATE, { input, key });
  if (errors) throw new Error(JSON.stringify(errors));
  return data.createPushEvent.events;
}

/** Sends a push to devices with these outcomes, in this order, and waits for them. */
async function sent(...outcomes: Outcome[]): Promise<number> {
  for (const [n, outcome] of outcomes.entries()) {
    providers.outcomes.set(await addDevice(node, user, "gcm", { udid: `d${n}` }), () => outcome);
  }
  const [event] = await create(inputOf());
  await eventCounts(node, Number(event?.id));
  return Number(event?.id);
}

const LIST = `query ($app: ID!, $filter: PushEventFilter, $first: Int, $after: String) {
  application(id: $app) { pushEvents(filter: $filter, first: $first, after: $after) {
    nodes { id state kind pendingCount nextRunAt stoppedAt fanningOut }
    pageInfo { hasNextPage endCursor } } } }`;
const listed = async (filter: object | null, page: object = {}) => {
  const { data, errors } = await run(LIST, { app: applicationId(), filter, ...page });
  expect(errors).toBeUndefined();
  return data.application.pushEvents;
};
const ids = ({ nodes }: { nodes: Array<{ id: string }> }) => nodes.map(({ id }) => id);

describe("an idempotency key of the owner", () => {
  it("creates one push, even if it is repeated or sent concurrently", async () => {
    await addDevice(node, user);
    const input = inputOf();
    const both = await Promise.all([create(input, "click"), create(input, "click")]);
    const again = await create(input, "click");
    expect(new Set([...both, again].map((events) => events.map(({ id }) => id).join()))).toEqual(
      new Set([again.map(({ id }) => id).join()]),
    );
    expect(again).toHaveLength(1);
    expect((await create(input))[0]?.id).not.toBe(again[0]?.id);
  });

  it("is refused for another request, and independent of other applications and of users", async () => {
    await create(schedule(), "shared");
    const { errors } = await run(CREATE, { input: schedule({ name: "other" }), key: "shared" });
    expect(errors?.[0].extensions).toMatchObject({ code: "INVALID" });
    const own = await graphql(
      node,
      `mutation ($input: CreatePushEventInput!) {
        createPushEvent(input: $input, idempotencyKey: "shared") { events { id } } }`,
      { input: { ...schedule(), applicationId: undefined, name: "of a user" } },
      user.token,
    );
    expect(own.errors).toBeUndefined();
    const made = await run(
      'mutation { createApplication(input: { name: "Third" }) { application { id } } }',
    );
    const third = made.data.createApplication.application.id;
    expect(await create(schedule({ applicationId: third, name: "third" }), "shared")).not.toEqual(
      [],
    );
  });
});

describe("a dry run of the owner", () => {
  it("returns for each platform the payload, what a device shows, its size, and the recipients", async () => {
    await addDevice(node, user, "gcm", { udid: "a" });
    await addDevice(node, user, "apns", { udid: "b" });
    await addDevice(node, user, "web", { udid: "c" });
    const message = {
      notification: {
        title: "Order 7",
        body: "On its way",
        badge: 3,
        sound: "ring.caf",
        apple: { subtitle: "Shop" },
        android: { imageUrl: "https://x.example/i.png", icon: "truck" },
      },
    };
    const { data } = await run(CREATE, { input: inputOf({ message }), dryRun: true });
    const { dryRun, events } = data.createPushEvent;
    expect(events).toEqual([]);
    expect(dryRun.problems).toEqual([]);
    expect(dryRun.recipients).toEqual({
      deviceCount: 3,
      userCount: 1,
      isExact: true,
      channels: ["APNS", "GCM", "WEB"].map((channel) => ({
        channel,
        deviceCount: 1,
        userCount: 1,
      })),
    });
    const nothing = { titleLocKey: null, bodyLocKey: null, subtitle: null };
    const common = { visible: true, title: "Order 7", body: "On its way", badge: 3 };
    const shown = Object.fromEntries(
      dryRun.channels.map(({ channel, display }: { channel: string; display: object }) => [
        channel,
        display,
      ]),
    );
    expect(shown).toEqual({
      APNS: {
        ...nothing,
        ...common,
        subtitle: "Shop",
        sound: "ring.caf",
        imageUrl: null,
        icon: null,
      },
      GCM: {
        ...nothing,
        ...common,
        sound: "ring.caf",
        imageUrl: "https://x.example/i.png",
        icon: "truck",
      },
      WEB: { ...nothing, ...common, sound: null, imageUrl: null, icon: null },
    });
    for (const { bytes, maxBytes, sendable, droppedKeys } of dryRun.channels) {
      expect(bytes).toBeGreaterThan(10);
      expect(bytes).toBeLessThan(maxBytes);
      expect([sendable, droppedKeys]).toEqual([true, []]);
    }
    expect(dryRun.channels[0].payload).toMatchObject({ aps: { badge: 3 } });
  });

  it("says what is dropped, what is too large, and what is not sendable", async () => {
    await addDevice(node, user, "gcm");
    const message = {
      platform: { channel: "GCM", payload: { data: { a: "x".repeat(5000) }, to: "somebody" } },
    };
    const { data } = await run(CREATE, { input: inputOf({ message }), dryRun: true });
    const [{ sendable, droppedKeys, problems, display }] = data.createPushEvent.dryRun.channels;
    expect(sendable).toBe(false);
    expect(display.visible).toBe(false);
    expect(droppedKeys).toEqual([expect.stringContaining("to")]);
    expect(problems).toEqual([...droppedKeys, expect.stringMatching(/too large/)]);
  });
});

describe("the number of recipients", () => {
  const COUNT = `query ($app: ID!, $recipients: PushRecipientsInput!) {
    application(id: $app) { pushRecipientCount(recipients: $recipients) {
      deviceCount userCount isExact channels { channel deviceCount userCount } } } }`;
  const count = async (recipients: object) => {
    const all = { environment: "DEVELOPMENT", ...recipients };
    const { data, errors } = await run(COUNT, { app: applicationId(), recipients: all });
    expect(errors).toBeUndefined();
    return data.application.pushRecipientCount;
  };

  it("is counted by each selector, each device once on its preferred channel", async () => {
    const other = await newUser(node);
    await addDevice(node, user, "gcm", { udid: "a" });
    await addDevice(node, user, "web", { udid: "a" });
    await addDevice(node, user, "apns", { udid: "b" });
    await addDevice(node, user, "apns_voip", { udid: "b" });
    await addDevice(node, user, "gcm", { udid: "c", environment: "production" });
    await addDevice(node, other, "gcm", { udid: "d" });
    await node.sql(
      `INSERT INTO user_tags (user_id, application_id, tag, position)
        SELECT id, application_id, tag, 0 FROM users, unnest('{red,blue}'::text[]) tag
        WHERE id = $1 OR (id = $2 AND tag = 'red')`,
      [user.id, other.id],
    );
    await node.sql("UPDATE users SET external_id = 'ext-1' WHERE id = $1", [user.id]);
    const numbers = ({ deviceCount, userCount }: Record<string, number>) => [
      deviceCount,
      userCount,
    ];
    expect(await count({ tagsAny: ["red", "blue"] })).toEqual({
      deviceCount: 3,
      userCount: 2,
      isExact: true,
      channels: [
        { channel: "APNS", deviceCount: 1, userCount: 1 },
        { channel: "GCM", deviceCount: 2, userCount: 2 },
        { channel: "WEB", deviceCount: 0, userCount: 0 },
      ],
    });
    expect(numbers(await count({ tagsAll: ["red", "blue"] }))).toEqual([2, 1]);
    expect(numbers(await count({ tagsExclude: ["blue"] }))).toEqual([1, 1]);
    expect(numbers(await count({ userIds: [String(user.id), "999999999"] }))).toEqual([2, 1]);
    expect(numbers(await count({ externalUserIds: ["ext-1", "nobody"] }))).toEqual([2, 1]);
    expect(numbers(await count({ tagsAny: ["green"] }))).toEqual([0, 0]);
    expect(numbers(await count({ tagsAny: ["red"], environment: "PRODUCTION" }))).toEqual([1, 1]);
    expect(numbers(await count({ tagsAny: ["red"], channel: "WEB" }))).toEqual([1, 1]);
    const voip = await count({ userIds: [String(user.id)], voip: true });
    expect(voip.channels.map(({ deviceCount }: { deviceCount: number }) => deviceCount)).toEqual([
      1, 0, 1, 0,
    ]);
  });

  it("is a lower bound beyond 10,000 users", async () => {
    const made = await run(
      'mutation { createApplication(input: { name: "Large" }) { application { id } } }',
    );
    const app = made.data.createApplication.application.id;
    await node.sql(
      `WITH u AS (INSERT INTO users (application_id, login, login_key, updated_at)
          SELECT $1, 'large' || n, 'large' || n, now() FROM generate_series(1, 10050) n RETURNING id),
        t AS (INSERT INTO user_tags (user_id, application_id, tag, position)
          SELECT id, $1, 'all', 0 FROM u)
        INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
          token, updated_at)
        SELECT $1, id, 'gcm', 'development', 'android', 'u', 't' || id, now() FROM u`,
      [app],
    );
    for (const selector of [{ tagsAny: ["all"] }, { tagsAll: ["all"] }, { tagsExclude: ["x"] }]) {
      const recipients = { environment: "DEVELOPMENT", ...selector };
      const { data } = await run(COUNT, { app, recipients });
      expect(data.application.pushRecipientCount).toMatchObject({
        deviceCount: 10_000,
        userCount: 10_000,
        isExact: false,
      });
    }
    await node.sql("DELETE FROM users WHERE application_id = $1", [app]);
  });

  it.each([
    {},
    { userIds: [] },
    { userIds: ["1"], tagsAny: ["a"] },
    { userIds: ["x"] },
  ])("is refused for %j", async (selector) => {
    const recipients = { environment: "DEVELOPMENT", ...selector };
    const { errors } = await run(COUNT, { app: applicationId(), recipients });
    expect(errors?.[0].extensions.code).toBe("INVALID");
  });
});

describe("the list of events", () => {
  it("is filtered by state and kind, in pages", async () => {
    const [first] = await create(schedule());
    const [second] = await create(
      schedule({ message: { platform: { channel: "GCM", payload: { data: {} } } } }),
    );
    const done = String(await sent({ kind: "accepted", providerId: null }));
    const later: Outcome = { kind: "retry", reason: "Busy", delayMs: null };
    providers.outcomes.set(await addDevice(node, user, "gcm", { udid: "busy" }), () => later);
    const [sending] = await create(inputOf());
    await node.sql("UPDATE push_events SET kind = 'CALL' WHERE id = $1", [done]);

    const scheduled = await listed({ state: "SCHEDULED" });
    expect(ids(scheduled)).toEqual(expect.arrayContaining([first?.id, second?.id]));
    expect(scheduled.nodes[0]).toMatchObject({
      state: "SCHEDULED",
      kind: "API",
      pendingCount: 0,
      nextRunAt: "2090-01-01T00:00:00Z",
      stoppedAt: null,
      fanningOut: false,
    });
    const open = await eventually(
      () => listed({ state: "SENDING" }),
      ({ nodes }) => nodes[0]?.pendingCount === 1 && !nodes[0].fanningOut,
    );
    expect(ids(open)).toEqual([sending?.id]);
    expect(ids(await listed({ kind: "CALL" }))).toEqual([done]);
    expect(ids(await listed({ kind: "CALL", state: "FINISHED" }))).toEqual([done]);
    expect(ids(await listed({ kind: "CALL", state: "SENDING" }))).toEqual([]);
    expect(ids(await listed({ kind: "API", state: "FINISHED" }))).not.toContain(done);
    const page = await listed({ state: "SCHEDULED" }, { first: 1 });
    expect(page.pageInfo.hasNextPage).toBe(true);
    const next = await listed({ state: "SCHEDULED" }, { first: 1, after: page.pageInfo.endCursor });
    expect([...ids(page), ...ids(next)]).toEqual(ids(scheduled).slice(0, 2));
    const all = await listed(null);
    expect(ids(all).map(Number)).toEqual(
      ids(all)
        .map(Number)
        .sort((a, b) => b - a),
    );
  });
});

describe("stopPushEvent", () => {
  const STOP = `mutation ($input: StopPushEventInput!) {
    stopPushEvent(input: $input) { event {
      id state active nextRunAt stoppedAt withdrawnAt } } }`;
  const stop = (id: string, more: object = {}, token = owner) =>
    run(STOP, { input: { id, ...more } }, token);

  it("ends a schedule of the owner or of a user", async () => {
    const [event] = await create(schedule());
    const { data } = await stop(event?.id ?? "");
    expect(data.stopPushEvent.event).toEqual({
      id: event?.id,
      state: "FINISHED",
      active: false,
      nextRunAt: null,
      stoppedAt: expect.any(String),
      withdrawnAt: null,
    });
    const own = await graphql(
      node,
      "mutation ($input: CreatePushEventInput!) { createPushEvent(input: $input) { events { id } } }",
      { input: { ...schedule(), applicationId: undefined } },
      user.token,
    );
    const { id } = own.data.createPushEvent.events[0];
    expect((await stop(id)).data.stopPushEvent.event.state).toBe("FINISHED");
  });

  /** A push of the user. */
  const createAsUser = async () => {
    const { applicationId: _, ...input } = inputOf();
    const query =
      "mutation ($input: CreatePushEventInput!) { createPushEvent(input: $input) { events { id } } }";
    return (await run(query, { input }, user.token)).data.createPushEvent.events;
  };

  it.each([
    ["a member of the account", () => create(inputOf()), () => owner],
    ["the user who sent it", createAsUser, () => user.token],
  ])("of %s: existing deliveries are sent, unless they are withdrawn", async (_, send, tokenOf) => {
    const busy = (udid: string) => addDevice(node, user, "gcm", { udid });
    const hurry = () =>
      node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'push-deliver'");
    for (const withdrawUnsent of [false, true]) {
      await node.sql("DELETE FROM push_subscriptions");
      const token = await busy("d");
      providers.outcomes.set(token, (attempt) =>
        attempt === 1
          ? { kind: "retry", reason: "Busy", delayMs: null }
          : { kind: "accepted", providerId: null },
      );
      const [event] = await send();
      const id = event?.id ?? "";
      await eventually(
        () => node.sql("SELECT 1 FROM push_deliveries WHERE event_id = $1 AND attempts = 1", [id]),
        (rows) => rows.length === 1,
      );
      const { data } = await stop(id, { withdrawUnsent }, tokenOf());
      const { stoppedAt, withdrawnAt } = data.stopPushEvent.event;
      // The fan-out had ended: nothing was left to stop.
      expect([stoppedAt, withdrawnAt !== null]).toEqual([null, withdrawUnsent]);
      await hurry();
      const counts = await eventCounts(node, Number(id));
      expect(counts).toMatchObject(
        withdrawUnsent ? { accepted: 0, failed: 1 } : { accepted: 1, failed: 0 },
      );
    }
  });

  it("changes nothing of a finished event, and finds none of other accounts or senders", async () => {
    const id = String(await sent({ kind: "accepted", providerId: null }));
    expect((await stop(id, { withdrawUnsent: true })).data.stopPushEvent.event).toMatchObject({
      state: "FINISHED",
      stoppedAt: null,
      withdrawnAt: null,
    });
    expect((await stop(id, {}, stranger)).errors?.[0].extensions.code).toBe("NOT_FOUND");
    expect((await stop(id, {}, user.token)).errors?.[0].extensions.code).toBe("NOT_FOUND");
    expect((await stop("x")).errors?.[0].extensions.code).toBe("NOT_FOUND");
  });
});

describe("deliveries for the owner", () => {
  const DELIVERIES = `query ($id: ID!, $outcome: PushOutcome, $first: Int, $last: Int) {
    pushDeliveries(eventId: $id, outcome: $outcome, first: $first, last: $last) {
      nodes { outcome reason subscriptionId } pageInfo { hasNextPage hasPreviousPage } } }`;

  it("are listed by outcome with the reason, and name no token", async () => {
    const id = await sent(
      { kind: "accepted", providerId: "p" },
      { kind: "failed", reason: "SENDER_ID_MISMATCH" },
      { kind: "failed", reason: "PayloadTooLarge" },
      { kind: "unregistered", reason: "Unregistered" },
    );
    const tokens = await node.sql<{ token: string }>("SELECT token FROM push_subscriptions");
    const list = async (variables: object) => {
      const { data } = await run(DELIVERIES, { id: String(id), ...variables });
      for (const { token } of tokens) expect(JSON.stringify(data)).not.toContain(token);
      return data.pushDeliveries;
    };
    const failed = await list({ outcome: "FAILED" });
    expect(failed.nodes.map(({ reason }: { reason: string }) => reason)).toEqual([
      "SENDER_ID_MISMATCH",
      "PayloadTooLarge",
    ]);
    expect((await list({ outcome: "UNREGISTERED" })).nodes).toEqual([
      { outcome: "UNREGISTERED", reason: "Unregistered", subscriptionId: null },
    ]);
    expect((await list({ outcome: "ACCEPTED" })).nodes).toHaveLength(1);
    expect((await list({ outcome: "PENDING" })).nodes).toEqual([]);
    expect((await list({})).nodes).toHaveLength(4);
    const [end, start] = [
      await list({ outcome: "FAILED", last: 1 }),
      await list({ outcome: "FAILED", first: 1 }),
    ];
    expect([end.nodes[0].reason, end.pageInfo.hasPreviousPage]).toEqual(["PayloadTooLarge", true]);
    expect([start.nodes[0].reason, start.pageInfo.hasNextPage]).toEqual([
      "SENDER_ID_MISMATCH",
      true,
    ]);
  });

  it("are listed for a user's devices, those of the newest event first, in pages both ways", async () => {
    const reader = await newUser(node);
    for (const udid of ["x", "y"]) await addDevice(node, reader, "gcm", { udid });
    const events: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const [event] = await create(inputOf({ userIds: [String(reader.id)] }));
      await eventCounts(node, Number(event?.id));
      events.unshift(event?.id ?? "");
    }
    const document = `query ($app: ID!, $user: ID!, $first: Int, $after: String, $last: Int,
        $before: String) {
      application(id: $app) { pushDeliveries(userId: $user, first: $first, after: $after,
          last: $last, before: $before) {
        nodes { id eventId userId outcome } pageInfo { hasNextPage startCursor endCursor } } } }`;
    const page = async (variables: object) => {
      const all = { app: applicationId(), user: String(reader.id), ...variables };
      const { data, errors } = await run(document, all);
      expect(errors).toBeUndefined();
      return data.application.pushDeliveries;
    };
    const all = await page({});
    expect(all.nodes.map(({ eventId }: { eventId: string }) => eventId)).toEqual(
      events.flatMap((id) => [id, id]),
    );
    expect(all.nodes[0]).toMatchObject({ userId: String(reader.id), outcome: "ACCEPTED" });
    const read: unknown[] = [];
    let after: string | null = null;
    for (let more = true; more; ) {
      const { nodes, pageInfo }: { nodes: unknown[]; pageInfo: Record<string, never> } = await page(
        {
          first: 4,
          after,
        },
      );
      read.push(...nodes);
      after = pageInfo.endCursor ?? null;
      more = pageInfo.hasNextPage ?? false;
    }
    expect(read).toEqual(all.nodes);
    const back = await page({ last: 2, before: all.pageInfo.endCursor });
    expect(back.nodes).toEqual(all.nodes.slice(3, 5));
    const refused = async (variables: object, token = owner) => {
      const values = { app: applicationId(), user: String(reader.id), ...variables };
      return (await run(document, values, token)).errors?.[0].extensions.code;
    };
    for (const cursor of ["1", "1.2", "1.2.3.4", "x.0.1", "1.-1.1", "1.99999999999.1", ""]) {
      expect(await refused({ after: cursor })).toBe("INVALID");
    }
    expect(await refused({ user: "999999999" })).toBe("NOT_FOUND");
    expect(await refused({}, stranger)).toBe("NOT_FOUND");
    expect(await refused({}, user.token)).toBe("FORBIDDEN");
  });
});

it("support reads events, deliveries and numbers, without a device's token, and changes nothing", async () => {
  const support = await memberToken(node, "support");
  const id = String(await sent({ kind: "failed", reason: "PayloadTooLarge" }));
  const [device] = await node.sql<{ token: string }>("SELECT token FROM push_subscriptions");
  const read = await run(
    `query ($app: ID!, $user: ID!, $id: ID!, $recipients: PushRecipientsInput!) {
      application(id: $app) { pushEvents(first: 1) { nodes { id state failedCount } }
        pushDeliveries(userId: $user, first: 1) { nodes { reason } }
        pushRecipientCount(recipients: $recipients) { deviceCount } }
      pushDeliveries(eventId: $id, outcome: FAILED) { nodes { subscriptionId reason } } }`,
    {
      app: applicationId(),
      user: String(user.id),
      id,
      recipients: { environment: "DEVELOPMENT", userIds: [String(user.id)] },
    },
    support,
  );
  expect(read.errors).toBeUndefined();
  expect(read.data.pushDeliveries.nodes).toEqual([
    { subscriptionId: expect.any(String), reason: "PayloadTooLarge" },
  ]);
  expect(read.data.application.pushRecipientCount).toEqual({ deviceCount: 1 });
  expect(JSON.stringify(read.data)).not.toContain(device?.token);
  const input = { applicationId: applicationId() };
  for (const [document, variables] of [
    [CREATE, { input: inputOf() }],
    [CREATE, { input: inputOf(), dryRun: true }],
    [
      "mutation ($input: StopPushEventInput!) { stopPushEvent(input: $input) { event { id } } }",
      { input: { id } },
    ],
    [
      "mutation ($input: CheckProviderInput!) { checkProvider(input: $input) { outcome } }",
      { input: { ...input, provider: "FACEBOOK" } },
    ],
  ] as const) {
    expect((await run(document, variables, support)).errors?.[0].extensions.code).toBe("FORBIDDEN");
  }
});
