import { callUuidOf } from "../../../src/domain/calls/history/call-uuid";
import { graphql } from "../../../tools/graphql/graphql-http";
import { newSessionId, send, waitForCall } from "../../support/calls/calls";
import { eventually, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { addDevice } from "../../support/push/push";
import { RecordingProviders, type SentPush } from "../../support/push/recording-provider";
import { newUser, type TestUser } from "../../support/rest-client";
import { blockUser } from "../../support/sessions/blocks";
import { ownerToken } from "../../support/sessions/owner";

/** Pushes for missed calls, and the number of those that the user has not seen. */

const clock = new MovingClock();
const providers = new RecordingProviders();
let node: TestNode;
let ann: TestUser;
let bob: TestUser;

// A node of its own: its push services are recorded, and its clock is moved.
beforeAll(async () => {
  node = await startNode({}, { clock, pushProvider: providers.open, jobsPollMs: 100 });
  ann = await newUser(node, { full_name: "Ann" });
});
beforeEach(async () => {
  bob = await newUser(node);
  providers.sent.length = 0;
  await configure({ missedCallPush: true, missedCallBadge: true });
});
afterAll(() => node.stop());

const UPDATE = `mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) {
  application { missedCallPush missedCallBadge } } }`;

async function configure(settings: Record<string, unknown>) {
  const applicationId = String(node.application.id);
  const input = { applicationId, incomingCallPushEnvironment: "DEVELOPMENT", ...settings };
  const { data } = await graphql(node, UPDATE, { input }, await ownerToken(node));
  return data.updateApplication.application;
}

/** The pushes so far, which all are of missed calls. */
const sent = (count: number): Promise<SentPush[]> =>
  eventually(
    async () => {
      await node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'missed-call-push'");
      return providers.sent;
    },
    (all) => all.length >= count,
  );

function contentOf({ push }: SentPush) {
  return push.channel === "gcm" ? push.message.data : JSON.parse(push.payload);
}

/** Waits until all jobs of pushes so far are done, also those that are due later. */
async function untilJobsDone(): Promise<void> {
  await node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'missed-call-push'");
  await eventually(
    () =>
      node.sql(`SELECT 1 FROM pgboss.job WHERE name IN ('missed-call-push', 'push-fan-out', 'push-deliver')
        AND state IN ('created', 'retry', 'active') AND start_after <= now()`),
    (rows) => rows.length === 0,
  );
}

/** Calls Bob, who is not reached, and gives up. @returns the id of the call */
async function missCall(): Promise<string> {
  const id = newSessionId();
  await send(node, ann, bob, "call", id);
  await waitForCall(node, bob, id, "RINGING");
  await send(node, ann, bob, "hangUp", id);
  await waitForCall(node, bob, id, "HUNG_UP");
  return id;
}

async function markSeen(user: TestUser) {
  const { data } = await graphql(node, "mutation { markCallsSeen { seenAt } }", {}, user.token);
  return data.markCallsSeen.seenAt;
}

it("the settings are off by default", async () => {
  const create =
    'mutation { createApplication(input: { name: "New" }) { application { missedCallPush missedCallBadge } } }';
  const { data } = await graphql(node, create, {}, await ownerToken(node));
  expect(data.createApplication.application).toEqual({
    missedCallPush: false,
    missedCallBadge: false,
  });
  await configure({ missedCallPush: false });
  await addDevice(node, bob);
  await missCall();
  await untilJobsDone();
  expect(providers.sent).toEqual([]);
});

it("a missed call reaches every device but VoIP subscriptions once, with the number of missed calls", async () => {
  const tokens = [
    ...[await addDevice(node, bob, "gcm"), await addDevice(node, bob, "web")],
    await addDevice(node, bob, "apns"),
  ];
  await addDevice(node, bob, "apns_voip");
  const id = await missCall();
  const pushes = await sent(3);
  await untilJobsDone();
  expect(pushes.map(({ target }) => target.token).sort()).toEqual(tokens.sort());
  const callUuid = callUuidOf(node.application.id, id);
  const of = (channel: string) =>
    contentOf(pushes.find(({ push }) => push.channel === channel) as SentPush);
  expect(of("web")).toEqual({
    message: "Missed call from Ann",
    call: {
      callId: id,
      callType: "VIDEO",
      callerId: String(ann.id),
      callerName: "Ann",
      callUuid,
      hasVideo: true,
      callerAvatar: null,
      type: "MISSED",
      missedCount: 1,
    },
  });
  expect(of("apns").aps).toEqual({
    alert: { body: "Missed call from Ann" },
    badge: 1,
    sound: "default",
  });
  expect(JSON.parse(of("gcm").call)).toEqual(of("web").call);
  expect(pushes.find(({ push }) => push.channel === "apns")?.push).toMatchObject({
    collapseId: callUuid,
  });
});

it("a call of a caller who was blocked is not pushed as missed", async () => {
  await addDevice(node, bob);
  const cleo = await newUser(node, { full_name: "Cleo" });
  const id = newSessionId();
  await send(node, cleo, bob, "call", id);
  await waitForCall(node, bob, id, "RINGING");
  await blockUser(node, cleo);
  await waitForCall(node, bob, id, "HUNG_UP");
  await missCall();
  await sent(1);
  await untilJobsDone();
  // Only of Ann's call.
  expect(providers.sent.map((each) => JSON.parse(contentOf(each).call).callerName)).toEqual([
    "Ann",
  ]);
});

it.each(["accept", "reject"])("a call that the user answers is not missed: %s", async (signal) => {
  await addDevice(node, bob);
  const id = newSessionId();
  await send(node, ann, bob, "call", id);
  await waitForCall(node, bob, id, "RINGING");
  await send(node, bob, ann, signal, id);
  await waitForCall(node, bob, id, signal === "accept" ? "ACCEPTED" : "REJECTED");
  await send(node, ann, bob, "hangUp", id);
  await missCall();
  await sent(1);
  await untilJobsDone();
  // Only of the second call.
  expect(providers.sent).toHaveLength(1);
});

it("a call that turns out to be answered is not pushed as missed", async () => {
  await addDevice(node, bob);
  const id = await missCall();
  // As the record is once an answer from another node has been written.
  await node.sql(
    `UPDATE call_participants SET state = 'accepted', answer = 'accept', answered_at = rang_at
      WHERE session_id = $1 AND user_id = $2`,
    [id, bob.id],
  );
  await missCall();
  await sent(1);
  await untilJobsDone();
  expect(providers.sent).toHaveLength(1);
  expect(JSON.parse(contentOf(providers.sent[0] as SentPush).call)).not.toMatchObject({
    callId: id,
  });
});

it("a call that times out is missed, and counts with those before", async () => {
  await configure({ missedCallBadge: false });
  await addDevice(node, bob, "apns");
  await missCall();
  await sent(1);
  const id = newSessionId();
  await send(node, ann, bob, "call", id);
  await waitForCall(node, bob, id, "RINGING");
  clock.advance(MINUTE);
  await waitForCall(node, bob, id, "MISSED");
  const [, second] = await sent(2);
  const content = contentOf(second as SentPush);
  expect(content.call).toMatchObject({ callId: id, missedCount: 2 });
  expect(content.aps).not.toHaveProperty("badge");
});

it("the count starts again once the user has seen the calls", async () => {
  await addDevice(node, bob);
  await missCall();
  await sent(1);
  clock.advance(1_000);
  expect(Date.parse(await markSeen(bob))).toBeLessThanOrEqual(clock.now());
  clock.advance(1_000);
  await missCall();
  const [, second] = await sent(2);
  expect(JSON.parse(contentOf(second as SentPush).call).missedCount).toBe(1);
});

it("pushes that were not sent are not sent once the user has seen the calls", async () => {
  const token = await addDevice(node, bob);
  providers.outcomes.set(token, () => ({ kind: "retry", reason: "Busy", delayMs: null }));
  await missCall();
  await sent(1);
  const outcome = () =>
    node.sql<{ outcome: string; reason: string }>(
      `SELECT d.outcome, d.reason FROM push_deliveries d JOIN push_subscriptions s ON s.id = d.subscription_id
        WHERE s.user_id = $1`,
      [bob.id],
    );
  await eventually(outcome, ([row]) => row?.outcome === "later");
  await markSeen(await newUser(node));
  await node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'push-deliver'");
  await sent(2);
  await eventually(outcome, ([row]) => row?.outcome === "later");
  await markSeen(bob);
  await node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'push-deliver'");
  expect(await eventually(outcome, ([row]) => row?.outcome === "refused")).toEqual([
    { outcome: "refused", reason: "It was withdrawn before it could be sent" },
  ]);
  expect(providers.sent).toHaveLength(2);
});
