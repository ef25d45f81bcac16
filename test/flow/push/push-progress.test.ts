import { lookAfterMs } from "../../../src/domain/push/delivery/event-progress";
import type { Outcome } from "../../../src/domain/push/providers/port/provider";
import { graphql } from "../../../tools/graphql/graphql-http";
import { type GraphqlSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { watchAsOwner } from "../../support/calls/application-calls";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { addDevice, eventCounts, postEvent } from "../../support/push/push";
import { RecordingProviders } from "../../support/push/recording-provider";
import { newUser, rest, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** Two nodes if the bus supports several, otherwise one under two names. */
let one: TestNode;
let two: TestNode;
let user: TestUser;
let owner: string;
const providers = new RecordingProviders();
const sockets: GraphqlSocket[] = [];

beforeAll(async () => {
  const options = { pushProvider: providers.open, jobsPollMs: 100 };
  one = await startNode({}, options);
  two = hasServices ? await startNode({}, options, one) : one;
  user = await newUser(one);
  owner = await ownerToken(one);
});
beforeEach(() => one.sql("DELETE FROM push_subscriptions"));
afterEach(async () => {
  for (const socket of sockets.splice(0)) await socket.close();
});
afterAll(async () => {
  if (two !== one) await two?.stop();
  await one?.stop();
});

const WATCH = `subscription ($id: ID!) { pushProgress(eventId: $id) {
  event { id state deliveryCount acceptedCount unregisteredCount failedCount pendingCount }
  deliveries { id outcome reason userId subscriptionId } omittedCount } }`;

interface Progress {
  event: Record<string, string | number>;
  deliveries: Array<{ id: string; outcome: string; reason: string | null }>;
  omittedCount: number;
}

/** Watches an event on a node. */
async function watch(node: TestNode, id: string, token = owner) {
  const socket = await openSocket(node, token);
  sockets.push(socket);
  const payload = { query: WATCH, variables: { id } };
  socket.send({ id: "w", type: "subscribe", payload });
  const own = () => socket.received.filter((message) => message.id === "w");
  return {
    socket,
    types: () => own().map(({ type }) => type),
    updates: (): Progress[] =>
      own().flatMap(({ type, payload: each }) => (type === "next" ? [each.data.pushProgress] : [])),
    ended: () =>
      eventually(
        () => own(),
        (messages) => messages.at(-1)?.type === "complete",
      ),
  };
}

const create = async (more: object = {}): Promise<string> => {
  const { data, errors } = await graphql(
    one,
    `mutation ($input: CreatePushEventInput!) {
      createPushEvent(input: $input) { events { id } } }`,
    {
      input: {
        applicationId: String(one.application.id),
        environment: "DEVELOPMENT",
        message: { notification: { title: "Hello" } },
        userIds: [String(user.id)],
        ...more,
      },
    },
    owner,
  );
  if (errors) throw new Error(JSON.stringify(errors));
  return data.createPushEvent.events[0].id;
};

/** Outcomes that wait until the test opens the gate. */
function gate(): { open(): void; outcome(outcome: Outcome): () => Promise<Outcome> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), outcome: (outcome) => () => opened.then(() => outcome) };
}

it("watches an event from its creation to its last outcome, on every node, and then ends", async () => {
  const { open, outcome } = gate();
  const outcomes: Outcome[] = [
    { kind: "accepted", providerId: null },
    { kind: "failed", reason: "PayloadTooLarge" },
    { kind: "unregistered", reason: "Unregistered" },
  ];
  const tokens: string[] = [];
  for (const [n, each] of outcomes.entries()) {
    const token = await addDevice(one, user, "gcm", { udid: `d${n}` });
    providers.outcomes.set(token, outcome(each));
    tokens.push(token);
  }
  const id = await create();
  const watches = [await watch(one, id), await watch(two, id)];
  for (const { updates } of watches) {
    const [first] = await eventually(updates, (list) => list.length > 0);
    expect(first).toMatchObject({ event: { id, state: "SENDING" }, deliveries: [] });
    await eventually(updates, (list) => list.at(-1)?.event.pendingCount === 3);
  }
  open();
  for (const { ended, updates, types, socket } of watches) {
    await ended();
    const list = updates();
    expect(list.at(-1)?.event).toEqual({
      id,
      state: "FINISHED",
      deliveryCount: 3,
      acceptedCount: 1,
      unregisteredCount: 1,
      failedCount: 1,
      pendingCount: 0,
    });
    const decided = list.flatMap(({ deliveries }) => deliveries);
    expect(decided.map(({ outcome: name, reason }) => [name, reason])).toEqual([
      ["ACCEPTED", null],
      ["FAILED", "PayloadTooLarge"],
      ["UNREGISTERED", "Unregistered"],
    ]);
    expect(types().filter((type) => type !== "next")).toEqual(["complete"]);
    for (const token of tokens) expect(JSON.stringify(socket.received)).not.toContain(token);
  }
});

it("merges changes: hundreds of deliveries are a few updates, of 100 deliveries at most", async () => {
  const { open, outcome } = gate();
  await one.sql(
    `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
        token, updated_at)
      SELECT application_id, id, 'gcm', 'development', 'android', 'u' || n, 'many' || n, now()
      FROM users, generate_series(1, 700) n WHERE users.id = $1`,
    [user.id],
  );
  for (let n = 1; n <= 700; n += 1) {
    providers.outcomes.set(`many${n}`, outcome({ kind: "accepted", providerId: null }));
  }
  const id = await create();
  const { ended, updates } = await watch(one, id);
  await eventually(updates, (list) => list.at(-1)?.event.pendingCount === 700);
  const before = updates().length;
  open();
  await ended();
  const list = updates().slice(before);
  expect(list.at(-1)?.event).toMatchObject({ state: "FINISHED", acceptedCount: 700 });
  // Two batches are two commits and two notices.
  expect(list.length).toBeLessThanOrEqual(4);
  for (const { deliveries } of list) expect(deliveries.length).toBeLessThanOrEqual(100);
  const attempts = list.map(({ deliveries, omittedCount }) => deliveries.length + omittedCount);
  expect(attempts.reduce((sum, each) => sum + each, 0)).toBe(700);
});

