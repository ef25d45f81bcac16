import type { Call, EndReason } from "../../../client/src/index.ts";
import { FakeMedia } from "../../support/client-package/fake-media";
import { SignallingHub } from "../../support/client-package/signalling-hub";

/** When calls ring, repeat and end, on a clock that the test moves. */

const SECOND = 1_000;
let media: FakeMedia;
let hub: SignallingHub;
beforeEach(() => {
  jest.useFakeTimers();
  media = new FakeMedia();
  hub = new SignallingHub();
});
afterEach(() => {
  const left = jest.getTimerCount();
  jest.useRealTimers();
  expect({ timers: left, connections: media.connections.size }).toEqual({
    timers: 0,
    connections: 0,
  });
});

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** A user with one device, and the calls that rang there. */
function phone(userId: string) {
  const side = hub.calls(userId, media);
  const incoming: Call[] = [];
  side.calls.on("incoming", (call) => incoming.push(call));
  return { ...side, incoming };
}

/** Why a call ends, once it does. */
function endOf(call: Call | undefined): { reason: EndReason | null } {
  const end = { reason: call?.endReason ?? null };
  call?.on("ended", ({ reason }) => {
    end.reason = reason;
  });
  return end;
}

async function connected(video = true) {
  const [ann, ben] = [phone("1"), phone("2")];
  const call = await ann.calls.start({ users: ["2"], video });
  await pass(0);
  const [answer] = ben.incoming;
  if (!answer) throw new Error("nothing rings");
  await answer.accept();
  await pass(SECOND);
  expect([call.state, answer.state]).toEqual(["connected", "connected"]);
  return { ann, ben, call, answer };
}

test("a call is repeated every five seconds for a minute, rings once, and ends on both sides", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  const call = await ann.calls.start({ users: [2] });
  await pass(0);
  const ends = [endOf(call), endOf(ben.incoming[0])];
  await pass(59 * SECOND);
  expect(hub.typesFrom("1")).toEqual(Array(12).fill("call"));
  expect(new Set(hub.sent.map(({ signal }) => signal.callId)).size).toBe(1);
  expect([call.state, ben.incoming[0]?.state]).toEqual(["calling", "ringing"]);
  await pass(SECOND);
  expect(hub.typesFrom("1").at(-1)).toBe("hangUp");
  expect(ends.map(({ reason }) => reason)).toEqual(["no-answer", "missed"]);
  expect(ben.incoming).toHaveLength(1);
  await pass(60 * SECOND);
  expect(hub.sent).toHaveLength(13);
});

test("a call whose repeats stay away is missed, and does not ring again", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  const call = await ann.calls.start({ users: ["2"] });
  await pass(0);
  const end = endOf(ben.incoming[0]);
  hub.drops = () => true;
  await pass(15 * SECOND - 1);
  expect(end.reason).toBeNull();
  await pass(1);
  expect(end.reason).toBe("missed");
  hub.drops = () => false;
  await pass(10 * SECOND);
  expect(ben.incoming).toHaveLength(1);
  call.hangUp();
  await pass(0);
});

test("while no signal can arrive, a call goes on to ring, and can be accepted when the repeats are back", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  const call = await ann.calls.start({ users: ["2"] });
  await pass(0);
  Object.assign(ben.signals, { status: "offline" });
  hub.drops = () => true;
  await pass(40 * SECOND);
  expect(ben.incoming[0]?.state).toBe("ringing");
  Object.assign(ben.signals, { status: "online" });
  hub.drops = () => false;
  await pass(6 * SECOND);
  await ben.incoming[0]?.accept();
  await pass(SECOND);
  expect(call.state).toBe("connected");
  expect(ben.incoming).toHaveLength(1);
  call.hangUp();
  await pass(0);
});

test("a call rings no longer than a minute while no signal can arrive", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  await ann.calls.start({ users: ["2"] });
  await pass(0);
  const end = endOf(ben.incoming[0]);
  Object.assign(ben.signals, { status: "offline" });
  hub.drops = () => true;
  await pass(90 * SECOND);
  expect(end.reason).toBe("missed");
});

test("a media connection that does not come about ends the call after twenty seconds", async () => {
  const [ann, ben] = [phone("1"), phone("2")];
  media.setUp(false);
  const call = await ann.calls.start({ users: ["2"] });
  await pass(0);
  await ben.incoming[0]?.accept();
  const ends = [endOf(call), endOf(ben.incoming[0])];
  await pass(19 * SECOND);
  expect([call.state, ends[0]?.reason]).toEqual(["connecting", null]);
  await pass(2 * SECOND);
  expect(ends.map(({ reason }) => reason)).toContain("not-connected");
  expect(ends.every(({ reason }) => reason !== null)).toBe(true);
});

test("an interrupted connection comes back by a restart of ICE", async () => {
  const { call, answer } = await connected();
  media.setUp(false);
  await pass(SECOND);
  expect(call.participants[0]?.state).toBe("recovering");
  expect(hub.typesFrom("1")).toContain("iceRestart");
  // The restart found no path: the next one does.
  media.setUp(true);
  await call.restartIce();
  await pass(SECOND);
  expect([call, answer].map((each) => each.participants[0]?.state)).toEqual([
    "connected",
    "connected",
  ]);
  call.hangUp();
  await pass(0);
});

test("a restart of ICE during another one follows it, with an offer of its own", async () => {
  const { call } = await connected();
  await Promise.all([call.restartIce(), call.restartIce(), call.restartIce()]);
  await pass(SECOND);
  const types = hub.sent.map(({ type }) => type).filter((type) => type.startsWith("iceRestart"));
  expect(types).toEqual(["iceRestart", "iceRestartAccept", "iceRestart", "iceRestartAccept"]);
  expect(call.participants[0]?.state).toBe("connected");
  media.setUp(false);
  await pass(0);
  media.setUp(true);
  await call.restartIce();
  await pass(SECOND);
  expect(call.participants[0]?.state).toBe("connected");
  call.hangUp();
  await pass(0);
});

test("a connection that stays interrupted ends the call on both sides", async () => {
  const { call, answer } = await connected();
  const ends = [endOf(call), endOf(answer)];
  media.setUp(false);
  hub.drops = () => true;
  await pass(19 * SECOND);
  expect(ends.map(({ reason }) => reason)).toEqual([null, null]);
  await pass(2 * SECOND);
  expect(ends.map(({ reason }) => reason)).toEqual(["connection-lost", "connection-lost"]);
});

test("statistics come every two seconds while somebody listens", async () => {
  const { call } = await connected();
  const stats: number[] = [];
  const off = call.on("statistics", (each) => {
    const { receivedBitrate, roundTripMs, path } = each.get("2") ?? {};
    expect([roundTripMs, path]).toEqual([40, "direct"]);
    stats.push(receivedBitrate ?? -1);
  });
  await pass(7 * SECOND);
  expect(stats).toEqual([0, 4_000, 4_000]);
  off();
  const timers = jest.getTimerCount();
  const again = call.on("statistics", () => stats.push(0));
  expect(jest.getTimerCount()).toBe(timers + 1);
  again();
  await pass(10 * SECOND);
  expect(stats).toHaveLength(3);
  call.hangUp();
  await pass(0);
});

test("candidates wait for the accept, and then travel in batches", async () => {
  const { call } = await connected();
  const order = hub.sent.map(({ from, type }) => `${from} ${type}`);
  expect(order).toEqual(["1 call", "2 accept", "1 iceCandidates", "2 iceCandidates"]);
  call.hangUp();
  await pass(0);
});
