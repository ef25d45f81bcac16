import type { Json, JsonObject } from "../../src/core/json";
import { type CallEvent, toCallEvent } from "../../src/domain/calls/history/call-event";
import {
  type Callee,
  type CalleeAnswer,
  deriveState,
  hungUpBy,
  MARGIN_MS,
  missedAt,
  type Observation,
  observe,
  RING_MS,
  reasonOf,
  repeatCall,
  ringEndOf,
  startRinging,
} from "../../src/domain/calls/history/call-states";
import { HANG_UP_DEVICES_MAX, storedHangUps } from "../../src/domain/calls/history/hang-ups";
import {
  asOwnCall,
  CALLEES_MAX,
  expireRinging,
  matchEvent,
  type RecordedCall,
} from "../../src/domain/calls/history/recorded-calls";
import type { Signal } from "../../src/domain/calls/signals/signal";

/** The derived states of a call, and the matching of signals to calls. */

const START = 1_000_000;
const [ANN, BOB, CLEO, DAN] = [1, 2, 3, 4];
const answer = (kind: CalleeAnswer, after: number, device = "phone"): Observation => ({
  kind: "answer",
  answer: kind,
  at: START + after,
  device,
});
const left = (after: number, device: string | null = null): Observation => ({
  kind: "left",
  at: START + after,
  device,
});
const dropped = (after: number, device: string | null = null): Observation => ({
  kind: "dropped",
  at: START + after,
  device,
});
const expired = (after: number): Observation => ({ kind: "expired", at: START + after });
const bob = (...observations: Observation[]) =>
  observations.reduce(observe, startRinging(BOB, START));
const cleo = (...observations: Observation[]) =>
  observations.reduce(observe, startRinging(CLEO, START));

/** States of the call, of the caller and of the callees in their order. */
function statesOf(...callees: Callee[]): string[] {
  const { state, caller, callees: parts } = deriveState(START, callees);
  return [state, caller, ...[...parts.values()].map((part) => part.state)];
}

/** All permutations of a list. */
function orders<T>(list: T[]): T[][] {
  if (list.length < 2) return [list];
  return list.flatMap((first, index) =>
    orders(list.filter((_, at) => at !== index)).map((rest) => [first, ...rest]),
  );
}

/** What ends a lost call. */
const lostAt = (at: number) => ({ endedByMemberAt: null, lostAt: at });

