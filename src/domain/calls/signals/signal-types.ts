/** The signal types of the protocol, with the start of their descriptions. Other types are forwarded unchanged. */
export const SIGNAL_MEANINGS = {
  call: "Starts a call",
  accept: "Accepts a call",
  reject: "Declines a call",
  hangUp: "Ends a call",
  iceCandidates: "Sends ICE candidates",
  update: "Changes parameters of a call",
  iceRestart: "Offers an ICE restart",
  iceRestartAccept: "Accepts an ICE restart",
} as const;
/** A signal type of the protocol. */
export type KnownType = keyof typeof SIGNAL_MEANINGS;
/** The signal types of the protocol. */
export const SIGNAL_TYPES = Object.keys(SIGNAL_MEANINGS) as readonly KnownType[];

/** Name of the GraphQL type of a known signal type: `CallSignal` for `call`. */
export function signalTypeNameOf(type: KnownType): string {
  return `${type.charAt(0).toUpperCase()}${type.slice(1)}Signal`;
}

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