it("shows a finished event once and ends", async () => {
  await addDevice(one, user);
  const id = await create();
  await eventCounts(one, Number(id));
  const { ended, updates } = await watch(two, id);
  await ended();
  expect(updates()).toEqual([
    {
      event: expect.objectContaining({ state: "FINISHED", acceptedCount: 1 }),
      deliveries: [],
      omittedCount: 0,
    },
  ]);
});

const SCHEDULE = { eventType: "FIXED_DATE", date: "2090-01-01T00:00:00Z" };

async function stop(eventId: string): Promise<void> {
  const query =
    "mutation ($input: StopPushEventInput!) { stopPushEvent(input: $input) { event { id } } }";
  await graphql(one, query, { input: { id: eventId } }, owner);
}

it("ends when a schedule is stopped on another node", async () => {
  const id = await create(SCHEDULE);
  const { updates, ended } = await watch(two, id);
  await eventually(updates, (list) => list.length > 0);
  await stop(id);
  await ended();
  expect(updates().map(({ event }) => event.state)).toEqual(["SCHEDULED", "FINISHED"]);
});

it("is watched by the user who sent it, and ends when that user stops it", async () => {
  const call = async (name: string, type: string, fields: string, input: object) => {
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${fields} } }`;
    const { data, errors } = await graphql(one, query, { input }, user.token);
    if (errors) throw new Error(JSON.stringify(errors));
    return data[name];
  };
  const push = { message: { notification: { title: "Hello" } }, userIds: [String(user.id)] };
  const { events } = await call("createPushEvent", "CreatePushEventInput", "events { id }", {
    ...{ environment: "DEVELOPMENT", ...SCHEDULE, ...push },
  });
  const { id } = events[0];
  const { updates, ended } = await watch(two, id, user.token);
  await eventually(updates, (list) => list.length > 0);
  await call("stopPushEvent", "StopPushEventInput", "event { id }", { id });
  await ended();
  expect(updates().map(({ event }) => event.state)).toEqual(["SCHEDULED", "FINISHED"]);
});

it("ends with the socket of a user who signs out", async () => {
  const sender = await newUser(one);
  await addDevice(one, sender);
  const { id } = (await postEvent(one, sender, { user: { ids: String(sender.id) } }))[0];
  const { socket, updates } = await watch(two, String(id), sender.token);
  await eventually(updates, (list) => list.length > 0);
  await rest(one, "DELETE", "/session", { token: sender.token });
  expect(await socket.closed).toMatchObject({ code: 4401 });
});

it("ends when an event that is being sent is deleted, of which nobody sends a notice", async () => {
  const { open, outcome } = gate();
  providers.outcomes.set(
    await addDevice(one, user),
    outcome({ kind: "accepted", providerId: null }),
  );
  const id = await create();
  const { updates, ended } = await watch(two, id);
  await eventually(updates, (list) => list.at(-1)?.event.pendingCount === 1);
  const count = updates().length;
  await one.sql("DELETE FROM push_events WHERE id = $1", [id]);
  await ended();
  open();
  expect(updates()).toHaveLength(count);
});

it("ends for a member whose session has ended, before the next update is delivered", async () => {
  const token = await ownerToken(one);
  const id = await create(SCHEDULE);
  const watching = await watchAsOwner(
    one,
    token,
    `subscription { pushProgress(eventId: "${id}") { event { state } } }`,
  );
  await eventually(watching.received, (list) => list.length === 1);
  // Without a notice, so that the socket stays open until the next periodic check.
  await one.sql(
    "UPDATE account_sessions SET expires_at = now() WHERE token_hash = sha256(convert_to($1, 'UTF8'))",
    [token],
  );
  await stop(id);
  expect(["UNAUTHENTICATED", 4401]).toContain(await watching.failed());
  expect(watching.received()).toHaveLength(1);
  await watching.close();
});

it.each([
  ["waits for its date", {}, 30_000],
  ["fans out", { fanningOut: true }, 3_000],
  ["has open deliveries", { deliveryCount: 2, acceptedCount: 1 }, 3_000],
  ["has no further date", { nextRunAt: null }, 3_000],
])("is read again without a notice, if it %s", (_what, more, expected) => {
  const counts = { deliveryCount: 1, acceptedCount: 1, unregisteredCount: 0, failedCount: 0 };
  const event = { nextRunAt: new Date(), fanningOut: false, ...counts, ...more };
  expect(lookAfterMs(event)).toBe(expected);
});

it("is refused to other accounts and to other users, and ends with its client", async () => {
  const id = await create(SCHEDULE);
  for (const token of [await ownerToken(await secondApplication(one)), user.token]) {
    const socket = await openSocket(one, token);
    sockets.push(socket);
    const { errors } = await socket.run(WATCH, { id });
    expect(errors?.[0].extensions.code).toBe("NOT_FOUND");
  }
  const { socket, updates } = await watch(one, id);
  await eventually(updates, (list) => list.length === 1);
  socket.send({ id: "w", type: "complete" });
  expect((await socket.run("{ __typename }")).errors).toBeUndefined();
});