describe("a call between two users", () => {
  test.each([
    ["nothing", [], "ringing", null],
    ["an accept", [answer("accept", 900)], "accepted", null],
    ["a decline", [answer("decline", 900)], "rejected", "declined"],
    ["a busy device", [answer("busy", 900)], "rejected", "busy"],
    ["a device without support", [answer("unsupported", 900)], "failed", "not_supported"],
    ["a caller who gives up", [dropped(20_000)], "hung_up", "cancelled"],
    ["a callee who hangs up unanswered", [left(900)], "hung_up", null],
    ["a minute", [expired(RING_MS)], "missed", null],
    ["less than a minute", [expired(RING_MS - 1)], "ringing", null],
    ["a caller who gives up after a minute", [dropped(RING_MS - 10)], "missed", "cancelled"],
    [
      "an accept and a hang-up of the callee",
      [answer("accept", 900), left(5_000)],
      "hung_up",
      null,
    ],
    [
      "an accept and a hang-up of the caller",
      [answer("accept", 900), dropped(5_000)],
      "hung_up",
      null,
    ],
    [
      "a decline and a hang-up of the caller",
      [answer("decline", 1), dropped(2)],
      "rejected",
      "declined",
    ],
    [
      "an accept after the caller gave up",
      [dropped(900), answer("accept", 950)],
      "hung_up",
      "cancelled",
    ],
    ["an accept in the last second", [answer("accept", RING_MS + MARGIN_MS)], "accepted", null],
    ["an accept too late", [answer("accept", RING_MS + MARGIN_MS + 1)], "ringing", null],
    [
      "a missed call that is accepted late",
      [expired(RING_MS), answer("accept", 70_000)],
      "missed",
      null,
    ],
    [
      "an accept recorded after the time-out",
      [expired(RING_MS), answer("accept", 59_000)],
      "accepted",
      null,
    ],
    [
      "a decline recorded after the time-out",
      [expired(RING_MS), answer("decline", 59_000)],
      "rejected",
      "declined",
    ],
    [
      "a second device that declines",
      [answer("accept", 900), answer("decline", 950)],
      "accepted",
      null,
    ],
    [
      "a second device that accepts",
      [answer("decline", 900), answer("accept", 950)],
      "rejected",
      "declined",
    ],
    [
      "another device with support",
      [answer("unsupported", 5), answer("accept", 900)],
      "accepted",
      null,
    ],
    [
      "another device that is not busy",
      [answer("busy", 5), answer("decline", 900)],
      "rejected",
      "declined",
    ],
    [
      "a device that hangs up after another has accepted",
      [answer("accept", 5_000, "desk"), left(30_000, "phone")],
      "accepted",
      null,
    ],
    [
      "a device that hangs up before another accepts",
      [left(3_000, "phone"), answer("accept", 5_000, "desk")],
      "accepted",
      null,
    ],
    [
      "another device that hangs up when none can ring any more",
      [answer("accept", 5_000, "desk"), left(RING_MS + MARGIN_MS + 1, "phone")],
      "hung_up",
      null,
    ],
    [
      "another device that is hung up on when none can ring any more",
      [answer("accept", 5_000, "desk"), dropped(RING_MS + MARGIN_MS + 1, "phone")],
      "hung_up",
      null,
    ],
    [
      "another device that hangs up while one might still ring",
      [answer("accept", 5_000, "desk"), left(RING_MS + MARGIN_MS, "phone")],
      "accepted",
      null,
    ],
    [
      "a second device that is hung up on",
      [answer("accept", 5_000, "desk"), answer("accept", 5_100, "phone"), dropped(5_200, "phone")],
      "accepted",
      null,
    ],
    [
      "hang-ups of one device after the other",
      [answer("accept", 5_000, "desk"), left(6_000, "phone"), left(9_000, "desk")],
      "hung_up",
      null,
    ],
    [
      "a hang-up of the caller on the accepting device",
      [answer("accept", 5_000, "desk"), dropped(5_200, "phone"), dropped(9_000, "desk")],
      "hung_up",
      null,
    ],
    [
      "a hang-up of the caller on all devices before one accepts",
      [dropped(4_000), dropped(4_500, "desk"), answer("accept", 5_000, "desk")],
      "hung_up",
      "cancelled",
    ],
    ["a device that hangs up unanswered", [left(3_000, "phone")], "hung_up", null],
    [
      "a device that hangs up before another declines",
      [left(3_000, "phone"), answer("decline", 5_000, "desk")],
      "hung_up",
      null,
    ],
  ] as Array<
    [string, Observation[], string, string | null]
  >)("after %s", (_, observations, state, reason) => {
    for (const order of orders(observations)) {
      // In any order, and with duplicates.
      const callee = bob(...order, ...order);
      expect(statesOf(callee)).toEqual([state, state, state]);
      expect(reasonOf(callee)).toBe(reason);
    }
  });

  test("has the times of its accept and end, and the user who ended it", () => {
    const talked = bob(answer("accept", 900, "desk"), left(5_000));
    expect(deriveState(START, [talked])).toMatchObject({
      acceptedAt: START + 900,
      endedAt: START + 5_000,
    });
    expect(talked.device).toBe("desk");
    expect(hungUpBy(ANN, [talked], START + 5_000)).toBe(BOB);
    // A late hang-up does not end the call.
    expect(hungUpBy(ANN, [observe(talked, dropped(7_000))], START + 5_000)).toBe(BOB);
    const dropping = bob(answer("accept", 900), dropped(6_000));
    expect(deriveState(START, [dropping])).toMatchObject({ endedAt: START + 6_000 });
    expect(hungUpBy(ANN, [dropping], START + 6_000)).toBe(ANN);
    expect(hungUpBy(ANN, [bob(answer("decline", 5), dropped(9))], START + 5)).toBeNull();
    expect(deriveState(START, [bob()])).toMatchObject({ acceptedAt: null, endedAt: null });
    expect(hungUpBy(ANN, [bob()], null)).toBeNull();
    expect(deriveState(START, [bob(expired(61_000))])).toMatchObject({
      acceptedAt: null,
      endedAt: START + RING_MS,
    });
    expect(deriveState(START, [bob(answer("busy", 3))])).toMatchObject({ endedAt: START + 3 });
  });

  test("ends when the accepting device hangs up, not before", () => {
    const observations = [answer("accept", 900, "desk"), left(2_000, "phone"), left(5_000, "desk")];
    for (const order of orders(observations)) {
      const talked = bob(...order);
      expect(deriveState(START, [talked])).toMatchObject({ endedAt: START + 5_000 });
      expect(hungUpBy(ANN, [talked], START + 5_000)).toBe(BOB);
    }
  });

  test("keeps the hang-ups of a limited number of devices, in any order", () => {
    const names = Array.from({ length: 3 * HANG_UP_DEVICES_MAX }, (_, n) => `made-up-${n}`);
    const observations = [
      ...names.flatMap((name, n) => [left(1_000 + n, name), left(900 + n, name)]),
      answer("accept", 500, "made-up-2"),
      dropped(7_000),
      left(8_000),
    ];
    const one = bob(...observations);
    expect(one.hangUps).toHaveLength(HANG_UP_DEVICES_MAX + 2);
    expect(one).toMatchObject({ leftAt: START + 902, droppedAt: START + 7_000 });
    for (let turn = 1; turn < observations.length; turn += 1) {
      const order = [...observations.slice(turn), ...observations.slice(0, turn)];
      for (const list of [order, order.reverse()]) {
        const other = bob(...list);
        expect(new Set(other.hangUps)).toEqual(new Set(one.hangUps));
        expect({ ...other, hangUps: [] }).toEqual({ ...one, hangUps: [] });
      }
    }
  });

  test("treats the hang-ups of an older row without devices as of all devices", () => {
    const row = { leftAt: 5, droppedAt: null };
    expect(storedHangUps(null, row)).toEqual([{ kind: "left", at: 5, device: null }]);
    expect(storedHangUps([], row)).toEqual([]);
  });

  test("keeps the first device of several that accept", () => {
    const both = [answer("accept", 900, "desk"), answer("accept", 901, "phone")];
    for (const order of orders(both)) expect(bob(...order).device).toBe("desk");
    const same = [answer("accept", 900), answer("decline", 900)];
    for (const order of orders(same)) expect(bob(...order).answer).toBe("accept");
  });

  test("rings for a minute from the first `call`, whichever is observed first", () => {
    const later = startRinging(BOB, START + 5_000);
    expect(repeatCall(later, START).rangAt).toBe(START);
    expect(repeatCall(later, START + 10_000)).toBe(later);
    const part = { state: "ringing", endedAt: null } as const;
    expect(missedAt(bob(), part)).toBe(START + RING_MS);
    expect(missedAt(bob(), { state: "accepted", endedAt: null })).toBeNull();
  });

  test("is the same object when nothing changes", () => {
    const talked = bob(answer("accept", 900), left(5_000), dropped(5_001));
    for (const observation of [answer("accept", 900), left(5_000), dropped(6_000), expired(1)]) {
      expect(observe(talked, observation)).toBe(talked);
    }
  });
});

