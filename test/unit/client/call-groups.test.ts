import type { Call } from "../../../client/src/index.ts";
import { FakeMedia } from "../../support/client-package/fake-media";
import { SignallingHub } from "../../support/client-package/signalling-hub";

/** Calls of three and four users, each pair of whom has a connection. */

let media: FakeMedia;
let hub: SignallingHub;
beforeEach(() => {
  jest.useFakeTimers();
  media = new FakeMedia();
  hub = new SignallingHub();
});
afterEach(() => {
  jest.useRealTimers();
});

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

function phones(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const side = hub.calls(String(index + 1), media);
    const incoming: Call[] = [];
    side.calls.on("incoming", (call) => incoming.push(call));
    return { ...side, incoming };
  });
}

const states = (call: Call | null | undefined) =>
  Object.fromEntries((call?.participants ?? []).map(({ userId, state }) => [userId, state]));

const all = (count: number, self: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => String(index + 1))
      .filter((userId) => userId !== String(self))
      .map((userId) => [userId, "connected"]),
  );

test.each([
  [3, 1],
  [3, 3],
  [4, 1],
  [4, 2],
  [4, 4],
])("all of %d users are connected with each other, called by user %d", async (count, caller) => {
  const sides = phones(count);
  const users = sides.map((_, index) => index + 1).filter((id) => id !== caller);
  await sides[caller - 1]?.calls.start({ users, video: true });
  await pass(0);
  for (const { incoming } of sides) {
    await incoming[0]?.accept();
    await pass(1_000);
  }
  sides.forEach(({ calls }, index) => {
    expect(states(calls.current)).toEqual(all(count, index + 1));
  });
  expect(media.connections.size).toBe(count * (count - 1));
  // The caller leaves, and the others go on until one is alone.
  sides[caller - 1]?.calls.current?.hangUp();
  await pass(0);
  expect(sides.filter(({ calls }) => calls.current?.state === "connected")).toHaveLength(
    count > 2 ? count - 1 : 0,
  );
  for (const { calls } of sides) calls.current?.hangUp();
  await pass(0);
  expect(media.connections.size).toBe(0);
  for (const { devices } of sides) expect(devices.live.size).toBe(0);
});

test("all who accept at the same moment are connected with each other", async () => {
  const sides = phones(4);
  await sides[0]?.calls.start({ users: [2, 3, 4] });
  await pass(0);
  await Promise.all(sides.map(({ incoming }) => incoming[0]?.accept()));
  await pass(1_000);
  sides.forEach(({ calls }, index) => {
    expect(states(calls.current)).toEqual(all(4, index + 1));
  });
  for (const { calls } of sides) calls.close();
  await pass(0);
});

test("a group goes on without one who declines, is busy or does not answer", async () => {
  const sides = phones(4);
  const other = hub.calls("5", media);
  const busy = await other.calls.start({ users: [3] });
  await pass(0);
  const call = await sides[0]?.calls.start({ users: [2, 3, 4] });
  await pass(0);
  await sides[1]?.incoming[0]?.accept();
  sides[3]?.incoming[0]?.reject();
  await pass(1_000);
  const reasons = Object.fromEntries(
    (call?.participants ?? []).map(({ userId, reason }) => [userId, reason]),
  );
  expect(reasons).toEqual({ "2": null, "3": "busy", "4": "rejected" });
  expect(call?.state).toBe("connected");
  busy.hangUp();
  await pass(61_000);
  // User 2 has heard nothing of those who did not come.
  expect(states(sides[1]?.calls.current)).toEqual({ "1": "connected", "3": "left", "4": "left" });
  call?.hangUp();
  await pass(0);
  expect(sides[1]?.calls.current).toBeNull();
});

test("one whom another of the group calls first is connected with the caller too", async () => {
  const sides = phones(3);
  hub.drops = ({ from, to }) => from === "1" && to === "2";
  await sides[0]?.calls.start({ users: [2, 3] });
  await pass(0);
  await sides[2]?.incoming[0]?.accept();
  await pass(1_000);
  expect(sides[1]?.incoming.map(({ callerId }) => callerId)).toEqual(["3"]);
  hub.drops = () => false;
  await pass(5_000);
  await sides[1]?.incoming[0]?.accept();
  await pass(1_000);
  sides.forEach(({ calls }, index) => {
    expect(states(calls.current)).toEqual(all(3, index + 1));
  });
  expect(sides[1]?.incoming).toHaveLength(1);
  for (const { calls } of sides) calls.close();
  await pass(0);
});

test("a call names at most three others, whatever its sender claims", async () => {
  const [ann] = phones(1);
  const sender = hub.device("2", "x");
  const opponentIds = ["1", "3", "4", "5", "6", "x", "../7", "-1"];
  await sender.send(
    { userId: "1" },
    { call: { callId: "c", callType: "AUDIO", sdp: "v=0", callerId: "2", opponentIds } },
  );
  await pass(0);
  expect(Object.keys(states(ann?.incoming[0]))).toEqual(["2", "3", "4"]);
  ann?.calls.close();
});
