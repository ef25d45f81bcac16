/**
 * The states of a call and of those who take part, as a function of what was seen of it (docs/SIGNALING.md
 * "Calls and their states"). What is seen is kept as the earliest time of each kind of thing, so it
 * does not matter in which order, how often, or by which node the signals are taken in.
 */
import type { CallAnswer, CallState } from "../../store/generated/enums";
import { countingOf, type HangUp, withHangUp } from "./hang-ups";

export type { CallAnswer, CallState } from "../../store/generated/enums";

/** Milliseconds from the first `call` after which a call that nobody accepted is missed. */
export const RING_MS = 60_000;
/** Milliseconds between two repeats of a `call`; also what clocks and ways may differ by. */
export const MARGIN_MS = 5_000;

/** What was seen of a user who was called. Times are milliseconds since the Unix epoch. */
export interface Callee {
  userId: number;
  /** When the first `call` went to this user. */
  rangAt: number;
  /** The answer that counts, of whichever device. */
  answer: CallAnswer | null;
  answeredAt: number | null;
  /** The device that gave it. */
  device: string | null;
  /** What was seen of hanging up. */
  hangUps: readonly HangUp[];
  /** When this user first hung up, as far as it counts. */
  leftAt: number | null;
  /** When the caller first hung up on this user, as far as it counts. */
  droppedAt: number | null;
  /** When it was found that nobody had answered in time. */
  expiredAt: number | null;
}

/** Something that was seen, of one callee. */
export type Sight =
  | { kind: "answer"; answer: CallAnswer; at: number; device: string | null }
  | HangUp
  | { kind: "expired"; at: number };

/** How far a part has come, and since when it is over. */
export interface Part {
  state: CallState;
  endedAt: number | null;
}

/** What follows for a call and everybody in it. */
export interface Judgement extends Part {
  /** When the first of them accepted. */
  acceptedAt: number | null;
  caller: CallState;
  /** The callees' parts by user. */
  callees: Map<number, Part>;
}

/** A callee of whom nothing was seen but the first `call`. */
export function ring(userId: number, at: number): Callee {
  const nothing = { answer: null, answeredAt: null, device: null };
  const over = { hangUps: [], leftAt: null, droppedAt: null, expiredAt: null };
  return { userId, rangAt: at, ...nothing, ...over };
}

/**
 * Takes something in. An answer after its time, or an end of waiting before it, says nothing. Of several
 * answers the first counts, save that one which a person gave counts before one that a client gave by
 * itself: another of the user's devices may be able to take the call. Who hung up is judged anew by each
 * answer, since only what the device that accepted has to do with ends its call.
 * @returns the same object when nothing changed
 */
export function see(callee: Callee, sight: Sight): Callee {
  const { rangAt } = callee;
  const { at } = sight;
  switch (sight.kind) {
    case "answer": {
      if (at > rangAt + RING_MS + MARGIN_MS || !comesBefore(sight, callee)) return callee;
      const given = { answer: sight.answer, answeredAt: at, device: sight.device };
      return { ...callee, ...given, ...countingOf(callee.hangUps, given) };
    }
    case "left":
    case "dropped": {
      const hangUps = withHangUp(callee.hangUps, sight);
      if (hangUps === callee.hangUps) return callee;
      return { ...callee, hangUps, ...countingOf(hangUps, callee) };
    }
    case "expired": {
      if (at < rangAt + RING_MS) return callee;
      return isEarlier(at, callee.expiredAt) ? { ...callee, expiredAt: at } : callee;
    }
  }
}

/** Takes in that a `call` went to the callee. */
export function ringAgain(callee: Callee, at: number): Callee {
  return at < callee.rangAt ? { ...callee, rangAt: at } : callee;
}

/**
 * What the call is now. It goes on while somebody talks or rings: `accepted` once anybody has accepted,
 * `ringing` before. When it is over it is what came furthest among the callees: hung up after talking,
 * else rejected, failed, missed, and hung up before anybody answered.
 */