test.each([
  [[answer("accept", 1_000)], "ANSWERED_ELSEWHERE", "phone"],
  [[answer("accept", 1_000), left(5_000)], "ANSWERED_ELSEWHERE", "phone"],
  [[answer("decline", 1_000)], "DECLINED_ELSEWHERE", "phone"],
  [[answer("busy", 1_000)], "DECLINED_ELSEWHERE", "phone"],
  [[answer("unsupported", 1_000)], "DECLINED_ELSEWHERE", "phone"],
  [[dropped(1_000), answer("accept", 2_000)], "CANCELLED", null],
  [[left(1_000)], "CANCELLED", null],
  [[dropped(RING_MS - MARGIN_MS)], "MISSED", null],
  [[expired(RING_MS)], "MISSED", null],
])("the end of a ring has its reason and the device that answered: %j", (seen, reason, device) => {
  const callee = bob(...seen);
  const state = deriveState(START, [callee]).callees.get(BOB)?.state ?? "ringing";
  expect(ringEndOf(callee, state)).toEqual({ reason, device });
});

describe("a call between several users", () => {
  test.each<[string, Callee[], states: string[]]>([
    ["nobody has answered", [bob(), cleo()], ["ringing", "ringing", "ringing", "ringing"]],
    [
      "one has accepted",
      [bob(answer("accept", 9)), cleo()],
      ["accepted", "accepted", "accepted", "ringing"],
    ],
    [
      "one declined, one rings",
      [bob(answer("decline", 9)), cleo()],
      ["ringing", "ringing", "rejected", "ringing"],
    ],
    [
      "one declined, one missed it",
      [bob(answer("decline", 9)), cleo(expired(RING_MS))],
      ["rejected", "rejected", "rejected", "missed"],
    ],
    [
      "one has no support, one missed it",
      [bob(answer("unsupported", 9)), cleo(expired(RING_MS))],
      ["failed", "failed", "failed", "missed"],
    ],
    [
      "one missed it, one was cancelled",
      [bob(expired(RING_MS)), cleo(dropped(9))],
      ["missed", "missed", "missed", "hung_up"],
    ],
    [
      "one accepted, one missed it",
      [bob(answer("accept", 9)), cleo(expired(RING_MS))],
      ["accepted", "accepted", "accepted", "missed"],
    ],
    [
      "one accepted and hung up, one declined",
      [bob(answer("accept", 9), left(99)), cleo(answer("decline", 9))],
      ["hung_up", "hung_up", "hung_up", "rejected"],
    ],
    [
      "one accepted and hung up, one still rings",
      [bob(answer("accept", 9), left(99)), cleo()],
      ["accepted", "accepted", "hung_up", "ringing"],
    ],
    [
      "one left, two stay",
      [bob(answer("accept", 9), left(99)), cleo(answer("accept", 9))],
      ["accepted", "accepted", "hung_up", "accepted"],
    ],
    [
      "the caller left, two stay",
      [bob(answer("accept", 9), dropped(99)), cleo(answer("accept", 9), dropped(99))],
      ["accepted", "hung_up", "accepted", "accepted"],
    ],
    [
      "the caller left, then one callee",
      [bob(answer("accept", 9), dropped(99), left(200)), cleo(answer("accept", 9), dropped(99))],
      ["hung_up", "hung_up", "hung_up", "hung_up"],
    ],
    [
      "the caller left while one was ringing",
      [bob(answer("accept", 9), dropped(99)), cleo(dropped(99))],
      ["hung_up", "hung_up", "hung_up", "hung_up"],
    ],
    ["there is no callee", [], ["failed", "failed"]],
  ])("%s", (_, callees, states) => {
    expect(statesOf(...callees)).toEqual(states);
  });

  test("is lost for everybody who was in it when no device was connected any more", () => {
    const callees = [bob(answer("accept", 9)), cleo(answer("decline", 9))];
    const lost = deriveState(START, callees, lostAt(START + 500));
    expect(lost).toMatchObject({ state: "lost", endedAt: START + 500, caller: "lost" });
    expect([...lost.callees.values()]).toEqual([
      { state: "lost", endedAt: START + 500 },
      { state: "rejected", endedAt: START + 9 },
    ]);
    // Not before somebody has accepted, nor once somebody has hung up.
    expect(deriveState(START, [bob()], lostAt(START + 500)).state).toBe("ringing");
    const ended = [bob(answer("accept", 9), left(400))];
    expect(deriveState(START, ended, lostAt(START + 500))).toMatchObject({
      state: "hung_up",
      endedAt: START + 400,
    });
    const callerLeft = [bob(answer("accept", 9)), cleo(answer("accept", 9), dropped(99))];
    expect(deriveState(START, [...callerLeft], lostAt(START + 500)).caller).toBe("lost");
  });

  test("is hung up for everybody who was in it when a member of the account ended it", () => {
    const byMember = { endedByMemberAt: START + 500, lostAt: null };
    const callees = [bob(answer("accept", 9)), cleo(answer("decline", 9))];
    const ended = deriveState(START, callees, byMember);
    expect(ended).toMatchObject({ state: "hung_up", endedAt: START + 500, caller: "hung_up" });
    expect([...ended.callees.values()]).toEqual([
      { state: "hung_up", endedAt: START + 500 },
      { state: "rejected", endedAt: START + 9 },
    ]);
    expect(deriveState(START, [bob()], byMember)).toMatchObject({
      state: "hung_up",
      acceptedAt: null,
      endedAt: START + 500,
    });
    expect(deriveState(START, callees, { ...byMember, lostAt: START + 400 })).toEqual(ended);
    // A hang-up of before, which is recorded later, has ended the call.
    const earlier = [bob(answer("accept", 9), left(400))];
    expect(deriveState(START, earlier, byMember)).toMatchObject({ endedAt: START + 400 });
  });

  test("ends for the last user when the second last leaves", () => {
    const callees = [
      bob(answer("accept", 9), dropped(99), left(200)),
      cleo(answer("accept", 9), dropped(99)),
    ];
    const derived = deriveState(START, callees);
    expect(derived.callees.get(CLEO)).toEqual({ state: "hung_up", endedAt: START + 200 });
    expect(derived.endedAt).toBe(START + 200);
    expect(hungUpBy(ANN, callees, derived.endedAt)).toBe(BOB);
  });
});

