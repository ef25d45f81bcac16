import { hash } from "node:crypto";
import { inTurns } from "../../../../core/loads/in-turns";
import type { CallSignalKind } from "../../../../platform/store/generated/enums";
import { isKnownType } from "../../signals/signal-types";

export type { CallSignalKind } from "../../../../platform/store/generated/enums";

/** Candidates from one device to another within this time are one entry, in milliseconds. */
export const CANDIDATES_MS = 10_000;
/**
 * Maximum number of entries of a call's timeline. Signals that start, answer or end it have {@link CONTROL_ENTRIES} more;
 * whatever they leave of the sum is free for others, up to this number.
 */
export const TIMELINE_ENTRIES = 200;
/** Entries that are kept for the signals that start, answer or end the call, so that others never displace these. */
export const CONTROL_ENTRIES = 50;
/**
 * Maximum number of signals, or of entries, that one turn of the event loop processes. A whole batch delayed the signals
 * that arrived meanwhile by several milliseconds.
 */
export const TURN_MAX = 64;
/** Kinds of signals that start, answer or end a call. */
export const CONTROL_KINDS = ["call", "accept", "reject", "hangUp"] as const;

/** Where and when a signal belongs in a timeline; it holds nothing of the signal's contents. */
export interface TimedSignal {
  kind: CallSignalKind;
  /** When the router accepted it, in milliseconds since the Unix epoch. */
  at: number;
  from: number;
  to: number;
  fromDevice: string | null;
  /** Null for all devices of the recipient. */
  toDevice: string | null;
}

/** An entry of a timeline, to be written. */
export interface TimelineEntry extends TimedSignal {
  callId: number;
  key: string;
  lastAt: number;
  count: number;
}

/** The kind of a signal by its type, which clients choose. */
export function signalKind(type: string): CallSignalKind {
  return isKnownType(type) ? type : "other";
}

/** Whether signals of a kind start, answer or end a call. */
export function isControl(kind: CallSignalKind): boolean {
  return CONTROL_KINDS.some((each) => each === kind);
}

/**
 * Makes the entries of signals. A repeat of a signal that starts, answers or ends the call belongs to the entry of the
 * first one; candidates from one device to another are counted by entries of ten seconds; every other signal is an
 * entry. Signals of one entry have one key, whichever nodes record them and in whichever order.
 */
export async function timelineEntries(
  signals: ReadonlyArray<{ callId: number; signal: TimedSignal }>,
): Promise<TimelineEntry[]> {
  const entries = new Map<string, TimelineEntry>();
  await inTurns(signals, TURN_MAX, ({ callId, signal }) => {
    const key = keyOf(signal);
    const known = entries.get(`${callId} ${key}`);
    if (known) {
      known.at = Math.min(known.at, signal.at);
      known.lastAt = Math.max(known.lastAt, signal.at);
      known.count += 1;
    } else {
      entries.set(`${callId} ${key}`, { ...signal, callId, key, lastAt: signal.at, count: 1 });
    }
  });
  return [...entries.values()].map((entry) =>
    entry.kind === "iceCandidates" ? entry : { ...entry, lastAt: entry.at, count: 1 },
  );
}

/** What signals of one entry have in common, as a UUID. */
function keyOf({ kind, at, from, to, fromDevice, toDevice }: TimedSignal): string {
  const part = isControl(kind) ? 0 : kind === "iceCandidates" ? Math.floor(at / CANDIDATES_MS) : at;
  const text = JSON.stringify([kind, part, from, fromDevice, to, toDevice]);
  return hash("sha256", text, "hex").slice(0, 32);
}