export function judge(startedAt: number, list: readonly Callee[]): Judgement {
  const talkers = list.filter(hasTalked);
  const callees = new Map(list.map((each) => [each.userId, partOf(each, talkers)]));
  const parts = [...callees.values()];
  const times = talkers.map(({ answeredAt }) => answeredAt ?? 0);
  const acceptedAt = times.length > 0 ? Math.min(...times) : null;
  if (parts.some(isGoingOn)) {
    const state = acceptedAt === null ? "ringing" : "accepted";
    const left = list.every((each) => {
      const part = callees.get(each.userId);
      return each.droppedAt !== null || (part !== undefined && !isGoingOn(part));
    });
    return { state, endedAt: null, acceptedAt, caller: left ? "hung_up" : state, callees };
  }
  const endedAt = Math.max(startedAt, ...parts.map((part) => part.endedAt ?? 0));
  const state = acceptedAt === null ? furthest(parts) : "hung_up";
  return { state, endedAt, acceptedAt, caller: state, callees };
}

/** Why a callee's part ended as it did; null while it goes on, and where the state says it all. */
export function reasonOf(
  callee: Callee,
): "declined" | "busy" | "not_supported" | "cancelled" | null {
  const answer = standingAnswer(callee);
  if (answer === "decline") return "declined";
  if (answer === "busy") return "busy";
  if (answer === "unsupported") return "not_supported";
  const ended = endOf(callee);
  return answer === null && ended !== null && ended === callee.droppedAt ? "cancelled" : null;
}

/**
 * Who ended a call by hanging up; null where nobody did, as of one that was declined or missed.
 * @param endedAt when the call ended; null while it goes on
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

/** When a callee is missed unless something happens before; null once it does not ring. */
export function missedAt({ rangAt }: Callee, { state }: Part): number | null {
  return state === "ringing" ? rangAt + RING_MS : null;
}

function partOf(callee: Callee, talkers: readonly Callee[]): Part {
  const { rangAt, answeredAt, leftAt, droppedAt, expiredAt } = callee;
  const answer = standingAnswer(callee);
  const ended = endOf(callee);
  if (answer === "accept") {
    const others = talkers.filter(({ userId }) => userId !== callee.userId);
    const alone = droppedAt !== null && others.every((each) => each.leftAt !== null);
    if (leftAt === null && !alone) return { state: "accepted", endedAt: null };
    const lonely = Math.max(droppedAt ?? 0, ...others.map((each) => each.leftAt ?? 0));
    return { state: "hung_up", endedAt: leftAt ?? lonely };
  }
  if (answer !== null) {
    return { state: answer === "unsupported" ? "failed" : "rejected", endedAt: answeredAt };
  }
  if (ended !== null) {
    // A caller who gives up with the last repeat gave up because nobody answered.
    const waited = ended === droppedAt && ended - rangAt >= RING_MS - MARGIN_MS;
    return { state: waited ? "missed" : "hung_up", endedAt: ended };
  }
  if (expiredAt !== null) return { state: "missed", endedAt: rangAt + RING_MS };
  return { state: "ringing", endedAt: null };
}

/** The answer, unless somebody had hung up before. */
function standingAnswer(callee: Callee): CallAnswer | null {
  const ended = endOf(callee);
  const stands = callee.answeredAt !== null && (ended === null || callee.answeredAt < ended);
  return stands ? callee.answer : null;
}

const hasTalked = (callee: Callee) => standingAnswer(callee) === "accept";

const isGoingOn = ({ state }: Part) => state === "ringing" || state === "accepted";

/** When either end first hung up. */
function endOf({ leftAt, droppedAt }: Callee): number | null {
  if (leftAt === null || droppedAt === null) return leftAt ?? droppedAt;
  return Math.min(leftAt, droppedAt);
}

function furthest(parts: readonly Part[]): CallState {
  const states = new Set(parts.map(({ state }) => state));
  const order: CallState[] = ["rejected", "failed", "missed", "hung_up"];
  // Nobody was there to be called.
  return order.find((state) => states.has(state)) ?? "failed";
}

const BY_ITSELF: readonly CallAnswer[] = ["busy", "unsupported"];

function comesBefore(
  { answer, at }: { answer: CallAnswer; at: number },
  known: Pick<Callee, "answer" | "answeredAt">,
): boolean {
  if (known.answer === null || known.answeredAt === null) return true;
  const [given, had] = [BY_ITSELF.includes(answer), BY_ITSELF.includes(known.answer)];
  if (given !== had) return had;
  if (at !== known.answeredAt) return at < known.answeredAt;
  // Of two at one moment always the same, whichever is seen first.
  return answer < known.answer;
}

function isEarlier(at: number, known: number | null): boolean {
  return known === null || at < known;
}
