/**
 * The states of a call and of its participants, as a pure function of the observed signals
 * (docs/SIGNALING-REFERENCE.md, "Call records and states"). Observations are stored as the earliest time of
 * each kind, so that processing signals is commutative and idempotent, on any node.
 */
import type { CalleeAnswer, CallState } from "../../../platform/store/generated/enums";
import { effectiveHangUps, type HangUp, withHangUp } from "./hang-ups";

export type { CalleeAnswer, CallState } from "../../../platform/store/generated/enums";

/** How long a call rings from its first `call` until it is missed, in milliseconds. */
export const RING_MS = 60_000;
/**
 * Interval between two repeats of a `call`, and tolerance for clock skew and network delay, in milliseconds.
 */
export const MARGIN_MS = 5_000;

/** What was observed of a called user. Times are milliseconds since the Unix epoch. */
export interface Callee {
  userId: number;
  /** When the first `call` was sent to this user. */
  rangAt: number;
  /** The effective answer, of any device. */
  answer: CalleeAnswer | null;
  answeredAt: number | null;
  /** The device that answered. */
  device: string | null;
  /** All observed hang-ups. */
  hangUps: readonly HangUp[];
  /** When this user first hung up, considering effective hang-ups only. */
  leftAt: number | null;
  /** When the caller first hung up on this user, considering effective hang-ups only. */
  droppedAt: number | null;
  /** When the ring time-out was detected. */
  expiredAt: number | null;
}

/** When no device of a callee rings any more, in milliseconds since the Unix epoch. */
const ringsUntil = ({ rangAt }: Pick<Callee, "rangAt">) => rangAt + RING_MS + MARGIN_MS;

/** An observation about one callee. */
export type Observation =
  | { kind: "answer"; answer: CalleeAnswer; at: number; device: string | null }
  | HangUp
  | { kind: "expired"; at: number };

/** The state of a participant, and when it ended. */
export interface ParticipantState {
  state: CallState;
  endedAt: number | null;
}

/** The derived state of a call and of its participants. */
export interface DerivedState extends ParticipantState {
  /** When the first callee accepted. */
  acceptedAt: number | null;
  caller: CallState;
  /** The states of the callees by user. */
  callees: Map<number, ParticipantState>;
}

/** What ends a call without a signal of its participants: times in milliseconds since the Unix epoch, or null. */
export interface UnsignalledEnds {
  /** When a member of the account ended it. */
  endedByMemberAt: number | null;
  /** When the last device in it was disconnected, once the call is lost. */
  lostAt: number | null;
}

const NO_ENDS: UnsignalledEnds = { endedByMemberAt: null, lostAt: null };

/** Creates a callee after its first `call`. */
export function startRinging(userId: number, at: number): Callee {
  const noAnswer = { answer: null, answeredAt: null, device: null };
  const noEnd = { hangUps: [], leftAt: null, droppedAt: null, expiredAt: null };
  return { userId, rangAt: at, ...noAnswer, ...noEnd };
}

/**
 * Applies an observation. An answer after the ring time-out, or an expiry before it, is ignored. The first
 * answer is effective, but an answer of a person takes precedence over an automatic one, since another device
 * of the user may be able to accept the call. A new answer re-evaluates all hang-ups, since only those that
 * concern the accepting device end its call.
 * @returns the same object if nothing changed
 */
export function observe(callee: Callee, observation: Observation): Callee {
  const { rangAt } = callee;
  const { at } = observation;
  switch (observation.kind) {
    case "answer": {
      if (at > ringsUntil(callee) || !takesPrecedence(observation, callee)) return callee;
      const given = { answer: observation.answer, answeredAt: at, device: observation.device };
      return {
        ...callee,
        ...given,
        ...effectiveHangUps(callee.hangUps, given, ringsUntil(callee)),
      };
    }
    case "left":
    case "dropped": {
      const hangUps = withHangUp(callee.hangUps, observation);
      if (hangUps === callee.hangUps) return callee;
      return { ...callee, hangUps, ...effectiveHangUps(hangUps, callee, ringsUntil(callee)) };
    }
    case "expired": {
      if (at < rangAt + RING_MS) return callee;
      return isEarlier(at, callee.expiredAt) ? { ...callee, expiredAt: at } : callee;
    }
  }
}