describe("a signal is applied to a call", () => {
  let calls: RecordedCall[];
  const known = (id: number, callerId: number | null, ...callees: number[]): RecordedCall => ({
    id,
    applicationId: 7,
    callId: "s",
    callerId,
    startedAt: START,
    state: "ringing",
    unreachableSince: null,
    lost: false,
    endedByMemberAt: null,
    callees: new Map(callees.map((userId) => [userId, startRinging(userId, START)])),
    pushed: new Set(),
  });
  const timed = {
    kind: "call",
    at: START,
    from: ANN,
    to: BOB,
    fromDevice: null,
    toDevice: null,
  } as const;
  const parties = { at: START + 500, applicationId: 7, callId: "s", signal: timed };
  const call = (from: number, to: number, initiator = from): CallEvent => ({
    ...parties,
    kind: "call",
    from,
    to,
    initiator,
    callType: 1,
    hasSubscribers: true,
    invitation: { opponentIds: [], userInfo: null },
  });
  const accept = (from: number, to: number): CallEvent => ({
    ...parties,
    kind: "answer",
    answer: "accept",
    from,
    to,
    device: "phone",
  });
  const reject = (from: number, to: number): CallEvent => ({
    ...parties,
    kind: "answer",
    answer: "decline",
    from,
    to,
    device: "phone",
  });
  const hangUp = (from: number, to: number): CallEvent => ({
    ...parties,
    kind: "hangUp",
    from,
    to,
    device: "phone",
    toDevice: null,
  });
  const states = () =>
    calls.map(({ startedAt, callees }) => deriveState(startedAt, [...callees.values()]).state);
  beforeEach(() => {
    calls = [known(1, ANN, BOB)];
  });

  test("between its caller and its callee", () => {
    expect(matchEvent(calls, accept(BOB, ANN))).toEqual([calls[0]]);
    expect(states()).toEqual(["accepted"]);
    expect(matchEvent(calls, { ...hangUp(ANN, BOB), at: START + 900 })).toEqual([calls[0]]);
    expect(states()).toEqual(["hung_up"]);
  });

  test.each<[string, CallEvent]>([
    ["a stranger hangs up on the caller", hangUp(DAN, ANN)],
    ["a stranger hangs up on the callee", hangUp(DAN, BOB)],
    ["a stranger accepts", accept(DAN, ANN)],
    ["a stranger declines", reject(DAN, ANN)],
    ["the callee hangs up on a stranger", hangUp(BOB, DAN)],
    ["the callee sends an accept to a stranger", accept(BOB, DAN)],
    ["it is of another application", { ...hangUp(BOB, ANN), applicationId: 8 }],
    ["it is of another session", { ...hangUp(BOB, ANN), callId: "S" }],
    ["a stranger calls on behalf of the caller", call(DAN, BOB, ANN)],
    ["the callee calls a stranger on behalf of the caller", call(BOB, DAN, ANN)],
    ["a stranger uses the sessionID", call(DAN, BOB)],
  ])("not when %s", (_, event) => {
    const before = structuredClone(calls);
    expect(matchEvent(calls, event)).toEqual([]);
    expect(calls).toEqual(before);
  });

  test("not when the caller answers", () => {
    const before = structuredClone(calls);
    for (const event of [accept(ANN, BOB), reject(ANN, BOB)]) matchEvent(calls, event);
    expect(calls).toEqual(before);
  });

  test("of two callers with one sessionID: to the one between the two users", () => {
    calls = [known(1, ANN, BOB, CLEO), known(2, DAN, ANN, BOB)];
    matchEvent(calls, accept(BOB, ANN));
    expect(states()).toEqual(["accepted", "ringing"]);
    matchEvent(calls, reject(BOB, DAN));
    expect(calls[1]?.callees.get(BOB)?.answer).toBe("decline");
    expect(calls[0]?.callees.get(BOB)?.answer).toBe("accept");
  });

  test("when a device that did not accept hangs up or is hung up on: without effect on the accepting one", () => {
    matchEvent(calls, accept(BOB, ANN));
    matchEvent(calls, { ...hangUp(BOB, ANN), at: START + 900, device: "desk" } as CallEvent);
    matchEvent(calls, { ...hangUp(ANN, BOB), at: START + 900, toDevice: "desk" } as CallEvent);
    expect(states()).toEqual(["accepted"]);
    matchEvent(calls, { ...hangUp(ANN, BOB), at: START + 950, toDevice: "phone" } as CallEvent);
    expect(states()).toEqual(["hung_up"]);
  });

  test("that was lost: a later signal of any kind corrects it, an earlier one does not", () => {
    matchEvent(calls, accept(BOB, ANN));
    const lost = { unreachableSince: START + 700, lost: true };
    for (const event of [
      { ...accept(BOB, ANN), kind: "other" } as CallEvent,
      hangUp(BOB, ANN),
      call(ANN, BOB),
    ]) {
      Object.assign(calls[0] ?? {}, lost);
      matchEvent(calls, { ...event, at: START + 700 });
      expect(calls[0]).toMatchObject(lost);
      matchEvent(calls, { ...event, at: START + 701 });
      expect(calls[0]).toMatchObject({ unreachableSince: null, lost: false });
    }
  });

  test("that a member of the account ended: an earlier signal counts, a later one does not", () => {
    const ended = { endedByMemberAt: START + 700 };
    Object.assign(calls[0] ?? {}, ended);
    for (const event of [accept(BOB, ANN), hangUp(BOB, ANN), hangUp(ANN, BOB), call(ANN, DAN)]) {
      const before = JSON.stringify([...(calls[0]?.callees.values() ?? [])]);
      // It is matched, so that the timeline has it.
      expect(matchEvent(calls, { ...event, at: START + 701 })).toEqual([calls[0]]);
      expect(JSON.stringify([...(calls[0]?.callees.values() ?? [])])).toBe(before);
    }
    matchEvent(calls, { ...hangUp(ANN, BOB), at: START + 700 });
    expect(calls[0]?.callees.get(BOB)?.droppedAt).toBe(START + 700);
  });

  test("when two users call each other with one sessionID: to the call that each answers", () => {
    calls = [known(1, ANN, BOB), known(2, BOB, ANN)];
    matchEvent(calls, accept(BOB, ANN));
    expect(states()).toEqual(["accepted", "ringing"]);
    matchEvent(calls, { ...hangUp(BOB, ANN), at: START + 900 });
    expect(states()).toEqual(["hung_up", "hung_up"]);
  });

  test("in a group call also between callees, where a reject only concerns the two of them", () => {
    calls = [known(1, ANN, BOB, CLEO)];
    expect(matchEvent(calls, call(BOB, CLEO, ANN))).toEqual([calls[0]]);
    expect(matchEvent(calls, reject(CLEO, BOB))).toEqual([calls[0]]);
    expect(calls[0]?.callees.get(CLEO)?.answer).toBeNull();
    expect(matchEvent(calls, accept(CLEO, BOB))).toEqual([calls[0]]);
    expect(calls[0]?.callees.get(CLEO)?.answer).toBe("accept");
    expect(matchEvent(calls, { ...hangUp(CLEO, BOB), at: START + 900 })).toEqual([calls[0]]);
    expect(calls[0]?.callees.get(CLEO)?.leftAt).toBe(START + 900);
  });

  test("when its caller invites users, up to a limit; repeats count once", () => {
    for (let user = CLEO; user < CLEO + 2 * CALLEES_MAX; user += 1) {
      for (let repeat = 0; repeat < 3; repeat += 1) matchEvent(calls, call(ANN, user));
    }
    expect(calls[0]?.callees.size).toBe(CALLEES_MAX);
  });

  test("of a deleted caller, between the remaining participants", () => {
    calls = [known(1, null, BOB, CLEO)];
    expect(matchEvent(calls, hangUp(BOB, CLEO))).toEqual([calls[0]]);
    expect(calls[0]?.callees.get(BOB)?.leftAt).toBe(START + 500);
  });

  test("as the sender's own, when it names a caller without such a call", () => {
    expect(asOwnCall(call(DAN, BOB, ANN))).toEqual(call(DAN, BOB));
    expect(asOwnCall(hangUp(DAN, BOB))).toEqual(hangUp(DAN, BOB));
  });

  test("and the ring time-out applies after a minute", () => {
    calls[0]?.callees.set(CLEO, startRinging(CLEO, START + 30_000));
    for (const each of calls) expireRinging(each, START + RING_MS);
    expect(calls.map(({ callees }) => [...callees.values()].map((each) => each.expiredAt))).toEqual(
      [[START + RING_MS, null]],
    );
  });
});

