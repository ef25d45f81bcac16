import { eventually } from "../../../scripts/services/binaries";
import { openLog } from "../../../src/core/log";
import { inboxOfConference } from "../../../src/domain/conferences/events/event-log";
import { EventPages } from "../../../src/domain/conferences/events/event-pages";
import { EventReader } from "../../../src/domain/conferences/events/event-reader";
import type { ConferenceEvent } from "../../../src/domain/conferences/model/conference-event";
import { openLocalBus } from "../../../src/platform/bus/local";

const CONFERENCE = 7;
const log = openLog("silent");

/** An event of all participants; the tests tell events apart by their numbers. */
const left = (sequence: number): ConferenceEvent => ({
  type: "participant-left",
  sequence,
  participantId: 100 + sequence,
  number: 100 + sequence,
  reason: "left",
});

const snapshot = (sequence: number): ConferenceEvent & { type: "snapshot" } => ({
  type: "snapshot",
  sequence,
  conference: {
    id: CONFERENCE,
    name: "Room",
    seats: 12,
    video: true,
    access: "everyone",
    locked: false,
    bitrate: 600_000,
    emptyAfterSeconds: 600,
  },
  participants: [],
});

/** A reader over a bus in memory, whose next snapshot waits until `load` is called. */
function openReader() {
  const bus = openLocalBus({ now: () => 0 }, log);
  const reads: string[] = [];
  let repeated = 0;
  let sequence = 0;
  let load = () => {};
  let hold: Promise<void> = Promise.resolve();
  const reader = new EventReader(
    {
      bus: {
        ...bus,
        subscribe: bus.subscribe.bind(bus),
        read(inbox, after) {
          reads.push(after);
          return bus.read(inbox, after);
        },
      },
      log,
      async loadSnapshot() {
        await hold;
        return snapshot(sequence);
      },
      async repeatStreams() {
        repeated += 1;
      },
    },
    CONFERENCE,
    () => {},
  );
  return {
    bus,
    reader,
    /** The cursors after which the bus was read. */
    reads,
    /** How often the host was asked for the streams. */
    repeated: () => repeated,
    append(make = left) {
      sequence += 1;
      return bus.append(inboxOfConference(CONFERENCE), JSON.stringify(make(sequence)));
    },
    holdSnapshot() {
      hold = new Promise((resolve) => {
        load = resolve;
      });
    },
    releaseSnapshot: () => load(),
  };
}

/** A subscriber that notes the numbers of what it receives. */
function openSubscriber() {
  const received: string[] = [];
  return {
    received,
    subscriber: {
      ref: { conferenceId: CONFERENCE, participantId: 1, number: 1, generation: 1 },
      receive({ event }: { event: ConferenceEvent }) {
        received.push(`${event.type} ${"sequence" in event ? event.sequence : ""}`);
      },
      whenDrained: async () => {},
      end: () => {},
    },
  };
}

test("an event while a subscription starts does not deliver the events before its snapshot", async () => {
  const { bus, reader, append, holdSnapshot, releaseSnapshot } = openReader();
  for (let count = 0; count < 3; count++) await append();
  const { received, subscriber } = openSubscriber();
  holdSnapshot();
  const subscribing = reader.subscribe(subscriber, undefined);
  await append();
  // What the notice has started would read the inbox in these turns.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  releaseSnapshot();
  const detach = await subscribing;
  await append();
  await eventually(async () => expect(received).toContain("participant-left 5"));
  expect(received).toEqual(["snapshot 4", "participant-left 5"]);
  await detach();
  await bus.close();
});

test("an event between the position and the snapshot is delivered once, after it", async () => {
  const { bus, reader, append, holdSnapshot, releaseSnapshot } = openReader();
  await append();
  const { received, subscriber } = openSubscriber();
  holdSnapshot();
  const subscribing = reader.subscribe(subscriber, undefined);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  await append();
  releaseSnapshot();
  const detach = await subscribing;
  await append();
  await eventually(async () => expect(received).toContain("participant-left 3"));
  expect(received).toEqual(["snapshot 2", "participant-left 3"]);
  await detach();
  await bus.close();
});

test("nothing is kept of a read after a cursor that a client has made up", async () => {
  const { bus, reader, append, reads } = openReader();
  await append();
  const { received, subscriber } = openSubscriber();
  const detach = await reader.subscribe(subscriber, undefined);
  const unknown = Array.from({ length: 20 }, (_, count) => `unknown ${count}`);
  for (const after of [...unknown, ...unknown]) {
    await expect(reader.subscribe(openSubscriber().subscriber, after)).rejects.toThrow("expired");
  }
  for (const after of unknown) expect(reads.filter((read) => read === after)).toHaveLength(2);
  await append();
  await eventually(async () => expect(received).toEqual(["snapshot 1", "participant-left 2"]));
  await detach();
  await bus.close();
});

test("subscribers that start together share one snapshot, and each gets what follows", async () => {
  const { bus, reader, append, reads, repeated } = openReader();
  await append();
  const all = Array.from({ length: 50 }, openSubscriber);
  const detach = await Promise.all(
    all.map(({ subscriber }) => reader.subscribe(subscriber, undefined)),
  );
  expect(reads.filter((after) => after === "")).toHaveLength(1);
  await eventually(async () => expect(repeated()).toBe(1));
  await append();
  for (const { received } of all) {
    await eventually(async () => expect(received).toEqual(["snapshot 1", "participant-left 2"]));
  }
  for (const each of detach) await each();
  await bus.close();
});

test("pages are kept for the newest positions only, and shared there", async () => {
  const { bus, append } = openReader();
  const cursors: string[] = [];
  for (let count = 0; count < 20; count++) cursors.push((await append()).cursor);
  const pages = new EventPages(bus, CONFERENCE);
  for (const cursor of cursors) {
    await pages.isComplete(cursor);
    expect(pages.size).toBe(0);
  }
  for (const cursor of cursors) await pages.shared(cursor);
  expect(pages.size).toBe(2);
  const newest = cursors.at(-1) ?? "";
  expect(pages.shared(newest)).toBe(pages.shared(newest));
  expect(await pages.shared("unknown")).toMatchObject({ complete: false, entries: [] });
  pages.clear();
  expect(pages.size).toBe(0);
  await bus.close();
});

test("the streams are repeated after a snapshot of the host, also for a subscriber that knows its number", async () => {
  const { bus, reader, append, repeated } = openReader();
  const { cursor } = await append();
  const resumed = openSubscriber();
  const started = openSubscriber();
  const detachStarted = await reader.subscribe(started.subscriber, undefined);
  await eventually(async () => expect(repeated()).toBe(1));
  const detachResumed = await reader.subscribe(resumed.subscriber, cursor);
  await append(snapshot);
  // Both belong to one participant, and what is repeated reaches both.
  await eventually(async () => expect(repeated()).toBe(2));
  expect(resumed.received).toEqual(["snapshot 2"]);
  await bus.append(inboxOfConference(CONFERENCE), JSON.stringify(snapshot(2)));
  await eventually(async () => expect(repeated()).toBe(3));
  expect(resumed.received).toEqual(["snapshot 2"]);
  await detachStarted();
  await detachResumed();
  await bus.close();
});
