import { eventually } from "../../../scripts/services/binaries";
import { Fault } from "../../../src/core/errors";
import { openLog } from "../../../src/core/log";
import { inboxOfConference } from "../../../src/domain/conferences/events/event-log";
import type { HostDeps } from "../../../src/domain/conferences/host/host-deps";
import { HostedConference } from "../../../src/domain/conferences/host/hosted-conference";
import type { ConferenceEvent } from "../../../src/domain/conferences/model/conference-event";
import {
  type ConferenceParticipantRow,
  toParticipant,
} from "../../../src/domain/conferences/rows/participant-queries";
import { openLocalBus } from "../../../src/platform/bus/local";
import type { Statement } from "../../../src/platform/store/store";

const CONFERENCE = 7;
/** As many events wait for the bus; the next one makes a snapshot of all. */
const EVENTS_MAX = 500;
/** As many changes wait for the database. */
const CHANGES_MAX = 1_000;
const log = openLog("silent");

const participantRow = (id: number): ConferenceParticipantRow => ({
  id,
  conference_id: CONFERENCE,
  number: 100 + id,
  user_id: 100 + id,
  name: `Participant ${id}`,
  device: "device",
  session_id: null,
  moderator: false,
  generation: 1,
  publishing: false,
  screen: false,
  audio_muted: false,
  video_muted: false,
  audio_blocked: false,
  video_blocked: false,
  joined_at: new Date(0),
  first_joined_at: new Date(0),
  left_at: null,
  leave_reason: null,
});

/** A conference with participant 1, whose bus cannot be reached until `endOutage` is called. @param now the clock */
function openConference(now = () => 0) {
  const bus = openLocalBus({ now: () => 0 }, log);
  let isDown = true;
  let sequence = 0;
  let gate = Promise.resolve();
  const statements: string[] = [];
  const watched = new Set<object>();
  const query = async (statement: Statement) => {
    statements.push(statement.name);
    if (statement.name === "advance_conference") {
      sequence += 1;
      return [{ sequence }];
    }
    return statement.name === "insert_conference_participant" ? [participantRow(2)] : [];
  };
  const deps = {
    store: {
      query,
      transaction: (act: (transaction: unknown) => unknown) => gate.then(() => act({ query })),
    },
    bus: {
      append(inbox: string, body: string) {
        if (isDown) return Promise.reject(new Fault("UNAVAILABLE", "down"));
        return bus.append(inbox, body);
      },
      // Owners' subscriptions miss the change, and the change itself does not fail.
      publish(channel: string, message: string) {
        if (isDown) return Promise.reject(new Fault("UNAVAILABLE", "down"));
        return bus.publish(channel, message);
      },
    },
    clock: { now },
    log,
    sessionEvents: {
      track(connection: object) {
        watched.add(connection);
        return () => watched.delete(connection);
      },
      onSessionEvent: () => () => {},
      publish: () => {},
    },
    engine: null,
    node: "here",
    alone: true,
    isAuthorized: async () => true,
  } as unknown as HostDeps;
  const row = {
    application_id: 1,
    name: "Room",
    seats: 12,
    video: true,
    access: "everyone",
    origin: "graphql",
    locked: false,
    bitrate: 600_000,
    engine: null,
    engine_state: null,
    generation: 1,
    sequence,
    empty_after_seconds: 600,
    is_empty: false,
    closes_in_ms: null,
  } as const;
  return {
    conference: new HostedConference(
      deps,
      CONFERENCE,
      row,
      [toParticipant(participantRow(1))],
      () => {},
    ),
    statements,
    /** What watches the sessions of participants. */
    watched,
    /** Stops transactions before they begin. @returns a function that lets them begin */
    hold() {
      let release: () => void = () => undefined;
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    endOutage() {
      isDown = false;
    },
    async stored(): Promise<ConferenceEvent[]> {
      const { entries } = await bus.read(inboxOfConference(CONFERENCE), "");
      return entries.map(({ body }) => JSON.parse(body));
    },
    close: () => bus.close(),
  };
}

const join = (conference: HostedConference) =>
  conference.join(
    { applicationId: 1, number: 102, kind: "user", name: "B", sessionId: null, device: "d" },
    false,
    false,
  );

test.each<[string, (conference: HostedConference) => Promise<unknown>, object]>([
  ["a join", join, { participants: [{ id: 1 }, { id: 2 }] }],
  ["a leave", (conference) => conference.remove(1, "left"), { participants: [] }],
  [
    "a mute",
    (conference) => conference.muteParticipant(101, { audio: true }),
    { participants: [{ id: 1, audioMuted: true }] },
  ],
  [
    "a new moderator",
    (conference) =>
      conference.applyRights({
        conferenceId: CONFERENCE,
        participantId: 1,
        leaveReason: null,
        moderator: true,
      }),
    { participants: [{ id: 1, moderator: true }] },
  ],
  [
    "a setting",
    (conference) => conference.update({ locked: true }),
    { conference: { locked: true } },
  ],
])("the snapshot after an outage contains %s that filled the queue", async (_what, change, state) => {
  const { conference, endOutage, stored, close } = openConference();
  for (let count = 1; count <= EVENTS_MAX; count++) {
    await conference.update({ name: `Room ${count}` });
  }
  await change(conference);
  endOutage();
  await eventually(async () => expect(await stored()).toHaveLength(1));
  expect(await stored()).toEqual([
    expect.objectContaining({ type: "snapshot", sequence: EVENTS_MAX + 1 }),
  ]);
  expect(await stored()).toMatchObject([{ conference: { name: "Room 500" }, ...state }]);
  await conference.abandon();
  await close();
});

test("a participant whose requests fill the queue is removed all the same, once", async () => {
  const { conference, statements, hold, endOutage, close } = openConference();
  endOutage();
  const release = hold();
  const change = () => conference.update({ locked: true });
  const waiting = Array.from({ length: CHANGES_MAX }, change);
  await expect(change()).rejects.toThrow("The conference is overloaded");
  const removed = [conference.remove(1, "removed"), conference.remove(1, "left")];
  release();
  await Promise.all([...waiting, ...removed]);
  expect(conference.size).toBe(0);
  expect(statements.filter((name) => name === "leave_conference")).toHaveLength(1);
  await conference.abandon();
  await close();
});

test("a participant who takes a seat while the conference is dropped is not watched for ever", async () => {
  const { conference, watched, endOutage, hold, close } = openConference();
  endOutage();
  const release = hold();
  const joining = join(conference);
  await new Promise((resolve) => setImmediate(resolve));
  expect(watched.size).toBe(1);
  await conference.abandon();
  release();
  await joining;
  expect(watched.size).toBe(0);
  await close();
});

test("an empty conference that is due stays open for somebody who joins in time", async () => {
  let now = 0;
  const { conference, statements, endOutage, close } = openConference(() => now);
  endOutage();
  await conference.remove(1, "left");
  now = 599_999;
  expect(conference.isIdle()).toBe(true);
  now = 600_000;
  const joining = join(conference);
  expect(await conference.endIdle()).toBe(false);
  await joining;
  expect(conference.size).toBe(1);
  await conference.remove(2, "left");
  expect(conference.isIdle()).toBe(false);
  now += 600_000;
  expect(await conference.endIdle()).toBe(true);
  expect(statements).toContain("close_conference");
  expect(statements).not.toContain("release_conference");
  await close();
});
