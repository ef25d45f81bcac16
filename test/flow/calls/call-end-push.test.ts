import { callUuidOf } from "../../../src/domain/calls/history/call-uuid";
import type { Outcome } from "../../../src/domain/push/providers/port/provider";
import { graphql } from "../../../tools/graphql/graphql-http";
import { newSessionId, send, waitForCall } from "../../support/calls/calls";
import { eventually, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { addDevice } from "../../support/push/push";
import { RecordingProviders, type SentPush } from "../../support/push/recording-provider";
import { newUser, rest, type TestUser } from "../../support/rest-client";
import { blockUser } from "../../support/sessions/blocks";
import { ownerToken } from "../../support/sessions/owner";

/** The pushes that tell woken devices that a call no longer rings. */

const clock = new MovingClock();
const providers = new RecordingProviders();
let node: TestNode;
let ann: TestUser;
let bob: TestUser;

// A node of its own: its push services are recorded, and its clock is moved.
beforeAll(async () => {
  node = await startNode({}, { clock, pushProvider: providers.open, jobsPollMs: 100 });
  ann = await newUser(node, { full_name: "Ann", avatar: "ann.png" });
});
beforeEach(async () => {
  bob = await newUser(node);
  providers.sent.length = 0;
  await configure({ callEndPush: true, callEndVoip: false });
});
afterAll(() => node.stop());

const UPDATE = `mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) {
  application { callEndPush callEndVoip } } }`;

async function configure(settings: Record<string, unknown>) {
  const input = {
    applicationId: String(node.application.id),
    incomingCallPush: true,
    incomingCallPushDelaySeconds: 0,
    incomingCallPushEnvironment: "DEVELOPMENT",
    ...settings,
  };
  const { data } = await graphql(node, UPDATE, { input }, await ownerToken(node));
  return data.updateApplication.application;
}

/** The pushes of a kind so far. */
const sentOf = (type: "RING" | "END") =>
  providers.sent.filter((sent) => callOf(sent).type === type);
const pushes = (type: "RING" | "END", count: number): Promise<SentPush[]> =>
  eventually(
    () => sentOf(type),
    (sent) => sent.length >= count,
  );

function contentOf({ push }: SentPush) {
  return push.channel === "gcm" ? push.message.data : JSON.parse(push.payload);
}

/** The key `call` of a push. */
function callOf(sent: SentPush) {
  const { call } = contentOf(sent) ?? {};
  return typeof call === "string" ? JSON.parse(call) : call;
}

/** Waits until all push jobs so far are done. */
async function untilJobsDone(): Promise<void> {
  await eventually(
    () =>
      node.sql(`SELECT 1 FROM pgboss.job WHERE name IN ('call-push', 'push-fan-out', 'push-deliver')
        AND state IN ('created', 'retry', 'active') AND start_after <= now()`),
    (rows) => rows.length === 0,
  );
}

/** Calls Bob, and waits until his devices were woken. @returns the id of the call */
async function ring(devices: number): Promise<string> {
  const id = newSessionId();
  await send(node, ann, bob, "call", id);
  await pushes("RING", devices);
  await eventually(
    () => node.sql("SELECT 1 FROM push_deliveries WHERE outcome = 'pending'"),
    (rows) => rows.length === 0,
  );
  return id;
}

describe("the settings", () => {
  it("are on for new applications, but for VoIP, and off for those of before", async () => {
    const create =
      'mutation { createApplication(input: { name: "New" }) { application { callEndPush callEndVoip } } }';
    const { data } = await graphql(node, create, {}, await ownerToken(node));
    expect(data.createApplication.application).toEqual({ callEndPush: true, callEndVoip: false });
    expect(
      await node.sql(
        `SELECT column_default FROM information_schema.columns
          WHERE table_name = 'applications' AND column_name = 'call_end_push'`,
      ),
    ).toEqual([{ column_default: "false" }]);
    expect(await configure({ callEndPush: false, callEndVoip: true })).toEqual({
      callEndPush: false,
      callEndVoip: true,
    });
  });

  it("off: the devices are not told", async () => {
    await configure({ callEndPush: false });
    await addDevice(node, bob);
    const id = await ring(1);
    await send(node, bob, ann, "accept", id);
    await waitForCall(node, ann, id, "ACCEPTED");
    await untilJobsDone();
    expect(sentOf("END")).toEqual([]);
  });
});

describe("a device that a call woke", () => {
  it.each([
    ["accept", "ACCEPTED", "ANSWERED_ELSEWHERE", "Answered on another device"],
    ["reject", "REJECTED", "DECLINED_ELSEWHERE", "Declined on another device"],
    ["hangUp", "HUNG_UP", "CANCELLED", "Missed call from Ann"],
    ["time-out", "MISSED", "MISSED", "Missed call from Ann"],
  ])("is told why it stops ringing: %s", async (signal, state, reason, text) => {
    const tokens = [
      ...[await addDevice(node, bob, "gcm"), await addDevice(node, bob, "web")],
      await addDevice(node, bob, "apns"),
    ];
    const id = await ring(3);
    if (signal === "time-out") clock.advance(MINUTE);
    else if (signal === "hangUp") await send(node, ann, bob, signal, id);
    else await send(node, bob, ann, signal, id);
    const call = await waitForCall(node, ann, id, state);
    const sent = await pushes("END", 3);
    expect(sent.map(({ target }) => target.token).sort()).toEqual(tokens.sort());
    const callee = call.participants.find(
      (each: { userId: string }) => Number(each.userId) === bob.id,
    );
    for (const each of sent) {
      const { push } = each;
      const rung = sentOf("RING").find((other) => other.push.channel === push.channel);
      const answered = signal === "accept" || signal === "reject";
      expect(callOf(each)).toEqual({
        ...callOf(rung as SentPush),
        callerAvatar: null,
        userInfo: null,
        type: "END",
        reason,
        device: answered ? expect.stringMatching(/^graphql-\d+$/) : null,
      });
      expect(callee?.device ?? null).toBe(callee ? callOf(each).device : null);
    }
    const of = (channel: string) => sent.find(({ push }) => push.channel === channel) as SentPush;
    const uuid = callUuidOf(node.application.id, id);
    expect(of("apns").push).toMatchObject({ pushType: "alert", priority: 10, collapseId: uuid });
    expect(contentOf(of("apns")).aps).toEqual({
      alert: { body: text },
      "interruption-level": "passive",
    });
    expect(of("web").push).toMatchObject({ topic: uuid.replaceAll("-", "") });
    expect(contentOf(of("web"))).toEqual({ message: text, call: expect.anything() });
    const { push: android } = of("gcm");
    if (android.channel !== "gcm") throw new Error("not for Android");
    expect(android.message.android).toEqual({
      priority: "HIGH",
      ttl: expect.stringMatching(/^([345]\d|29|60)s$/),
    });
    expect(android.message.notification).toBeUndefined();
  });

  it("is told once, whatever follows", async () => {
    await addDevice(node, bob);
    const id = await ring(1);
    await send(node, bob, ann, "accept", id);
    await pushes("END", 1);
    await send(node, ann, bob, "hangUp", id);
    await waitForCall(node, ann, id, "HUNG_UP");
    await untilJobsDone();
    expect(sentOf("END")).toHaveLength(1);
  });

  it("is not told if its push service did not accept the call", async () => {
    const outcomes: Outcome[] = [
      { kind: "failed", reason: "BadTopic" },
      { kind: "unregistered", reason: "Unregistered" },
      { kind: "retry", reason: "Busy", delayMs: null },
    ];
    for (const outcome of outcomes) {
      providers.outcomes.set(await addDevice(node, bob), () => outcome);
    }
    const woken = await addDevice(node, bob);
    const id = await ring(4);
    await send(node, bob, ann, "accept", id);
    await pushes("END", 1);
    await node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'push-deliver'");
    await untilJobsDone();
    expect(sentOf("RING")).toHaveLength(4);
    expect(sentOf("END").map(({ target }) => target.token)).toEqual([woken]);
  });

  it("is told only after its push service has accepted a call that is on its way", async () => {
    const token = await addDevice(node, bob);
    let accept = (_: Outcome) => {};
    providers.outcomes.set(token, (attempt) =>
      attempt > 1
        ? { kind: "accepted", providerId: null }
        : new Promise((resolve) => {
            accept = resolve;
          }),
    );
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    await pushes("RING", 1);
    await send(node, bob, ann, "accept", id);
    await waitForCall(node, ann, id, "ACCEPTED");
    expect(sentOf("END")).toEqual([]);
    accept({ kind: "accepted", providerId: null });
    expect((await pushes("END", 1))[0]?.target.token).toBe(token);
    await untilJobsDone();
    expect(sentOf("END")).toHaveLength(1);
  });

  it.each(["blocked", "erased"])("is told when the caller is %s", async (change) => {
    await addDevice(node, bob);
    const cleo = await newUser(node, { full_name: "Cleo" });
    const id = newSessionId();
    await send(node, cleo, bob, "call", id);
    await pushes("RING", 1);
    await waitForCall(node, bob, id, "RINGING");
    await eventually(
      () => node.sql("SELECT 1 FROM push_deliveries WHERE outcome = 'accepted'"),
      (rows) => rows.length > 0,
    );
    if (change === "blocked") await blockUser(node, cleo);
    else await rest(node, "DELETE", `/users/${cleo.id}`, { token: cleo.token });
    const [sent] = await pushes("END", 1);
    const isErased = change === "erased";
    expect(callOf(sent as SentPush)).toMatchObject({
      reason: "CANCELLED",
      callerName: isErased ? null : "Cleo",
      device: null,
    });
    await waitForCall(node, bob, id, "HUNG_UP");
  });

  it("is told by a VoIP push only if the application wants it", async () => {
    const voip = await addDevice(node, bob, "apns_voip");
    const web = await addDevice(node, bob, "web");
    const first = await ring(2);
    await send(node, ann, bob, "hangUp", first);
    await pushes("END", 1);
    await untilJobsDone();
    expect(sentOf("END").map(({ target }) => target.token)).toEqual([web]);
    await configure({ callEndVoip: true });
    const second = newSessionId();
    await send(node, ann, bob, "call", second);
    await pushes("RING", 4);
    await send(node, ann, bob, "hangUp", second);
    const sent = await pushes("END", 3);
    expect(
      sent
        .slice(1)
        .map(({ target }) => target.token)
        .sort(),
    ).toEqual([voip, web].sort());
    expect(sent.find(({ push }) => push.channel === "apns_voip")?.push).toMatchObject({
      pushType: "voip",
      priority: 10,
    });
  });

  it("gets no alert in place of a VoIP subscription that is gone", async () => {
    await configure({ callEndVoip: true });
    const voip = await addDevice(node, bob, "apns_voip");
    await addDevice(node, bob, "apns");
    providers.outcomes.set(voip, (attempt) =>
      attempt === 1
        ? { kind: "accepted", providerId: null }
        : { kind: "unregistered", reason: "Unregistered" },
    );
    const id = await ring(1);
    await send(node, ann, bob, "hangUp", id);
    await pushes("END", 1);
    await untilJobsDone();
    expect(sentOf("END").map(({ target }) => target.token)).toEqual([voip]);
  });
});

it("members of the account see the events that end rings", async () => {
  await addDevice(node, bob);
  const id = await ring(1);
  await send(node, bob, ann, "accept", id);
  await pushes("END", 1);
  const document = `query ($id: ID!) { application(id: $id) {
    pushEvents(first: 1, filter: { kind: CALL_END }) { nodes { kind userId deliveryCount } } } }`;
  const variables = { id: String(node.application.id) };
  const { data } = await graphql(node, document, variables, await ownerToken(node));
  expect(data.application.pushEvents.nodes).toEqual([
    { kind: "CALL_END", userId: null, deliveryCount: 1 },
  ]);
});
