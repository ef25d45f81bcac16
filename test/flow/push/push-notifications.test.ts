import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { addDevice, eventCounts, postEvent } from "../../support/push/push";
import { RecordingProviders } from "../../support/push/recording-provider";
import { newUser, type TestUser } from "../../support/rest-client";

/** Pushes by GraphQL: notifications, and payloads of one platform. */

const providers = new RecordingProviders();
let node: TestNode;
let sender: TestUser;
let user: TestUser;
beforeAll(async () => {
  node = await startNode({}, { pushProvider: providers.open, jobsPollMs: 100 });
  sender = await newUser(node);
  user = await newUser(node);
  for (const channel of ["apns", "gcm", "web"]) await addDevice(node, user, channel);
});
afterAll(() => node.stop());
beforeEach(() => providers.sent.splice(0));

const SEND = `mutation ($input: CreatePushEventInput!) { createPushEvent(input: $input) { events {
  id channel payload
  notification { title body badge sound data expiresAt
    apple { subtitle voip } android { channelId } web { icon title } } } } }`;

const send = (message: object) =>
  graphql(
    node,
    SEND,
    { input: { environment: "DEVELOPMENT", message, userIds: [String(user.id)] } },
    sender.token,
  );

const READ = `query ($id: ID!) { pushEvent(id: $id) { channel payload notification { title } } }`;

/** The message of an event in the database. */
async function storedMessage({ id }: { id: string }): Promise<string> {
  const [row] = await node.sql<{ message: string }>(
    "SELECT message FROM push_events WHERE id = $1",
    [id],
  );
  return row?.message ?? "";
}

/** What the push services received, by channel, after all deliveries. */
async function sentOf(events: Array<{ id: string }>): Promise<Record<string, object>> {
  for (const { id } of events) await eventCounts(node, Number(id));
  return Object.fromEntries(providers.sent.map(({ push }) => [push.channel, push]));
}

const NOTIFICATION = {
  title: "Order",
  body: "On its way",
  badge: 2,
  sound: null,
  data: { order: 7, note: null },
  expiresAt: "2090-01-01T00:00:00Z",
  apple: { subtitle: "Shop", voip: null },
  android: {},
  web: { icon: "/icon.png", title: null },
};

test("a notification reaches every platform in its own form, and is read as it was sent", async () => {
  const { data, errors } = await send({ notification: NOTIFICATION });
  expect(errors).toBeUndefined();
  const { events } = data.createPushEvent;
  expect(events.map(({ channel }: { channel: string }) => channel)).toEqual(["APNS", "GCM", "WEB"]);
  for (const event of events) {
    expect(event.notification).toEqual({ ...NOTIFICATION, android: null });
    expect(JSON.parse(await storedMessage(event))).toEqual({
      title: "Order",
      body: "On its way",
      badge: 2,
      data: { order: 7, note: null },
      expiresAt: "2090-01-01T00:00:00.000Z",
      apple: { subtitle: "Shop" },
      web: { icon: "/icon.png" },
    });
  }
  const sent = await sentOf(events);
  const alert = { title: "Order", subtitle: "Shop", body: "On its way" };
  const apple = { aps: { alert, badge: 2 }, order: 7, note: null };
  const android = {
    data: { order: "7", note: "null" },
    notification: { title: "Order", body: "On its way" },
    android: expect.objectContaining({ priority: "HIGH", notification: { notification_count: 2 } }),
  };
  const browser = {
    title: "Order",
    body: "On its way",
    icon: "/icon.png",
    appBadge: 2,
    data: { order: 7, note: null },
  };
  const payloads = events.map(({ payload }: { payload: object }) => payload);
  expect(payloads).toEqual([apple, android, browser]);
  const parsed = (push: object | undefined) => JSON.parse((push as { payload: string }).payload);
  expect(parsed(sent.apns)).toEqual(apple);
  expect(sent.gcm).toEqual({ channel: "gcm", message: android });
  expect(parsed(sent.web)).toEqual(browser);
});

test("a payload of one platform reaches that platform as it is", async () => {
  const payload = { aps: { alert: { title: "Hi" }, "interruption-level": "passive" }, mine: [1] };
  const { data, errors } = await send({ platform: { channel: "APNS", payload } });
  expect(errors).toBeUndefined();
  const { events } = data.createPushEvent;
  const text = `payload=${Buffer.from(JSON.stringify(payload)).toString("base64")}`;
  expect(events).toEqual([
    { id: expect.any(String), channel: "APNS", payload, notification: null },
  ]);
  expect(await storedMessage(events[0])).toBe(text);
  const sent = await sentOf(events);
  expect(Object.keys(sent)).toEqual(["apns"]);
  expect(sent.apns).toMatchObject({ payload: JSON.stringify(payload) });
});

test("a message that is universal on REST is read with its payloads", async () => {
  const text = Buffer.from('{"message":"Hi","ios_badge":1}').toString("base64");
  const [sent, other] = await postEvent(node, sender, { message: text, user: { ids: user.id } });
  expect(sent).toMatchObject({ message: text, notification_channel: { name: "apns" } });
  const read = async ({ id }: { id: number }) =>
    (await graphql(node, READ, { id }, sender.token)).data.pushEvent;
  expect(await read(sent)).toMatchObject({
    channel: "APNS",
    notification: null,
    payload: { aps: { alert: { body: "Hi" }, badge: 1 } },
  });
  expect((await read(other)).payload).toMatchObject({ data: { message: "Hi" } });
});

test.each<[string, object, string[]]>([
  ["no content", { notification: { apple: {}, web: null } }, ["message.notification.title"]],
  [
    "wrong content",
    { notification: { title: "T", badge: -1, apple: { data: { aps: {} } } } },
    ["message.notification.badge", "message.notification.apple.data"],
  ],
  ["text that cannot be sent", { notification: { body: "\0" } }, ["message.notification.body"]],
  ["too much content", { notification: { body: "x".repeat(17_000) } }, ["message"]],
  ["a payload that is too deep", { platform: deepPayload() }, ["message"]],
])("%s is INVALID on its fields", async (_name, message, fields) => {
  const { data, errors } = await send(message);
  expect(data?.createPushEvent).toBeUndefined();
  expect(errors?.[0].extensions).toMatchObject({
    code: "INVALID",
    fields: Object.fromEntries(fields.map((field) => [field, expect.any(Array)])),
  });
  expect(Object.keys(errors?.[0].extensions.fields)).toEqual(fields);
});

function deepPayload(): object {
  let payload: object = {};
  for (let depth = 0; depth < 30; depth += 1) payload = { payload };
  return { channel: "WEB", payload };
}