describe("the call event of a signal", () => {
  const party = (userId: number) => ({ applicationId: 7, userId, resource: "phone" });
  const signal = (fields: Partial<Signal>): Signal => ({
    id: "i",
    from: party(ANN),
    to: party(BOB),
    type: "call",
    callId: "s",
    extra: [],
    ...fields,
  });
  const read = (fields: Partial<Signal>, hasSubscribers = true) =>
    toCallEvent(
      { protocol: "xmpp", cursor: "c", hasSubscribers, ofUser: false, signal: signal(fields) },
      START,
    );

  test.each<[string, Partial<Signal>]>([
    ["without a sessionID", { callId: undefined }],
    ["with an empty sessionID", { callId: "" }],
    ["with a sessionID that is too long", { callId: "s".repeat(256) }],
    ["between devices of one user", { to: party(ANN) }],
  ])("is null: %s", (_, fields) => {
    expect(read(fields)).toBeNull();
  });

  test("is a call of the named caller, or of its sender", () => {
    const expected: Partial<CallEvent & { kind: "call" }> = {
      kind: "call",
      from: ANN,
      to: BOB,
      initiator: 9,
      callType: 2,
      hasSubscribers: false,
    };
    expect(read({ callType: "2", callerId: "9" }, false)).toMatchObject(expected);
    for (const callerId of [undefined, "", "x", "-1", "0", "1e3", "99999999999999999999"]) {
      expect(read({ callerId })).toMatchObject({ initiator: ANN });
    }
    expect(read({ callType: "3" })).toMatchObject({ callType: null });
    expect(read({ callId: "ß".repeat(255) })).toMatchObject({ callId: "ß".repeat(255) });
  });

  test.each<[CalleeAnswer, Signal["userInfo"]]>([
    ["decline", undefined],
    ["decline", { busy: "false" }],
    ["decline", { reason: "busy" }],
    ["busy", { busy: true }],
    ["busy", { busy: "true" }],
    ["busy", { busy: 1 }],
    ["unsupported", { not_supported: "1" }],
    ["unsupported", { not_supported: 1, busy: true }],
  ])("is the answer %s for a reject with %j", (kind, userInfo) => {
    expect(read({ type: "reject", userInfo })).toMatchObject({ kind: "answer", answer: kind });
  });

  test("is a hang-up by a device, on one device or on all", () => {
    expect(read({ type: "hangUp" })).toMatchObject({ device: "phone", toDevice: "phone" });
    const to = { applicationId: 7, userId: BOB };
    expect(read({ type: "hangUp", to })).toMatchObject({ device: "phone", toDevice: null });
  });

  test("is an accept by the sending device", () => {
    expect(read({ type: "accept" })).toMatchObject({ answer: "accept", device: "phone" });
  });

  test("has userInfo for a push only if it is small", () => {
    const ids = ["2", "2", "x", "3", "4", "5", "6", "7"];
    expect(read({ opponentIds: ids, userInfo: { topic: "x" } })).toMatchObject({
      invitation: { opponentIds: [2, 3, 4], userInfo: { topic: "x" } },
    });
    const deep = (levels: number): Json => (levels === 0 ? "x" : { a: deep(levels - 1) });
    expect(read({ userInfo: { a: deep(17), b: -1.5e-300 } })).not.toMatchObject({
      invitation: { userInfo: null },
    });
    // Signals may contain what a push cannot carry; it is omitted, and the call is recorded.
    const refused: JsonObject[] = [
      { topic: "x".repeat(1_024) },
      { id: 1e20 },
      { a: [1, -(2 ** 53)] },
      { a: deep(18) },
    ];
    for (const userInfo of refused) {
      expect(read({ userInfo })).toMatchObject({
        kind: "call",
        invitation: { opponentIds: [], userInfo: null },
      });
    }
  });
});