/** Applies a repeated `call` to the callee. */
export function repeatCall(callee: Callee, at: number): Callee {
  if (at >= callee.rangAt) return callee;
  const earlier = { ...callee, rangAt: at };
  return { ...earlier, ...effectiveHangUps(callee.hangUps, callee, ringsUntil(earlier)) };
}

/**
 * Derives the state of a call. It is active while a callee is ringing or has accepted: `accepted` once any
 * callee has accepted, `ringing` before. After its end it has the state that ranks first among the callees:
 * hung up after an accept, rejected, failed, missed, or hung up before any answer. An accepted call whose end
 * nobody signalled is lost once no device in it is connected. A member of the account may end an active call.
 * @param ends what ends the call without a signal of its participants, in milliseconds since the Unix epoch
 */
export function deriveState(
  startedAt: number,
  list: readonly Callee[],
  ends: UnsignalledEnds = NO_ENDS,
): DerivedState {
  const accepters = list.filter(hasAccepted);
  const callees = new Map(list.map((callee) => [callee.userId, stateOf(callee, accepters)]));
  const participants = [...callees.values()];
  const times = accepters.map(({ answeredAt }) => answeredAt ?? 0);
  const acceptedAt = times.length > 0 ? Math.min(...times) : null;
  if (participants.some(isActive)) {
    const callerLeft = list.every((callee) => {
      const participant = callees.get(callee.userId);
      return callee.droppedAt !== null || (participant !== undefined && !isActive(participant));
    });
    const end = unsignalledEnd(startedAt, acceptedAt, ends);
    if (end !== null) {
      for (const [userId, participant] of callees) {
        if (isActive(participant)) callees.set(userId, end);
      }
      return { ...end, acceptedAt, caller: callerLeft ? "hung_up" : end.state, callees };
    }
    const state = acceptedAt === null ? "ringing" : "accepted";
    return { state, endedAt: null, acceptedAt, caller: callerLeft ? "hung_up" : state, callees };
  }
  const endedAt = Math.max(startedAt, ...participants.map((each) => each.endedAt ?? 0));
  const state = acceptedAt === null ? highestRanked(participants) : "hung_up";
  return { state, endedAt, acceptedAt, caller: state, callees };
}

/** How an active call ends that no signal ends; null if it continues. */
function unsignalledEnd(
  startedAt: number,
  acceptedAt: number | null,
  { endedByMemberAt, lostAt }: UnsignalledEnds,
): ParticipantState | null {
  if (endedByMemberAt !== null) {
    return { state: "hung_up", endedAt: Math.max(startedAt, endedByMemberAt) };
  }
  if (acceptedAt === null || lostAt === null) return null;
  return { state: "lost", endedAt: Math.max(acceptedAt, lostAt) };
}

/** Why a callee's participation ended; null while it is active, or if its state is unambiguous. */
export function reasonOf(
  callee: Callee,
): "declined" | "busy" | "not_supported" | "cancelled" | null {
  const answer = effectiveAnswer(callee);
  if (answer === "decline") return "declined";
  if (answer === "busy") return "busy";
  if (answer === "unsupported") return "not_supported";
  const ended = endOf(callee);
  return answer === null && ended !== null && ended === callee.droppedAt ? "cancelled" : null;
}

/**
 * Why a call stopped ringing for a callee, and the device of the callee that answered it; of a call that is not ringing.
 * @param state the callee's
 */
export function ringEndOf(
  callee: Callee,
  state: CallState,
): {
  reason: "ANSWERED_ELSEWHERE" | "DECLINED_ELSEWHERE" | "CANCELLED" | "MISSED";
  device: string | null;
} {
  const answer = effectiveAnswer(callee);
  if (answer === "accept") return { reason: "ANSWERED_ELSEWHERE", device: callee.device };
  if (answer !== null) return { reason: "DECLINED_ELSEWHERE", device: callee.device };
  return { reason: state === "missed" ? "MISSED" : "CANCELLED", device: null };
}

