import { SIGNAL_TYPES } from "../../../src/domain/calls/signals/signal-types";

/** Converts a signal as tests write it, with its type beside its fields, to the input of sendSignal. */
export function sendInput(flat: object) {
  const { to, id, signalType, ...fields } = flat as Record<string, unknown>;
  const isKnown = (SIGNAL_TYPES as readonly unknown[]).includes(signalType);
  const signal = isKnown
    ? { [signalType as string]: fields }
    : { other: { signalType, ...fields } };
  return { to, ...(id !== undefined && { id }), signal };
}
