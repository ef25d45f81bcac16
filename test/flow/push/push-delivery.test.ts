import type { Outcome } from "../../../src/domain/push/providers/port/provider";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { eventually, HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { addDevice, deliveries, eventCounts, payload, postEvent } from "../../support/push/push";
import { RecordingProviders } from "../../support/push/recording-provider";
import { newUser, type TestUser } from "../../support/rest-client";
import { blockUser } from "../../support/sessions/blocks";

const clock = new MovingClock();
const providers = new RecordingProviders();
let node: TestNode;
let sender: TestUser;
let user: TestUser;
beforeAll(async () => {
  node = await startNode({}, { clock, pushProvider: providers.open, jobsPollMs: 100 });
  sender = await newUser(node);
  user = await newUser(node);
});
afterAll(() => node.stop());

const message = payload({ data: { a: "b" } });

async function send(answer?: (attempt: number) => Outcome) {
  const token = await addDevice(node, user);
  if (answer) providers.outcomes.set(token, answer);
  const [event] = await postEvent(node, sender, {
    push_type: "gcm",
    message,
    user: { ids: user.id },
  });
  return { token, id: event.id as number };
}

const subscriptions = async () =>
  (await node.sql<{ token: string }>("SELECT token FROM push_subscriptions")).map(
    ({ token }) => token,
  );

/** Makes pending retries due immediately. */
const hurry = () =>
  node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'push-deliver'");

beforeEach(() => node.sql("DELETE FROM push_subscriptions"));

describe("outcomes", () => {
  it("unregistered: the subscription is deleted, and the delivery keeps the reason", async () => {
    const { id, token } = await send(() => ({ kind: "unregistered", reason: "Unregistered" }));
    expect(await eventCounts(node, id)).toMatchObject({ accepted: 0, unregistered: 1, failed: 0 });
    expect(await subscriptions()).not.toContain(token);
    expect(await deliveries(node, sender, id)).toEqual([
      expect.objectContaining({ outcome: "UNREGISTERED", reason: "Unregistered", userId: null }),
    ]);
  });

  it("unregistered: a token that was replaced in the meantime is kept", async () => {
    const token = await addDevice(node, user);
    providers.outcomes.set(token, async () => {
      await node.sql("UPDATE push_subscriptions SET token = 'fresh' WHERE token = $1", [token]);
      return { kind: "unregistered", reason: "Unregistered" };
    });
    const [event] = await postEvent(node, sender, {
      push_type: "gcm",
      message,
      user: { ids: user.id },
    });
    await eventCounts(node, event.id);
    expect(await subscriptions()).toEqual(["fresh"]);
  });

  it("failed: the subscription is kept, and the delivery keeps the reason", async () => {
    const { id, token } = await send(() => ({
      kind: "failed",
      reason: "PayloadTooLarge\0\ud800",
    }));
    expect(await eventCounts(node, id)).toMatchObject({ accepted: 0, unregistered: 0, failed: 1 });
    expect(await subscriptions()).toContain(token);
    expect(await deliveries(node, sender, id)).toEqual([
      expect.objectContaining({ outcome: "FAILED", reason: "PayloadTooLarge\ufffd\ufffd" }),
    ]);
  });

  it("retry: retried with back-off, never before the service's Retry-After, up to six times", async () => {
    const { id } = await send((attempt) => ({
      kind: "retry",
      reason: `Busy ${attempt}`,
      delayMs: attempt === 2 ? HOUR : null,
    }));
    const waits: number[] = [];
    for (let attempt = 1; attempt < 6; attempt += 1) {
      const [delivery] = await eventually(
        () => deliveries(node, sender, id),
        ([each]) => each?.attempts === attempt,
      );
      expect(delivery).toMatchObject({ outcome: "RETRY", reason: `Busy ${attempt}` });
      const [job] = await eventually(
        () =>
          node.sql<{ wait: number }>(
            `SELECT extract(epoch FROM start_after - now())::float8 AS wait FROM pgboss.job
              WHERE name = 'push-deliver' AND state = 'created'`,
          ),
        (jobs) => jobs.length === 1,
      );
      waits.push(job?.wait ?? 0);
      await hurry();
    }
    expect(await eventCounts(node, id)).toMatchObject({ accepted: 0, failed: 1 });
    expect((await deliveries(node, sender, id))[0].reason).toBe("Busy 6 (tried 6 times)");
    expect(waits[0]).toBeGreaterThan(8);
    expect(waits[0]).toBeLessThan(20);
    expect(waits[1]).toBeGreaterThan(3500);
    expect(waits[2]).toBeGreaterThan(100);
    expect(waits[4]).toBeGreaterThan(1700);
  });

  it("retry, then accepted: counted once as accepted", async () => {
    const { id } = await send((attempt) =>
      attempt === 1
        ? { kind: "retry", reason: "Busy", delayMs: null }
        : { kind: "accepted", providerId: "second" },
    );
    await eventually(
      () => deliveries(node, sender, id),
      ([each]) => each?.outcome === "RETRY",
    );
    await hurry();
    expect(await eventCounts(node, id)).toMatchObject({ accepted: 1, unregistered: 0, failed: 0 });
    expect(await deliveries(node, sender, id)).toEqual([
      expect.objectContaining({
        outcome: "ACCEPTED",
        attempts: 2,
        providerId: "second",
        reason: null,
      }),
    ]);
  });
});

it("a subscription deleted before its delivery counts as gone, without blocking others", async () => {
  const [first, second] = [await addDevice(node, user), await addDevice(node, user)];
  const [event] = await postEvent(node, sender, {
    push_type: "gcm",
    message,
    user: { ids: user.id },
  });
  await eventCounts(node, event.id);
  await node.sql("UPDATE push_deliveries SET outcome = 'pending', attempts = 0");
  await node.sql("DELETE FROM push_subscriptions WHERE token = $1", [first]);
  await node.sql(
    `INSERT INTO pgboss.job (name, data, retry_limit)
      SELECT 'push-deliver', jsonb_build_object('event', $1::bigint, 'attempts', 0,
        'deliveries', (SELECT jsonb_agg(id) FROM push_deliveries WHERE event_id = $1)), 5`,
    [event.id],
  );
  await eventually(
    () => deliveries(node, sender, event.id),
    (all) =>
      all
        .map(({ outcome }) => outcome)
        .sort()
        .join() === "ACCEPTED,UNREGISTERED",
  );
  expect(providers.sent.at(-1)?.target.token).toBe(second);
});

it("a blocked user is no recipient", async () => {
  const blocked = await newUser(node);
  await blockUser(node, blocked);
  const [missed, token] = [await addDevice(node, blocked), await addDevice(node, user)];
  const ids = `${blocked.id},${user.id}`;
  const [event] = await postEvent(node, sender, { push_type: "gcm", message, user: { ids } });
  expect(await eventCounts(node, event.id)).toMatchObject({ accepted: 1, failed: 0 });
  expect(providers.tokens()).toContain(token);
  expect(providers.tokens()).not.toContain(missed);
});

it("without credentials, every delivery is refused with the reason, and subscriptions are kept", async () => {
  providers.missing.add("fcm");
  const { id, token } = await send();
  await eventCounts(node, id);
  providers.missing.clear();
  expect((await deliveries(node, sender, id))[0]).toMatchObject({
    outcome: "FAILED",
    reason: "No gcm credentials are set for development",
  });
  expect(await subscriptions()).toContain(token);
});

it("an oversized push is not sent, and the reason states its size", async () => {
  const before = providers.sent.length;
  await addDevice(node, user);
  const [event] = await postEvent(node, sender, {
    push_type: "gcm",
    message: payload({ data: { a: "x".repeat(5_000) } }),
    user: { ids: user.id },
  });
  expect(await eventCounts(node, event.id)).toMatchObject({ failed: 1 });
  expect((await deliveries(node, sender, event.id))[0].reason).toMatch(/\b5,\d{3} bytes.*4,096/);
  expect(providers.sent).toHaveLength(before);
});

it("streams deliveries only to their sender, for one event or all", async () => {
  const document = `subscription ($id: ID) {
    pushDeliveries(eventId: $id) { outcome reason eventId } }`;
  const socket = await openSocket(node, sender.token);
  const stranger = await openSocket(node, user.token);
  socket.send({ id: "all", type: "subscribe", payload: { query: document } });
  socket.send({
    id: "other",
    type: "subscribe",
    payload: { query: document, variables: { id: "1" } },
  });
  stranger.send({ id: "none", type: "subscribe", payload: { query: document } });
  await Promise.all([socket.run("{ __typename }"), stranger.run("{ __typename }")]);
  const { id } = await send(() => ({ kind: "unregistered", reason: "Unregistered" }));
  await eventCounts(node, id);
  const streamed = await eventually(
    () => socket.received.filter(({ type }) => type === "next" && true),
    (messages) => messages.some(({ id: operation }) => operation === "all"),
  );
  expect(streamed.filter(({ id: operation }) => operation === "all")).toEqual([
    expect.objectContaining({
      payload: {
        data: {
          pushDeliveries: [
            { outcome: "UNREGISTERED", reason: "Unregistered", eventId: String(id) },
          ],
        },
      },
    }),
  ]);
  expect(streamed.filter(({ id: operation }) => operation === "other")).toEqual([]);
  expect(stranger.received.filter(({ id: operation }) => operation === "none")).toEqual([]);
  await socket.close();
  await stranger.close();
});

it("deliveries are deleted after their retention period, and the event keeps its counts", async () => {
  const { id } = await send();
  await eventCounts(node, id);
  clock.advance(31 * 24 * HOUR);
  await node.sql("INSERT INTO pgboss.job (name, data) VALUES ('push-purge', '{}')");
  await eventually(
    () => node.sql("SELECT 1 FROM push_deliveries WHERE event_id = $1", [id]),
    (rows) => rows.length === 0,
  );
  clock.advance(-31 * 24 * HOUR);
  const { data } = await graphql(
    node,
    "query ($id: ID!) { pushEvent(id: $id) { deliveryCount acceptedCount active } }",
    { id: String(id) },
    sender.token,
  );
  expect(data.pushEvent).toEqual({ deliveryCount: 1, acceptedCount: 1, active: false });
});