/**
 * The user who ended a call by hanging up; null if nobody did, for example if it was declined or missed.
 * @param endedAt when the call ended; null while it is active
 */
export function hungUpBy(
  callerId: number | null,
  list: readonly Callee[],
  endedAt: number | null,
): number | null {
  if (endedAt === null) return null;
  const left = list.find(({ leftAt }) => leftAt === endedAt);
  if (left) return left.userId;
  return list.some(({ droppedAt }) => droppedAt === endedAt) ? callerId : null;
}

/** When a ringing callee becomes missed; null if it is not ringing. */
export function missedAt({ rangAt }: Callee, { state }: ParticipantState): number | null {
  return state === "ringing" ? rangAt + RING_MS : null;
}

function stateOf(callee: Callee, accepters: readonly Callee[]): ParticipantState {
  const { rangAt, answeredAt, leftAt, droppedAt, expiredAt } = callee;
  const answer = effectiveAnswer(callee);
  const ended = endOf(callee);
  if (answer === "accept") {
    const others = accepters.filter(({ userId }) => userId !== callee.userId);
    const alone = droppedAt !== null && others.every((other) => other.leftAt !== null);
    if (leftAt === null && !alone) return { state: "accepted", endedAt: null };
    const aloneAt = Math.max(droppedAt ?? 0, ...others.map((other) => other.leftAt ?? 0));
    return { state: "hung_up", endedAt: leftAt ?? aloneAt };
  }
  if (answer !== null) {
    return { state: answer === "unsupported" ? "failed" : "rejected", endedAt: answeredAt };
  }
  if (ended !== null) {
    // A caller who gives up after the last repeat does so because nobody answered.
    const timedOut = ended === droppedAt && ended - rangAt >= RING_MS - MARGIN_MS;
    return { state: timedOut ? "missed" : "hung_up", endedAt: ended };
  }
  if (expiredAt !== null) return { state: "missed", endedAt: rangAt + RING_MS };
  return { state: "ringing", endedAt: null };
}

/** The answer, unless either end had hung up before it. */
function effectiveAnswer(callee: Callee): CalleeAnswer | null {
  const ended = endOf(callee);
  const isEffective = callee.answeredAt !== null && (ended === null || callee.answeredAt < ended);
  return isEffective ? callee.answer : null;
}

const hasAccepted = (callee: Callee) => effectiveAnswer(callee) === "accept";

const isActive = ({ state }: ParticipantState) => state === "ringing" || state === "accepted";

/** When either end first hung up. */
function endOf({ leftAt, droppedAt }: Callee): number | null {
  if (leftAt === null || droppedAt === null) return leftAt ?? droppedAt;
  return Math.min(leftAt, droppedAt);
}

function highestRanked(participants: readonly ParticipantState[]): CallState {
  const states = new Set(participants.map(({ state }) => state));
  const ranking: CallState[] = ["rejected", "failed", "missed", "hung_up"];
  // A call without callees has failed.
  return ranking.find((state) => states.has(state)) ?? "failed";
}

const AUTOMATIC: readonly CalleeAnswer[] = ["busy", "unsupported"];

function takesPrecedence(
  { answer, at }: { answer: CalleeAnswer; at: number },
  known: Pick<Callee, "answer" | "answeredAt">,
): boolean {
  if (known.answer === null || known.answeredAt === null) return true;
  const [isAutomatic, wasAutomatic] = [
    AUTOMATIC.includes(answer),
    AUTOMATIC.includes(known.answer),
  ];
  if (isAutomatic !== wasAutomatic) return wasAutomatic;
  if (at !== known.answeredAt) return at < known.answeredAt;
  // A deterministic choice between simultaneous answers, whatever the order of observation.
  return answer < known.answer;
}

function isEarlier(at: number, known: number | null): boolean {
  return known === null || at < known;
}
