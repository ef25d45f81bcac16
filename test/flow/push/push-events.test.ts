import { MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import {
  addDevice,
  deliveries,
  eventBody,
  eventCounts,
  payload,
  postEvent,
  universal,
} from "../../support/push/push";
import { RecordingProviders } from "../../support/push/recording-provider";
import { newUser, rest, type TestUser } from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

const clock = new MovingClock();
const providers = new RecordingProviders();
let node: TestNode;
let sender: TestUser;
beforeAll(async () => {
  node = await startNode({}, { clock, pushProvider: providers.open });
  sender = await newUser(node);
});
afterAll(() => node.stop());

const allSettled = async (events: Array<{ id: number }>) => {
  for (const { id } of events) await eventCounts(node, id);
};

/** Tokens of the devices that received an event. */
async function sentBy(event: Record<string, unknown>): Promise<string[]> {
  const from = providers.sent.length;
  const events = await postEvent(node, sender, event);
  await allSettled(events);
  return providers.sent
    .slice(from)
    .map(({ target }) => target.token)
    .sort();
}

describe("POST /events", () => {
  it("responds immediately with exactly the keys of an event, and sends", async () => {
    const user = await newUser(node);
    const token = await addDevice(node, user, "apns");
    const message = payload({ aps: { alert: "Hi" }, mine: 1 });
    const [event] = await postEvent(node, sender, {
      push_type: "apns",
      message,
      user: { ids: String(user.id) },
    });
    expect(event).toEqual({
      id: expect.any(Number),
      event_type: "one_shot",
      message,
      date: null,
      period: null,
      name: null,
      occured_count: 0,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      end_date: null,
      active: true,
      application_id: node.application.id,
      user_id: sender.id,
      kind: "API",
      environment: "development",
      tag_query: null,
      notification_channel: { name: "apns" },
    });
    expect(await eventCounts(node, event.id)).toEqual({
      accepted: 1,
      unregistered: 0,
      failed: 0,
      active: false,
    });
    expect(providers.sent.at(-1)).toMatchObject({
      service: "apns",
      environment: "development",
      push: { channel: "apns", payload: JSON.stringify({ aps: { alert: "Hi" }, mine: 1 }) },
      target: { token },
    });
    expect(await deliveries(node, sender, event.id)).toEqual([
      expect.objectContaining({ userId: String(user.id), outcome: "ACCEPTED", attempts: 1 }),
    ]);
  });
});

describe("recipients", () => {
  it("are selected by ids, external ids, and tags: any, all, exclude", async () => {
    const people = {
      a: await newUser(node, { external_id: "ext-a", tag_list: "red,blue" }),
      b: await newUser(node, { external_user_id: "ext-b", tag_list: "red" }),
      c: await newUser(node, { tag_list: "blue" }),
      d: await newUser(node),
    };
    const device = Object.fromEntries(
      await Promise.all(
        Object.entries(people).map(async ([name, user]) => [name, await addDevice(node, user)]),
      ),
    );
    const named = async (selector: object) => {
      const tokens = await sentBy({
        push_type: "gcm",
        message: payload({ data: { a: "1" } }),
        ...selector,
      });
      return Object.keys(device).filter((name) => tokens.includes(device[name]));
    };
    expect(await named({ user: { ids: `${people.a.id}, ${people.c.id},${people.a.id}` } })).toEqual(
      ["a", "c"],
    );
    expect(await named({ user: { ids: [people.b.id] } })).toEqual(["b"]);
    expect(await named({ external_user: { ids: "ext-a,ext-b,nobody" } })).toEqual(["a", "b"]);
    expect(await named({ user: { tags: { any: "red,blue" } } })).toEqual(["a", "b", "c"]);
    expect(await named({ user: { tags: { all: ["red", "blue"] } } })).toEqual(["a"]);
    expect(await named({ user: { tags: { exclude: "red" } } })).toEqual(["c", "d"]);
  });

  it("are limited to the application", async () => {
    const elsewhere = await secondApplication(node);
    const foreign = await newUser(elsewhere, { tag_list: "everywhere", external_id: "same" });
    await addDevice(node, foreign);
    for (const selector of [
      { user: { ids: foreign.id } },
      { external_user: { ids: "same" } },
      { user: { tags: { any: "everywhere" } } },
    ]) {
      const answer = await rest(node, "POST", "/events", {
        token: sender.token,
        body: eventBody(selector),
      });
      expect([answer.status, answer.body]).toEqual([
        422,
        { errors: { base: ["No one can receive the message"] } },
      ]);
    }
  });
});

describe("a universal push", () => {
  it("creates an event for each channel with recipients", async () => {
    const user = await newUser(node);
    const apple = await addDevice(node, user, "apns");
    const google = await addDevice(node, user, "gcm");
    await addDevice(node, user, "web", { environment: "production" });
    const from = providers.sent.length;
    const message = universal({ message: "Hi", ios_badge: 3 });
    const events = await postEvent(node, sender, { message, user: { ids: user.id } });
    expect(events.map((event) => [event.notification_channel.name, event.message])).toEqual([
      ["apns", message],
      ["gcm", message],
    ]);
    await allSettled(events);
    const sent = providers.sent.slice(from).map(({ target, push }) => [target.token, push]);
    expect(sent.sort()).toEqual(
      [
        [apple, expect.objectContaining({ channel: "apns" })],
        [google, expect.objectContaining({ channel: "gcm" })],
      ].sort(),
    );
  });

  it("reaches each device once, on its preferred channel", async () => {
    const user = await newUser(node);
    const phone = await addDevice(node, user, "gcm", { udid: "phone" });
    await addDevice(node, user, "web", { udid: "phone" });
    const laptop = await addDevice(node, user, "web", { udid: "laptop" });
    const tokens = await sentBy({ user: { ids: user.id } });
    expect(tokens).toEqual([phone, laptop].sort());
  });

  it("reaches users by VoIP if they have a VoIP subscription, otherwise by the standard channels", async () => {
    const [modern, older] = [await newUser(node), await newUser(node)];
    const voip = await addDevice(node, modern, "apns_voip", { udid: "i1" });
    await addDevice(node, modern, "apns", { udid: "i1" });
    await addDevice(node, modern, "apns", { udid: "i2" });
    const android = await addDevice(node, modern, "gcm", { udid: "a1" });
    const plain = await addDevice(node, older, "apns", { udid: "i3" });
    const ids = `${modern.id},${older.id}`;
    const message = universal({ message: "Ring", ios_voip: 1 });
    const from = providers.sent.length;
    const events = await postEvent(node, sender, { message, user: { ids } });
    await allSettled(events);
    const sent = Object.fromEntries(
      providers.sent.slice(from).map(({ target, push }) => [target.token, push.channel]),
    );
    expect(sent).toEqual({ [voip]: "apns_voip", [android]: "gcm", [plain]: "apns" });
    const without = await sentBy({ user: { ids: modern.id } });
    expect(without).not.toContain(voip);
    expect(without).toHaveLength(3);
  });
});

describe("refuses", () => {
  const refused = async (event: Record<string, unknown>, headers = {}) => {
    const body = eventBody({ user: { ids: sender.id }, ...event });
    const answer = await rest(node, "POST", "/events", { token: sender.token, body, headers });
    expect(answer.status).toBe(422);
    return answer.body.errors;
  };

  it.each([
    ["notification_type", { notification_type: "pigeon" }],
    ["push_type", { push_type: "pigeon" }],
    ["environment", { environment: "moon" }],
    ["event_type", { event_type: "often" }],
    ["message", { message: "%%%" }],
    ["message", { message: universal({ ios_badge: "many" }) }],
    ["message", { message: "payload=e30", push_type: null }],
    ["date", { event_type: "fixed_date" }],
    ["date", { event_type: "fixed_date", date: 1_000_000_000 }],
    ["date", { date: 4_000_000_000 }],
    ["period", { event_type: "period_date", date: 4_000_000_000 }],
    ["period", { event_type: "period_date", date: 4_000_000_000, period: 60 }],
    [
      "end_date",
      {
        event_type: "period_date",
        date: 4_000_000_000,
        period: 86400,
        end_date: "2090-01-01T00:00:00Z",
      },
    ],
    ["ids", { user: { ids: "one,two" } }],
    ["ids", { user: { ids: "" } }],
    ["any", { user: { tags: { any: Array(101).fill(0).map(String) } } }],
  ])("a wrong %s: %j", async (name, event) => {
    expect(Object.keys(await refused(event))).toEqual([name]);
  });

  it("no recipient selector, or two", async () => {
    const text = "Exactly one recipient selector is required: user ids, external user ids, or tags";
    expect(await refused({ user: undefined })).toEqual({ base: [text] });
    expect(await refused({ external_user: { ids: "x" } })).toEqual({ base: [text] });
    expect(await refused({ user: { ids: "1", tags: { all: "x" } } })).toEqual({ base: [text] });
  });

  it("a platform-specific message without its push type, and a missing message", async () => {
    expect(await refused({ message: undefined })).toEqual({ message: ["is required"] });
  });
});

it("accepts a form, and every format of lists", async () => {
  const user = await newUser(node);
  const token = await addDevice(node, user);
  const body = new URLSearchParams({
    "event[notification_type]": "push",
    "event[environment]": "development",
    "event[message]": universal(),
    "event[push_type]": "",
  });
  body.append("event[user][ids][]", String(user.id));
  body.delete("event[push_type]");
  const answer = await rest(node, "POST", "/events", { token: sender.token, body });
  expect(answer.status).toBe(201);
  await allSettled(answer.body.map(({ event }: { event: { id: number } }) => event));
  expect(providers.tokens()).toContain(token);
});

it("fans out to many recipients in windows, each once, and counts them", async () => {
  const many = 1_234;
  const { id: applicationId } = node.application;
  await node.sql(
    `WITH made AS (INSERT INTO users (application_id, login, login_key, updated_at)
        SELECT $1, 'crowd-' || n, 'crowd-' || n, now() FROM generate_series(1, $2::int) n
        RETURNING id),
      tagged AS (INSERT INTO user_tags (user_id, application_id, tag, position)
        SELECT id, $1, 'crowd', 0 FROM made)
      INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
        token, updated_at)
      SELECT $1, id, 'gcm', 'development', 'android', 'crowd-' || id, 'crowd-' || id, now()
      FROM made`,
    [applicationId, many],
  );
  const people = await node.sql<{ id: number }>(
    "SELECT user_id AS id FROM user_tags WHERE tag = 'crowd' ORDER BY 1",
  );
  for (const selector of [
    { user: { tags: { any: "crowd,nobody" } } },
    { user: { tags: { all: "crowd" } } },
    { user: { tags: { exclude: "nobody" } } },
    { user: { ids: people.map(({ id }) => id) } },
  ]) {
    const from = providers.sent.length;
    const [event] = await postEvent(node, sender, {
      push_type: "gcm",
      message: payload({ data: { a: "b" } }),
      ...selector,
    });
    const { accepted } = await eventCounts(node, event.id);
    const crowd = providers.sent
      .slice(from)
      .map(({ target }) => target.token)
      .filter((token) => token.startsWith("crowd-"));
    expect(new Set(crowd).size).toBe(many);
    expect(crowd).toHaveLength(many);
    expect(accepted).toBe(providers.sent.length - from);
  }
});
