import { eventually } from "../../../scripts/services/binaries";
import { openLocalBus } from "../../../src/bus/local";
import { inboxOfConference } from "../../../src/conferences/events/event-log";
import { EventReader } from "../../../src/conferences/events/event-reader";
import type { ConferenceEvent } from "../../../src/conferences/model/conference-event";
import { openLog } from "../../../src/core/log";

const CONFERENCE = 7;
const log = openLog("silent");

/** An event of all members; the tests tell events apart by their numbers. */
const left = (sequence: number): ConferenceEvent => ({
  type: "member-left",
  sequence,
  memberId: 100 + sequence,
  number: 100 + sequence,
  reason: "left",
});

/** A reader over a bus in memory, whose next snapshot waits until `load` is called. */
function openReader() {
  const bus = openLocalBus({ now: () => 0 }, log);
  let sequence = 0;
  let load = () => {};
  let hold: Promise<void> = Promise.resolve();
  const reader = new EventReader(
    {
      bus,
      log,
      async loadSnapshot() {
        await hold;
        const conference = {
          id: CONFERENCE,
          name: "Room",
          seats: 12,
          video: true,
          access: "everyone" as const,
          locked: false,
          bitrate: 600_000,
        };
        return { type: "snapshot", sequence, conference, members: [] };
      },
      repeatStreams: async () => {},
    },
    CONFERENCE,
    () => {},
  );
  return {
    bus,
    reader,
    append() {
      sequence += 1;
      return bus.append(inboxOfConference(CONFERENCE), JSON.stringify(left(sequence)));
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
      ref: { conferenceId: CONFERENCE, memberId: 1, number: 1, generation: 1 },
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
  await eventually(async () => expect(received).toContain("member-left 5"));
  expect(received).toEqual(["snapshot 4", "member-left 5"]);
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
  await eventually(async () => expect(received).toContain("member-left 3"));
  expect(received).toEqual(["snapshot 2", "member-left 3"]);
  await detach();
  await bus.close();
});
