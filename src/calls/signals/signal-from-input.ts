import { Fault } from "../../core/errors";
import { newId } from "../../core/random";
import { parseId } from "../../core/text/ids";
import { checkElement, checkText } from "../../xml/rules";
import type { FieldSignal, Party } from "./signal";
import type { SendSignalInput } from "./signal.input";
import { SIGNAL_FIELDS } from "./signal-fields";
import { checkUserInfo } from "./user-info";
import { elementFromInput } from "./xml-element.type";

/** The input of a signal; beside the declared members it has those of the table of fields. */
type Input = SendSignalInput & { [name: string]: unknown };

/**
 * Converts a GraphQL input to a signal.
 * @throws Fault INVALID for a field that is missing or that cannot be written as a stanza
 */
export function signalFromInput(from: Party, given: SendSignalInput): FieldSignal {
  const input = given as Input;
  const { signalType: type } = input;
  for (const { name, requiredBy } of SIGNAL_FIELDS) {
    const isRequired = (requiredBy as readonly string[]).includes(type);
    if (isRequired && !input[name]) throw Fault.field(name, `is required for ${type}`);
  }
  const userId = parseId(input.to.userId);
  if (userId === null) throw Fault.field("to.userId", "is not an id");
  const signal: FieldSignal = {
    id: input.id || newId(),
    from,
    to: { applicationId: from.applicationId, userId },
    type,
    extra: (input.extra ?? []).map(elementFromInput),
  };
  if (input.to.device) signal.to.resource = input.to.device;
  for (const { key, name, fromInput } of SIGNAL_FIELDS) {
    const value = input[name];
    // Null means none, so that a signal received without them can be sent again as it is.
    if (value === undefined || value === null) continue;
    Object.assign(signal, { [key]: fromInput(value as never) });
  }
  if (type === "call") {
    if (input.callerId === undefined) signal.callerId = String(from.userId);
    if (input.opponentIds === undefined) signal.opponentIds = [String(userId)];
  }
  if (input.parameters !== null && input.parameters !== undefined) {
    checkUserInfo(input.parameters, "parameters");
    signal.parameters = input.parameters;
  }
  checkSignal(signal);
  return signal;
}

/**
 * Checks that a signal can be written as a stanza: its characters, names and depth.
 * @throws Fault INVALID on the field that cannot be written
 */
export function checkSignal(signal: FieldSignal): void {
  checkText("id", signal.id);
  checkText("signalType", signal.type);
  // The address is sent to a chat server unescaped.
  if (signal.to.resource !== undefined) checkText("to.device", signal.to.resource);
  for (const { key, check } of SIGNAL_FIELDS) {
    const value = signal[key];
    if (value !== undefined) check(value as never);
  }
  if (signal.parameters) checkUserInfo(signal.parameters, "parameters");
  for (const element of signal.extra) checkElement("extra", element);
}
