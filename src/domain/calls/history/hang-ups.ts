import type { CalleeAnswer } from "../../../platform/store/generated/enums";

/** A hang-up between the caller and a callee. */
export interface HangUp {
  /** `left`: the callee hung up; `dropped`: the caller hung up on the callee. */
  kind: "left" | "dropped";
  /** Milliseconds since the Unix epoch. */
  at: number;
  /** The callee's device that sent or received it; null if it concerns the whole user. */
  device: string | null;
}

/** Maximum number of devices per kind; the earliest are kept. */
export const HANG_UP_DEVICES_MAX = 8;

/**
 * Adds a hang-up to a list. For each kind and device only the earliest is kept, and only the earliest
 * devices, so that the order of observation does not matter.
 * @returns the same list if nothing changed
 */
export function withHangUp(list: readonly HangUp[], hangUp: HangUp): readonly HangUp[] {
  const known = list.find(({ kind, device }) => kind === hangUp.kind && device === hangUp.device);
  if (known && known.at <= hangUp.at) return list;
  const others = list.filter((other) => other !== known);
  const sameKind = [...others.filter(({ kind }) => kind === hangUp.kind), hangUp].sort(compare);
  // A hang-up for all devices is always effective, so it does not count against the limit.
  const kept = [
    ...sameKind.filter(({ device }) => device === null),
    ...sameKind.filter(({ device }) => device !== null).slice(0, HANG_UP_DEVICES_MAX),
  ];
  if (!known && !kept.includes(hangUp)) return list;
  return [...others.filter(({ kind }) => kind !== hangUp.kind), ...kept];
}

/**
 * The times of the first effective hang-ups. After an accept, hang-ups that concern other devices are not
 * effective while these may still ring: they usually only stop the ringing there. Later ones are of a device that
 * has taken the call over, such as a client that has signed in again.
 * @param ringsUntil when the last device has stopped ringing, in milliseconds since the Unix epoch
 */
export function effectiveHangUps(
  list: readonly HangUp[],
  { answer, device }: { answer: CalleeAnswer | null; device: string | null },
  ringsUntil: number,
): { leftAt: number | null; droppedAt: number | null } {
  const isEffective = (hangUp: HangUp) =>
    answer !== "accept" ||
    device === null ||
    hangUp.device === null ||
    hangUp.device === device ||
    hangUp.at > ringsUntil;
  const first = (kind: HangUp["kind"]) => {
    const effective = list.filter((hangUp) => hangUp.kind === kind && isEffective(hangUp));
    return effective.length > 0 ? Math.min(...effective.map(({ at }) => at)) : null;
  };
  return { leftAt: first("left"), droppedAt: first("dropped") };
}

function compare(a: HangUp, b: HangUp): number {
  if (a.at !== b.at) return a.at - b.at;
  return (a.device ?? "") < (b.device ?? "") ? -1 : 1;
}

/** Hang-ups from a stored row. An older row without a list has one time per kind, for all devices. */
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
