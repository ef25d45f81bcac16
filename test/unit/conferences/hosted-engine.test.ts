import { openLog } from "../../../src/core/log";
import type { EngineEvent } from "../../../src/domain/conferences/engine/engine";
import type { HostDeps } from "../../../src/domain/conferences/host/host-deps";
import { type EngineOwner, HostedEngine } from "../../../src/domain/conferences/host/hosted-engine";
import { MemoryEngine } from "../../support/conferences/memory-engine";

/** The states of a room at the engine. */

type State = HostedEngine["state"];

const ROOM = "c-7";
const LOST: EngineEvent = { type: "lost", reason: "killed" };
const READY: EngineEvent = { type: "ready" };
const ROOM_LOST: EngineEvent = { type: "room-lost", room: ROOM, reason: "killed" };
const ROOM_ENDED: EngineEvent = { type: "room-ended", room: ROOM, reason: "killed" };
const OTHER_ENDED: EngineEvent = { type: "room-ended", room: "c-8", reason: "killed" };
const PARTICIPANT = { participantId: 1, number: 101, generation: 1 };

/** A room with what it has told its conference; `publish` opens it. */
function openRoom() {
  const calls: string[] = [];
  const memory = new MemoryEngine(() => undefined);
  const deps = { engine: memory, clock: { now: () => 0 }, log: openLog("silent") };
  const settings = { id: 7, name: "Room", seats: 12, video: true, access: "everyone" } as const;
  const owner: EngineOwner = {
    id: 7,
    application: 1,
    settings: { ...settings, locked: false, bitrate: 600_000, emptyAfterSeconds: 0 },
    ref: () => ({ conferenceId: 7, node: "here", generation: 1 }),
    has: () => true,
    blocked: () => ({ audio: false, video: false }),
    onFeed: () => undefined,
    send: () => undefined,
    onRoomLost: () => void calls.push("onRoomLost"),
    check: () => void calls.push("check"),
  };
  const room = new HostedEngine(deps as unknown as HostDeps, owner);
  return { room, memory, calls, publish: () => room.publish(PARTICIPANT, "main", "offer") };
}

/** The events that bring an open room into a state. */
const PATHS: Record<Exclude<State, "closed">, EngineEvent[]> = {
  open: [],
  lost: [LOST],
  renewable: [ROOM_LOST],
  harmful: [ROOM_ENDED],
};

test.each<[State, EngineEvent, State, string[]]>([
  ["closed", LOST, "closed", []],
  ["closed", READY, "closed", []],
  ["closed", ROOM_LOST, "closed", []],
  ["closed", ROOM_ENDED, "harmful", ["check"]],
  ["open", LOST, "lost", ["onRoomLost"]],
  ["open", READY, "open", []],
  ["open", ROOM_LOST, "renewable", ["onRoomLost", "check"]],
  ["open", ROOM_ENDED, "harmful", ["onRoomLost", "check"]],
  ["open", OTHER_ENDED, "open", []],
  ["lost", LOST, "lost", []],
  ["lost", READY, "renewable", ["check"]],
  ["lost", ROOM_LOST, "renewable", ["check"]],
  ["lost", ROOM_ENDED, "harmful", ["check"]],
  ["renewable", LOST, "lost", []],
  ["renewable", READY, "renewable", ["check"]],
  ["renewable", ROOM_ENDED, "harmful", ["check"]],
  ["harmful", LOST, "harmful", []],
  ["harmful", READY, "harmful", ["check"]],
  ["harmful", ROOM_LOST, "harmful", ["check"]],
])("a room that is %s, after %j, is %s", async (from, event, to, expected) => {
  const { room, calls, publish } = openRoom();
  if (from !== "closed") {
    await publish();
    for (const earlier of PATHS[from]) room.onEvent(earlier);
  }
  expect(room.state).toBe(from);
  calls.length = 0;
  room.onEvent(event);
  expect(room.state).toBe(to);
  expect(calls).toEqual(expected);
});

test.each([
  "lost",
  "renewable",
  "harmful",
] as const)("nobody publishes in a %s room", async (from) => {
  const { room, publish } = openRoom();
  await publish();
  for (const event of PATHS[from]) room.onEvent(event);
  await expect(publish()).rejects.toThrow("restarting");
});

test.each<[keyof typeof PATHS, State]>([
  ["open", "open"],
  ["lost", "lost"],
  ["renewable", "open"],
  ["harmful", "harmful"],
])("renewing a room that is %s leaves it %s", async (from, to) => {
  const { room, publish } = openRoom();
  await publish();
  for (const event of PATHS[from]) room.onEvent(event);
  await room.renew();
  expect(room.state).toBe(to);
});

test("a room whose opening fails is closed, and the next publisher opens it", async () => {
  const { room, memory, publish } = openRoom();
  memory.down = true;
  await expect(publish()).rejects.toThrow("does not answer");
  expect(room.state).toBe("closed");
  memory.down = false;
  await publish();
  expect(room.state).toBe("open");
});

test("an opening that fails late leaves alone the room that was opened after it", async () => {
  const { room, memory, publish } = openRoom();
  let fail: (error: Error) => void = () => undefined;
  const { open } = memory;
  memory.open = () =>
    new Promise((_resolve, reject) => {
      fail = reject;
    });
  const first = publish();
  room.onEvent(ROOM_LOST);
  memory.open = open;
  await room.renew();
  fail(new Error("late"));
  await expect(first).rejects.toThrow("late");
  expect(room.state).toBe("open");
});

test("closing a room closes it at the engine, and leaving it does not", async () => {
  const [closed, left] = [openRoom(), openRoom()];
  await closed.publish();
  await left.publish();
  await closed.room.closeRoom();
  await left.room.leaveRoom();
  await left.room.closeRoom();
  expect([closed.room.state, closed.memory.rooms.size]).toEqual(["closed", 0]);
  expect([left.room.state, left.memory.rooms.size]).toEqual(["closed", 1]);
});
