import type { ConferenceParticipantState } from "../../src/domain/conferences/model/conference";
import type { ConferenceEvent } from "../../src/domain/conferences/model/conference-event";
import type {
  ConferenceService,
  JoinedConference,
} from "../../src/domain/conferences/model/conference-service";
import { JanusError } from "../../src/transports/janus-endpoint/protocol/janus-error";
import { Membership } from "../../src/transports/janus-endpoint/room/membership";

/** What a membership makes of events that come early, late or for another device. */

const REF = { conferenceId: 1, participantId: 5, generation: 2 };
const OWN = { id: 5, number: 105, name: "Own", publishing: false } as ConferenceParticipantState;
const OTHER = { id: 6, number: 106, name: "Other", publishing: true } as ConferenceParticipantState;

function open() {
  const log: unknown[] = [];
  const calls: string[] = [];
  const service = {
    leave: async () => void calls.push("leave"),
    subscribe: async () => async () => void calls.push("unsubscribe"),
  } as unknown as ConferenceService;
  const joined = { ref: REF, conference: {}, participants: [OWN] } as unknown as JoinedConference;
  const membership = new Membership(service, joined, "r", {
    event: (data) => log.push(data),
    up: () => log.push("up"),
    lost: () => log.push("lost"),
    whenDrained: async () => undefined,
  });
  membership.view.join([OWN]);
  const receive = (event: ConferenceEvent) => membership.receive({ cursor: "1", event });
  return { membership, log, calls, receive };
}

const joinedEvent: ConferenceEvent = {
  type: "participant-joined",
  sequence: 1,
  participant: OTHER,
};
const publishers = {
  videoroom: "event",
  room: "r",
  publishers: [{ id: 106, display: "Other" }],
};
const replaced = (generation: number): ConferenceEvent => ({
  type: "replaced",
  to: { participantId: 5, generation },
});
const codeOf = (membership: Membership) => {
  try {
    membership.requireActive();
    return null;
  } catch (error) {
    return (error as JanusError).code;
  }
};

test("events before the answer to the join are kept, in order", () => {
  const { membership, log, receive } = open();
  receive(joinedEvent);
  receive({ type: "participant-left", sequence: 2, participantId: 6, number: 106, reason: "left" });
  expect(log).toEqual([]);
  membership.start();
  expect(log).toEqual([publishers, { videoroom: "event", room: "r", leaving: 106 }]);
});

test("a device that is replaced before the answer is told so, and not lost", () => {
  const { membership, log, receive } = open();
  receive(replaced(2));
  membership.end();
  membership.start();
  expect(log).toEqual([expect.objectContaining({ error_code: 433 })]);
  expect(codeOf(membership)).toBe(433);
});

test("an end without a reason is a loss, also before the answer", () => {
  for (const early of [true, false]) {
    const { membership, log, calls } = open();
    if (!early) membership.start();
    membership.end();
    if (early) membership.start();
    membership.end();
    expect(log).toEqual(["lost"]);
    // The seat waits for the client.
    expect(calls).not.toContain("leave");
  }
});

test("events for another generation or participant are not this device's", () => {
  const { membership, log, receive } = open();
  membership.start();
  receive(replaced(1));
  receive(replaced(3));
  receive({ type: "replaced", to: { participantId: 6, generation: 2 } });
  expect(log).toEqual([]);
  expect(codeOf(membership)).toBeNull();
});

test("nothing is passed on after the end", async () => {
  const { membership, log, receive, calls } = open();
  await membership.subscribe();
  membership.start();
  await membership.leave();
  await membership.leave();
  receive(joinedEvent);
  membership.end();
  expect(log).toEqual([]);
  expect(calls.sort()).toEqual(["leave", "unsubscribe"]);
  expect(codeOf(membership)).toBe(424);
});

test("a subscription that is ready after the end is ended", async () => {
  const { membership, calls } = open();
  const subscribing = membership.subscribe();
  membership.release();
  await subscribing;
  expect(calls).toEqual(["unsubscribe"]);
});

test("a snapshot without the own participant is a loss", () => {
  const { membership, log, receive } = open();
  membership.start();
  const conference = {} as never;
  receive({ type: "snapshot", sequence: 3, conference, participants: [OWN, OTHER] });
  expect(log).toEqual([publishers]);
  receive({ type: "snapshot", sequence: 4, conference, participants: [OTHER] });
  expect(log).toEqual([publishers, "lost"]);
});

test.each([
  "left",
  "session-ended",
  "conference-closed",
  "link-withdrawn",
] as const)("to have left with reason %s is a loss", (reason) => {
  const { membership, log, receive } = open();
  membership.start();
  receive({ type: "participant-left", sequence: 2, participantId: 5, number: 105, reason });
  expect(log).toEqual(["lost"]);
});

test("a peer connection that ends before its request is answered is reported once", () => {
  const { membership, receive } = open();
  membership.start();
  const to = { participantId: 5, generation: 2 };
  receive({ type: "peer-closed", to, peer: "p", reason: "failed" });
  const reasons: string[] = [];
  membership.watchPeer("p", (reason) => reasons.push(reason));
  receive({ type: "peer-closed", to, peer: "p", reason: "failed" });
  expect(reasons).toHaveLength(1);
});

test("media that flows is reported each time that it starts", () => {
  const { membership, log, receive } = open();
  membership.start();
  for (const publishing of [true, true, false, true]) {
    const participant = { ...OWN, publishing };
    receive({ type: "participant-updated", sequence: 1, participant, rejoined: false });
  }
  expect(log).toEqual(["up", "up"]);
});
