import type { CallAnswer } from "../../store/generated/enums";

/** Somebody hung up on a callee's part of a call. */
export interface HangUp {
  /** `left`: the callee hung up; `dropped`: the caller did, on the callee. */
  kind: "left" | "dropped";
  /** Milliseconds since the Unix epoch. */
  at: number;
  /** The callee's device that hung up, or that was hung up on; null for all of them. */
  device: string | null;
}

/** Devices that are told apart, of each kind: those that came first. */
export const DEVICES_MAX = 8;

/**
 * Takes in that somebody hung up. Of each kind and device the earliest is kept, and of many devices the
 * earliest ones, so that it does not matter in which order they are seen.
 * @returns the same list when nothing changed
 */
export function withHangUp(list: readonly HangUp[], seen: HangUp): readonly HangUp[] {
  const known = list.find(({ kind, device }) => kind === seen.kind && device === seen.device);
  if (known && known.at <= seen.at) return list;
  const others = list.filter((each) => each !== known);
  const alike = [...others.filter(({ kind }) => kind === seen.kind), seen].sort(inOrder);
  // What is for all devices counts whatever is accepted, so it is no matter of room.
  const kept = [
    ...alike.filter(({ device }) => device === null),
    ...alike.filter(({ device }) => device !== null).slice(0, DEVICES_MAX),
  ];
  if (!known && !kept.includes(seen)) return list;
  return [...others.filter(({ kind }) => kind !== seen.kind), ...kept];
}

/**
 * When somebody first hung up, as far as it counts: of a callee who accepted, what another device did or
 * was told is no end of the call. That one stops ringing, as a rule.
 */
export function countingOf(
  list: readonly HangUp[],
  { answer, device }: { answer: CallAnswer | null; device: string | null },
): { leftAt: number | null; droppedAt: number | null } {
  const counts = ({ device: hung }: HangUp) =>
    answer !== "accept" || device === null || hung === null || hung === device;
  const first = (kind: HangUp["kind"]) => {
    const times = list.filter((each) => each.kind === kind && counts(each)).map(({ at }) => at);
    return times.length > 0 ? Math.min(...times) : null;
  };
  return { leftAt: first("left"), droppedAt: first("dropped") };
}

function inOrder(a: HangUp, b: HangUp): number {
  if (a.at !== b.at) return a.at - b.at;
  return (a.device ?? "") < (b.device ?? "") ? -1 : 1;
}

/** What a row holds: of one from before devices were told apart, times for all of them. */
export function storedHangUps(
  list: HangUp[] | null,
  { leftAt, droppedAt }: { leftAt: number | null; droppedAt: number | null },
): HangUp[] {
  if (list !== null) return list;
  return [
    ...(leftAt === null ? [] : [{ kind: "left", at: leftAt, device: null } as const]),
    ...(droppedAt === null ? [] : [{ kind: "dropped", at: droppedAt, device: null } as const]),
  ];
}
