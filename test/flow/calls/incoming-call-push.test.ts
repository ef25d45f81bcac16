import { callUuidOf } from "../../../src/domain/calls/history/call-uuid";
import { REPEAT_AFTER_MS } from "../../../src/domain/calls/history/recorder";
import { sizeProblem } from "../../../src/domain/push/payload/size";
import { graphql } from "../../../tools/graphql/graphql-http";
import { type StandIns, startStandIns } from "../../../tools/stand-ins/start";
import { newStandInKeys } from "../../../tools/stand-ins/stored-keys";
import {
  lockCallTables,
  newSessionId,
  participantOf,
  send,
  waitForCall,
} from "../../support/calls/calls";
import { connectGraphqlWs } from "../../support/calls/graphql-signals";
import { eventually, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { addDevice } from "../../support/push/push";
import { RecordingProviders, type SentPush } from "../../support/push/recording-provider";
import { newUser, rest, signedParameters, type TestUser } from "../../support/rest-client";
import { blockUser } from "../../support/sessions/blocks";
import { ownerToken } from "../../support/sessions/owner";

/** Incoming-call pushes for calls that reach no connected device, if the application enables them. */

const clock = new MovingClock();
const providers = new RecordingProviders();
const parts = { clock, pushProvider: providers.open, jobsPollMs: 100 };
let node: TestNode;
let ann: TestUser;
let bob: TestUser;
const clients: { close(): unknown }[] = [];

beforeAll(async () => {
  node = await startNode({}, parts);
  ann = await newUser(node, { full_name: "Ann Ångström", avatar: "ann.png" });
});
beforeEach(async () => {
  bob = await newUser(node);
  providers.sent.length = 0;
  await configurePushes({
    incomingCallPush: true,
    incomingCallPushDelaySeconds: 10,
    incomingCallPushEnvironment: "DEVELOPMENT",
    // The subject of another file, and pushes of calls that end later.
    callEndPush: false,
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(() => node.stop());

const UPDATE = `mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) {
  application { incomingCallPush incomingCallPushDelaySeconds incomingCallPushEnvironment } } }`;

/** Changes the application's settings, as its owner. */
async function configurePushes(settings: Record<string, unknown>, at: TestNode = node) {
  const input = { applicationId: String(at.application.id), ...settings };
  const { data, errors } = await graphql(at, UPDATE, { input }, await ownerToken(at));
  return data?.updateApplication.application ?? errors?.[0];
}

/** Connects a device of a user that receives signals. */
async function connect(user: TestUser) {
  const device = await connectGraphqlWs(node, user);
  clients.push(device);
  return device;
}

const pushes = (count: number): Promise<SentPush[]> =>
  eventually(
    () => providers.sent,
    (sent) => sent.length >= count,
  );

/** Waits until all jobs so far are done. */
async function untilJobsDone(at: TestNode = node): Promise<void> {
  await eventually(
    () =>
      at.sql(
        `SELECT 1 FROM pgboss.job WHERE name IN ('call-push', 'push-fan-out', 'push-deliver')
          AND state IN ('created', 'retry', 'active') AND start_after <= now()`,
      ),
    (rows) => rows.length === 0,
  );
}

/** Makes a call by Ann to somebody else and waits until it is recorded, after everything sent before. */
async function untilRecorded(): Promise<void> {
  const id = newSessionId();
  const other = await newUser(node);
  await send(node, ann, other, "call", id);
  await waitForCall(node, ann, id, "RINGING");
  await untilJobsDone();
}

/** The number of incoming-call pushes according to the node's metrics. */
async function countedPushes(): Promise<number> {
  const text = await (await fetch(`${node.baseUrl}/metrics`)).text();
  return Number(/^signalbox_incoming_call_pushes_total (\d+)$/m.exec(text)?.[1]);
}

const jsonOf = ({ push }: SentPush) => {
  if (push.channel !== "gcm") return JSON.parse(push.payload);
  return push.message;
};

describe("the application's settings", () => {
  it("are off by default and validated", async () => {
    const fresh = await graphql(
      node,
      'mutation { createApplication(input: { name: "New" }) { application { incomingCallPush incomingCallPushDelaySeconds incomingCallPushEnvironment } } }',
      {},
      await ownerToken(node),
    );
    expect(fresh.data.createApplication.application).toEqual({
      incomingCallPush: false,
      incomingCallPushDelaySeconds: 10,
      incomingCallPushEnvironment: "PRODUCTION",
    });
    for (const incomingCallPushDelaySeconds of [0, 30]) {
      expect(await configurePushes({ incomingCallPushDelaySeconds })).toMatchObject({
        incomingCallPush: true,
        incomingCallPushDelaySeconds,
      });
    }
    for (const incomingCallPushDelaySeconds of [-1, 31]) {
      expect((await configurePushes({ incomingCallPushDelaySeconds })).extensions).toMatchObject({
        code: "INVALID",
        fields: { incomingCallPushDelaySeconds: ["must be from 0 to 30"] },
      });
    }
    expect(await configurePushes({})).toEqual({
      incomingCallPush: true,
      incomingCallPushDelaySeconds: 30,
      incomingCallPushEnvironment: "DEVELOPMENT",
    });
  });

  it("off: no push is sent", async () => {
    await configurePushes({ incomingCallPush: false });
    await addDevice(node, bob);
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    const call = await waitForCall(node, bob, id, "RINGING");
    await untilRecorded();
    expect(participantOf(call, bob)?.pushedAt).toBeNull();
    expect(providers.sent).toEqual([]);
  });
});

describe("a call to a blocked user", () => {
  it("rings like one to a user who is not connected, and sends no push", async () => {
    await addDevice(node, bob, "apns_voip");
    await addDevice(node, bob, "gcm");
    await blockUser(node, bob);
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    await waitForCall(node, ann, id, "RINGING");
    await untilRecorded();
    expect(providers.sent).toEqual([]);
  });
});

describe("a call that reaches no connected device", () => {
  it("sends a push immediately, once to each device, with what the app needs to ring", async () => {
    const [voip, android, web] = [
      ...[await addDevice(node, bob, "apns_voip"), await addDevice(node, bob, "gcm")],
      await addDevice(node, bob, "web"),
    ];
    await addDevice(node, bob, "apns");
    await addDevice(node, bob, "gcm", { environment: "production" });
    const id = newSessionId();
    await send(node, ann, bob, "call", id, {
      userInfo: { topic: "Planning & review" },
      sdp: "v=0 secret",
      opponentIds: [String(bob.id), "77"],
    });
    const sent = await pushes(3);
    // A VoIP push supersedes the standard one.
    expect(providers.tokens()).toEqual([voip, android, web].sort());
    const call = {
      callId: id,
      callType: "VIDEO",
      callerId: String(ann.id),
      callerName: "Ann Ångström",
      opponentIds: [String(bob.id), "77"],
      userInfo: { topic: "Planning & review" },
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      type: "RING",
      callUuid: callUuidOf(node.application.id, id),
      hasVideo: true,
      callerAvatar: "ann.png",
    };
    const of = (channel: string) => sent.find(({ push }) => push.channel === channel) as SentPush;
    const message = "Incoming call from Ann Ångström";
    expect(jsonOf(of("apns_voip"))).toEqual({
      aps: { alert: { body: message }, sound: "default" },
      message,
      call,
    });
    expect(of("apns_voip").push).toMatchObject({ pushType: "voip", priority: 10 });
    const { data, android: options } = jsonOf(of("gcm"));
    expect([data.message, JSON.parse(data.call)]).toEqual([message, call]);
    expect(options).toEqual({ priority: "HIGH", ttl: expect.stringMatching(/^(5\d|60)s$/) });
    expect(jsonOf(of("web"))).toEqual({ message, call });
    expect(of("web").push).toMatchObject({ topic: call.callUuid.replaceAll("-", "") });
    expect(JSON.stringify(sent)).not.toContain("secret");
    const pushed = await waitForCall(node, bob, id, "RINGING");
    expect(participantOf(pushed, bob)?.pushedAt).not.toBeNull();
    expect(participantOf(pushed, ann)?.pushedAt).toBeNull();
    // The owner can see it; it has no requesting user.
    const events = `query ($id: ID!) { application(id: $id) { pushEvents(first: 3) {
      nodes { kind userId } } } }`;
    const shown = await graphql(
      ...([node, events, { id: String(node.application.id) }, await ownerToken(node)] as const),
    );
    expect(shown.data.application.pushEvents.nodes).toEqual(
      Array(3).fill({ kind: "CALL", userId: null }),
    );
  });

  it("sends one push despite repeats", async () => {
    await addDevice(node, bob);
    const before = await countedPushes();
    const id = newSessionId();
    for (let repeat = 0; repeat < 4; repeat += 1) {
      await send(node, ann, bob, "call", id);
      if (repeat === 1) await pushes(1);
    }
    await untilRecorded();
    expect(providers.sent).toHaveLength(1);
    await eventually(countedPushes, (count) => count > before);
    await send(node, ann, bob, "call", newSessionId());
    await pushes(2);
  });

  it("uses the standard channel without VoIP, and supports a caller without a name", async () => {
    const token = await addDevice(node, bob, "apns");
    const body = { ...signedParameters(node, clock.now()), user: { guest: 1 } };
    const { token: guest } = (await rest(node, "POST", "/session", { body })).body.session;
    const id = newSessionId();
    await send(node, { token: guest }, bob, "call", id);
    const [sent] = await pushes(1);
    expect(sent?.target.token).toBe(token);
    const collapseId = callUuidOf(node.application.id, id);
    expect(sent?.push).toMatchObject({
      channel: "apns",
      pushType: "alert",
      priority: 10,
      collapseId,
    });
    expect(jsonOf(sent as SentPush)).toMatchObject({
      aps: { alert: { body: "Incoming call" } },
      call: { callerName: null, callerAvatar: null },
    });
  });

  it.each(["hangUp", "accept", "reject"])("sends no push after an answer: %s", async (type) => {
    await addDevice(node, bob);
    const id = newSessionId();
    // Loaded before, since the embedded database is locked as a whole.
    await send(node, ann, bob, "update", id);
    await send(node, bob, ann, "update", id);
    const release = await lockCallTables(node);
    // Written in one batch, as with a slow database.
    try {
      await send(node, ann, bob, "call", id);
      if (type === "hangUp") await send(node, ann, bob, type, id);
      else await send(node, bob, ann, type, id);
    } finally {
      await release();
    }
    await waitForCall(
      node,
      ann,
      id,
      { hangUp: "HUNG_UP", accept: "ACCEPTED", reject: "REJECTED" }[type] ?? "",
    );
    await untilRecorded();
    expect(providers.sent).toEqual([]);
  });

  it("withdraws a push that was not sent before the answer", async () => {
    const token = await addDevice(node, bob);
    providers.outcomes.set(token, () => ({ kind: "retry", reason: "Busy", delayMs: null }));
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    await pushes(1);
    await send(node, bob, ann, "accept", id);
    await waitForCall(node, ann, id, "ACCEPTED");
    const state = () =>
      node.sql<{ outcome: string; reason: string }>(
        `SELECT d.outcome, d.reason FROM push_deliveries d JOIN push_events e ON e.id = d.event_id
          JOIN calls c ON c.id = e.call_id WHERE c.session_id = $1`,
        [id],
      );
    await eventually(state, ([row]) => row?.outcome === "later");
    await node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'push-deliver'");
    expect(await eventually(state, ([row]) => row?.outcome === "refused")).toEqual([
      { outcome: "refused", reason: "It was withdrawn before it could be sent" },
    ]);
    expect(providers.sent).toHaveLength(1);
  });

  it("is no error for a user without devices, nor without credentials", async () => {
    const [lone, id] = [newSessionId(), newSessionId()];
    await send(node, ann, bob, "call", lone);
    await waitForCall(node, bob, lone, "RINGING");
    await untilRecorded();
    expect(participantOf(await waitForCall(node, bob, lone, "RINGING"), bob)?.pushedAt).toBeNull();
    providers.missing.add("fcm");
    try {
      await addDevice(node, bob);
      await send(node, ann, bob, "call", id);
      await waitForCall(node, bob, id, "RINGING");
      await untilRecorded();
    } finally {
      providers.missing.clear();
    }
    expect(providers.sent).toEqual([]);
    await send(node, bob, ann, "accept", id);
    await waitForCall(node, ann, id, "ACCEPTED");
  });

  it("sends a push for a later repeat, once the user has a device", async () => {
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    await waitForCall(node, bob, id, "RINGING");
    await untilRecorded();
    await addDevice(node, bob);
    clock.advance(REPEAT_AFTER_MS);
    await send(node, ann, bob, "call", id);
    await pushes(1);
    expect(
      participantOf(await waitForCall(node, bob, id, "RINGING"), bob)?.pushedAt,
    ).not.toBeNull();
  });

  it("is not affected by userInfo of another call", async () => {
    const other = await newUser(node);
    for (const user of [bob, other]) await addDevice(node, user);
    // Loaded before, since the embedded database is locked as a whole.
    for (const user of [bob, other]) await send(node, ann, user, "update", newSessionId());
    const deep = Array.from({ length: 24 }).reduce<object>((inner) => ({ a: inner }), {});
    const release = await lockCallTables(node);
    // Sent by one job.
    try {
      await send(node, ann, bob, "call", newSessionId(), { userInfo: { id: 1e20 } });
      await send(node, ann, bob, "call", newSessionId(), { userInfo: { deep } });
      await send(node, ann, other, "call", newSessionId(), { userInfo: { id: "1" } });
    } finally {
      await release();
    }
    const sent = await pushes(3);
    const shown = sent.map((each) => JSON.parse(jsonOf(each).data.call).userInfo);
    expect(shown).toHaveLength(3);
    expect(shown).toEqual(expect.arrayContaining([null, null, { id: "1" }]));
  });

  it("sends no push after a minute", async () => {
    await addDevice(node, bob);
    const id = newSessionId();
    await connect(bob);
    await configurePushes({ incomingCallPushDelaySeconds: 1 });
    await send(node, ann, bob, "call", id);
    await waitForCall(node, ann, id, "RINGING");
    clock.advance(MINUTE);
    await waitForCall(node, ann, id, "MISSED");
    await untilRecorded();
    expect(providers.sent).toEqual([]);
  });

  it("fits every push service, whatever data the client sends", async () => {
    const name = "😀".repeat(127);
    const loud = await newUser(node, { full_name: name });
    for (const channel of ["apns_voip", "gcm", "web"]) await addDevice(node, bob, channel);
    const session = `${'"'.repeat(250)}${newSessionId().slice(-5)}`;
    const userInfo = { note: '"'.repeat(500) };
    await send(node, loud, bob, "call", session, {
      userInfo,
      opponentIds: Array(9).fill("9".repeat(15)),
    });
    const sent = await pushes(3);
    expect(sent.map(({ push }) => sizeProblem(push))).toEqual([null, null, null]);
    expect(jsonOf(sent.find(({ push }) => push.channel === "web") as SentPush).call).toMatchObject({
      callerName: "😀".repeat(64),
      userInfo,
      callId: session,
    });
    providers.sent.length = 0;
    await send(node, loud, bob, "call", newSessionId(), { userInfo: { note: "x".repeat(2_000) } });
    for (const each of await pushes(3)) {
      if (each.push.channel !== "gcm") expect(jsonOf(each).call.userInfo).toBeNull();
    }
  });
});

describe("a call that reaches connected devices", () => {
  it("sends a push to the other devices when none has accepted in time", async () => {
    await configurePushes({ incomingCallPushDelaySeconds: 1 });
    await addDevice(node, bob);
    const device = await connect(bob);
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    expect((await device.next()).callId).toBe(id);
    await waitForCall(node, ann, id, "RINGING");
    await untilJobsDone();
    expect(providers.sent).toEqual([]);
    const [sent] = await pushes(1);
    expect(JSON.parse(jsonOf(sent as SentPush).data.call).callId).toBe(id);
  });

  it("sends no push when one accepts, and an immediate one when the delay is 0", async () => {
    await configurePushes({ incomingCallPushDelaySeconds: 2 });
    await addDevice(node, bob);
    await connect(bob);
    const accepted = newSessionId();
    await send(node, ann, bob, "call", accepted);
    await send(node, bob, ann, "accept", accepted);
    await waitForCall(node, ann, accepted, "ACCEPTED");
    await node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'call-push'");
    await untilRecorded();
    expect(providers.sent).toEqual([]);
    await configurePushes({ incomingCallPushDelaySeconds: 0 });
    await send(node, ann, bob, "call", newSessionId());
    await pushes(1);
  });

  it("sends an immediate push when they have disconnected by the next repeat", async () => {
    await configurePushes({ incomingCallPushDelaySeconds: 30 });
    await addDevice(node, bob);
    const device = await connect(bob);
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    await device.next();
    await waitForCall(node, ann, id, "RINGING");
    device.close();
    await device.ended;
    await eventually(
      () => send(node, ann, bob, "call", id).then(() => providers.sent.length),
      (count) => count > 0,
    );
    await untilRecorded();
    expect(providers.sent).toHaveLength(1);
  });
});

it("an incoming-call push is exported, and erased with either participant", async () => {
  await addDevice(node, bob);
  const [calling, called] = [await newUser(node, { full_name: "Erased Ernst" }), bob];
  const id = newSessionId();
  await send(node, calling, called, "call", id);
  await pushes(1);
  const owner = await ownerToken(node);
  const input = (user: TestUser) => ({
    input: { applicationId: String(node.application.id), userId: String(user.id) },
  });
  const EXPORT =
    "mutation ($input: ApplicationUserInput!) { exportUser(input: $input) { export } }";
  for (const user of [calling, called]) {
    const { data } = await graphql(node, EXPORT, input(user), owner);
    expect(data.exportUser.export.incomingCallPushes).toMatchObject([
      { kind: "CALL", userId: null },
    ]);
  }
  const { data } = await graphql(node, EXPORT, input(ann), owner);
  expect(JSON.stringify(data.exportUser.export.incomingCallPushes)).not.toContain(`[${called.id}]`);
  const events = () =>
    node.sql(
      "SELECT e.id FROM push_events e WHERE e.selector -> 'ids' = jsonb_build_array($1::bigint)",
      [called.id],
    );
  expect(await events()).toHaveLength(1);
  await send(node, calling, called, "hangUp", id);
  await waitForCall(node, called, id, "HUNG_UP");
  const ERASE =
    "mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { deletedUserId } }";
  const erased = await graphql(node, ERASE, { input: { id: String(calling.id) } }, owner);
  expect(erased.errors).toBeUndefined();
  expect(await events()).toEqual([]);
});

it("pushes of a user's calls count against the user's rate limit", async () => {
  const strict = await startNode(
    { RATE_PUSHES_PER_USER: "2" },
    { ...parts, clock: new MovingClock() },
  );
  try {
    await configurePushes(
      { incomingCallPush: true, incomingCallPushEnvironment: "DEVELOPMENT" },
      strict,
    );
    const [loud, calm, called] = [
      await newUser(strict),
      await newUser(strict),
      await newUser(strict),
    ];
    await addDevice(strict, called);
    const ids = Array.from({ length: 5 }, newSessionId);
    for (const id of ids) {
      await send(strict, loud, called, "call", id);
      await waitForCall(strict, loud, id, "RINGING");
    }
    const pushed = async () => {
      const calls = await Promise.all(ids.map((id) => waitForCall(strict, loud, id, "RINGING")));
      return calls.filter((call) => participantOf(call, called)?.pushedAt !== null).length;
    };
    await pushes(2);
    await untilJobsDone(strict);
    expect([providers.sent.length, await pushed()]).toEqual([2, 2]);
    await send(strict, calm, called, "call", newSessionId());
    expect(await pushes(3)).toHaveLength(3);
  } finally {
    await strict.stop();
  }
});

describe("through the stand-ins of the push services", () => {
  let standIns: StandIns;
  let real: TestNode;
  beforeAll(async () => {
    standIns = await startStandIns(newStandInKeys(), {
      host: "127.0.0.1",
      apnsPort: 0,
      fcmPort: 0,
      webPort: 0,
    });
    real = await startNode({ ALLOW_PRIVATE_NETWORKS: "true" }, { jobsPollMs: 100 });
  });
  afterAll(async () => {
    await real.stop();
    await standIns.close();
  });

  it("a call arrives as a VoIP push that ends with the ringing", async () => {
    const { key, keyId, teamId, bundleId, baseUrl, ca } = standIns.credentials.apns;
    const SET =
      "mutation ($input: SetPushCredentialsInput!) { setPushCredentials(input: $input) { warning } }";
    const input = {
      applicationId: String(real.application.id),
      environment: "DEVELOPMENT",
      apns: { key, keyId, teamId, bundleId, baseUrl, ca },
    };
    expect(await graphql(real, SET, { input }, await ownerToken(real))).toMatchObject({
      data: { setPushCredentials: { warning: null } },
    });
    await configurePushes(
      { incomingCallPush: true, incomingCallPushEnvironment: "DEVELOPMENT" },
      real,
    );
    const [caller, called] = [await newUser(real, { full_name: "Ann" }), await newUser(real)];
    const token = await addDevice(real, called, "apns_voip");
    const id = newSessionId();
    const before = Date.now() / 1000;
    await send(real, caller, called, "call", id);
    const [got] = await eventually(
      () => standIns.apns.received.items.filter(({ device }) => device === token),
      (items) => items.length > 0,
    );
    expect(got).toMatchObject({ status: 200, reason: null });
    expect(got?.headers).toMatchObject({
      "apns-push-type": "voip",
      "apns-topic": `${bundleId}.voip`,
      "apns-priority": "10",
    });
    const left = Number(got?.headers["apns-expiration"]) - before;
    expect(left).toBeGreaterThan(59);
    expect(left).toBeLessThan(63);
    expect(JSON.parse(got?.payload ?? "")).toMatchObject({ call: { callId: id } });
  });
});

if (hasServices)
  it("several nodes send one push", async () => {
    const others = [await startNode({}, parts, node), await startNode({}, parts, node)];
    try {
      await addDevice(node, bob);
      const id = newSessionId();
      await Promise.all([node, ...others].map((each) => send(each, ann, bob, "call", id)));
      await pushes(1);
      await untilRecorded();
      expect(providers.sent).toHaveLength(1);
    } finally {
      for (const other of others) await other.stop();
    }
  });
