import { encodeCursor } from "./cursor";
import type { Party, Signal } from "./signal";
import type { SignalPartyType, SignalType, UpdateSignal } from "./signal.type";
import { SIGNAL_FIELDS } from "./signal-fields";
import { contentOfSignal } from "./signal-xml";
import { elementToGraphql } from "./xml-element.type";

/** Converts a signal and its cursor to the GraphQL type. */
export function signalToGraphql(
  cursor: string,
  signal: Signal,
  mayHaveMissed = false,
): SignalType & Pick<UpdateSignal, "parameters"> {
  const content = contentOfSignal(signal);
  const result = {
    id: signal.id,
    cursor: encodeCursor(cursor, signal.to.userId),
    from: partyToGraphql(signal.from),
    to: partyToGraphql(signal.to),
    signalType: signal.type,
    parameters: content.parameters ?? null,
    extra: content.extra.map(elementToGraphql),
    mayHaveMissed,
  };
  for (const { key, name, toOutput } of SIGNAL_FIELDS) {
    const value = content[key];
    (result as Record<string, unknown>)[name] =
      value === undefined ? null : toOutput(value as never);
  }
  return result;
}

/** Converts a party to its GraphQL type. */
export function partyToGraphql({ applicationId, userId, resource }: Party): SignalPartyType {
  return { applicationId, userId, device: resource ?? null };
}
