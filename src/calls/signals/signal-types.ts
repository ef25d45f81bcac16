/** The signal types of the protocol; other types of the module are forwarded unchanged. */
export const SIGNAL_TYPES = [
  "call",
  "accept",
  "reject",
  "hangUp",
  "iceCandidates",
  "update",
  "iceRestart",
  "iceRestartAccept",
] as const;
/** One of {@link SIGNAL_TYPES}. */
export type KnownType = (typeof SIGNAL_TYPES)[number];

/** The signals that start, answer or end a call. An inbox evicts the sender's other signals before them. */
const CALL_CONTROL: readonly string[] = [
  "call",
  "accept",
  "reject",
  "hangUp",
] satisfies KnownType[];

/** Whether a signal starts, answers or ends a call. */
export function isCallControl({ type }: { type: string }): boolean {
  return CALL_CONTROL.includes(type);
}

/** Whether a type is one of {@link SIGNAL_TYPES}. */
export function isKnownType(type: string): type is KnownType {
  return (SIGNAL_TYPES as readonly string[]).includes(type);
}
