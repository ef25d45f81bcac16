import type { ConferenceParticipantState } from "../../src/domain/conferences/model/conference";
import type { ConferenceEvent } from "../../src/domain/conferences/model/conference-event";
import { RoomView } from "../../src/transports/janus-endpoint/room/room-view";
import { type Random, seededRandom } from "../../tools/seeded-random";

/** What a legacy client is told of a conference. */

const OWN = 1;
const participant = (
  number: number,
  changes: Partial<ConferenceParticipantState> = {},
): ConferenceParticipantState => ({
  id: number,
  number,
  kind: "user",
  name: `User ${number}`,
  device: "d",
  moderator: false,
  joinedAt: "2026-01-01T00:00:00Z",
  publishing: false,
  screen: false,
  audioMuted: null,
  videoMuted: null,
  ...changes,
});
const open = (...participants: ConferenceParticipantState[]) => {
  const view = new RoomView("r", OWN);
  return { view, joined: view.join([participant(OWN), ...participants]) };
};
const updated = (
  state: ConferenceParticipantState,
  rejoined = false,
): Extract<ConferenceEvent, { type: "participant-updated" }> => ({
  type: "participant-updated",
  sequence: 1,
  participant: state,
  rejoined,
});
const event = (fields: object) => ({ videoroom: "event", room: "r", ...fields });

test("a join shows those whose media flows as publishers, the others as attendees, never oneself", () => {
  const { joined } = open(
    participant(2, { publishing: true }),
    participant(3),
    participant(4, { screen: true }),
  );
  expect(joined).toEqual({
    publishers: [{ id: 2, display: "User 2" }],
    attendees: [
      { id: 3, display: "User 3" },
      { id: 4, display: "User 4" },
    ],
  });
});

test("media that starts and ends is announced and unpublished", () => {
  const { view } = open(participant(2));
  const publishing = participant(2, { publishing: true });
  expect(view.apply(updated(publishing))).toEqual([
    event({ publishers: [{ id: 2, display: "User 2" }] }),
  ]);
  expect(view.apply(updated({ ...publishing, audioMuted: true }))).toEqual([]);
  expect(view.apply(updated(participant(2)))).toEqual([event({ unpublished: 2 })]);
  expect(view.apply(updated(participant(2)))).toEqual([]);
});

test("a device that replaces another is leaving, and announced again", () => {
  const { view } = open(participant(2, { publishing: true }));
  expect(view.apply(updated(participant(2, { publishing: true, device: "e" }), true))).toEqual([
    event({ leaving: 2 }),
    event({ publishers: [{ id: 2, display: "User 2" }] }),
  ]);
});

test("a late event of an earlier membership removes nobody", () => {
  const { view } = open(participant(2, { id: 22, publishing: true }));
  const left = {
    type: "participant-left",
    sequence: 1,
    participantId: 2,
    number: 2,
    reason: "left",
  } as const;
  expect(view.apply(left)).toEqual([]);
  expect(view.isPublishing(2)).toBe(true);
  expect(view.apply({ ...left, participantId: 22 })).toEqual([event({ leaving: 2 })]);
});

test("one's own changes are not announced", () => {
  const { view } = open();
  expect(view.apply(updated(participant(OWN, { publishing: true })))).toEqual([]);
  expect(view.apply(updated(participant(OWN), true))).toEqual([]);
});

/** A random change of a conference, with the event of it. */
function change(
  random: Random,
  participants: Map<number, ConferenceParticipantState>,
  ids: { next: number },
) {
  const number = 2 + random(4);
  const known = participants.get(number);
  if (!known) {
    ids.next += 1;
    const state = participant(number, { id: ids.next, publishing: random(4) === 0 });
    participants.set(number, state);
    return { type: "participant-joined", sequence: 1, participant: state } as const;
  }
  const kind = random(5);
  if (kind === 0) {
    participants.delete(number);
    const { id: participantId } = known;
    return {
      type: "participant-left",
      sequence: 1,
      participantId,
      number,
      reason: "left",
    } as const;
  }
  const state = { ...known, publishing: random(2) === 0, screen: random(2) === 0 };
  participants.set(number, state);
  return updated(state, kind === 1);
}

test("whatever happens, also if events are lost: a client shows those who publish, each once", () => {
  const random = seededRandom(7);
  for (let run = 0; run < 300; run += 1) {
    const { view } = open();
    const participants = new Map<number, ConferenceParticipantState>([[OWN, participant(OWN)]]);
    const ids = { next: 100 };
    const shown = new Set<number>();
    const take = (received: Record<string, unknown>) => {
      for (const { id } of (received.publishers ?? []) as Array<{ id: number }>) {
        expect(shown.has(id)).toBe(false);
        expect(id).not.toBe(OWN);
        shown.add(id);
      }
      for (const gone of [received.leaving, received.unpublished]) shown.delete(gone as number);
    };
    for (let step = 0; step < 40; step += 1) {
      const next = change(random, participants, ids);
      if (random(5) > 0) {
        for (const received of view.apply(next)) take(received);
        continue;
      }
      // The event is lost: the whole state follows.
      const snapshot: Extract<ConferenceEvent, { type: "snapshot" }> = {
        type: "snapshot",
        sequence: 1,
        conference: {} as never,
        participants: [...participants.values()],
      };
      for (const received of view.apply(snapshot)) take(received);
    }
    const publishing = [...participants.values()].filter((each) => each.publishing);
    expect([...shown].sort()).toEqual(publishing.map(({ number }) => number).sort());
  }
});
