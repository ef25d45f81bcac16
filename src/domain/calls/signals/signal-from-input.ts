import { Fault } from "../../../core/errors";
import { newId } from "../../../core/random";
import { parseId } from "../../../core/text/ids";
import { nearestWord } from "../../../core/variables/edit-distance";
import { checkElement, checkText } from "../../../platform/xml/rules";
import type { FieldSignal, Party, SignalContent } from "./signal";
import type { SendSignalInput, SignalContentInput, SignalInput } from "./signal.input";
import { SIGNAL_FIELDS } from "./signal-fields";
import { type KnownType, SIGNAL_TYPES } from "./signal-types";
import { checkUserInfo } from "./user-info";
import { elementFromInput } from "./xml-element.type";

/** A signal to send: its type, its content, and the path of the content in the input, for errors. */
export interface SignalToSend {
  type: string;
  content: SignalContentInput;
  /** Prefix of field names in errors, such as `signal.call.`; empty for an input without one. */
  path: string;
}

/** The parties and the id of a signal to send. */
export type SignalEnvelope = Pick<SendSignalInput, "to" | "id">;

/**
 * Selects the one field of a @oneOf input. Checked here too, because compiled operations do not enforce @oneOf.
 * @throws Fault INVALID for no or several fields, and for `other` with a type of the protocol or a misspelled one
 */
export function selectSignal(input: SignalInput): SignalToSend {
  const given = Object.entries(input).filter(([, content]) => content);
  const [first] = given;
  if (!first || given.length > 1) {
    throw Fault.field("signal", `takes exactly one of ${SIGNAL_TYPES.join(", ")} and other`);
  }
  const [name, content] = first as [string, SignalContentInput];
  const path = `signal.${name}.`;
  if (name !== "other") return { type: name, content, path };
  const type = String(content.signalType);
  const similar = similarType(type);
  if (similar !== undefined) {
    throw Fault.field(
      `${path}signalType`,
      `must not be ${type}; did you mean the field ${similar}?`,
    );
  }
  return { type, content, path };
}

/** The type of the protocol that a word is or misspells, such as `hangUp` for `hangup`. */
function similarType(word: string): KnownType | undefined {
  const letters = word.slice(0, WORD_MAX).toLowerCase();
  const nearest = nearestWord(letters, LOWER_CASE_TYPES, letters.length < SHORT_WORD ? 1 : 2);
  return nearest === undefined ? undefined : SIGNAL_TYPES[LOWER_CASE_TYPES.indexOf(nearest)];
}

const LOWER_CASE_TYPES = SIGNAL_TYPES.map((type) => type.toLowerCase());
/** Longer words are no misspelling, and are not compared further. */
const WORD_MAX = 20;
/** Words of fewer letters are misspelled by one letter, others by two. */
const SHORT_WORD = 6;

/**
 * Converts a GraphQL input to a signal.
 * @throws Fault INVALID for a field that is empty although it is needed, or cannot be written as a stanza
 */
export function signalFromInput(
  from: Party,
  envelope: SignalEnvelope,
  { type, content, path }: SignalToSend,
): FieldSignal {
  const userId = parseId(envelope.to.userId);
  if (userId === null) throw Fault.field("to.userId", "is not an id");
  const to: Party = { applicationId: from.applicationId, userId };
  if (envelope.to.device) to.resource = envelope.to.device;
  const header = { id: envelope.id || newId(), from, to };
  checkHeader(header);
  try {
    return { ...header, ...contentFromInput(from, to, type, content) };
  } catch (error) {
    throw error instanceof Fault ? error.within(path) : error;
  }
}

function contentFromInput(from: Party, to: Party, type: string, content: SignalContentInput) {
  for (const { name, requiredBy } of SIGNAL_FIELDS) {
    const isRequired = (requiredBy as readonly string[]).includes(type);
    if (isRequired && !content[name]) throw Fault.field(name, `is required for ${type}`);
  }
  const signal: Pick<FieldSignal, "type"> & SignalContent = {
    type,
    extra: (content.extra ?? []).map(elementFromInput),
  };
  for (const { key, name, fromInput } of SIGNAL_FIELDS) {
    const value = content[name];
    // Null means none, so that a signal received without them can be sent again as it is.
    if (value === undefined || value === null) continue;
    Object.assign(signal, { [key]: fromInput(value as never) });
  }
  if (type === "call") {
    if (content.callerId === undefined) signal.callerId = String(from.userId);
    if (content.opponentIds === undefined) signal.opponentIds = [String(to.userId)];
  }
  if (content.parameters !== null && content.parameters !== undefined) {
    checkUserInfo(content.parameters, "parameters");
    signal.parameters = content.parameters;
  }
  checkContent(signal);
  return signal;
}

/**
 * Checks that a signal can be written as a stanza: its characters, names and depth.
 * @throws Fault INVALID on the field that cannot be written
 */
export function checkSignal(signal: FieldSignal): void {
  checkHeader(signal);
  checkContent(signal);
}

function checkHeader({ id, to }: Pick<FieldSignal, "id" | "to">): void {
  checkText("id", id);
  // The address is sent to a chat server unescaped.
  if (to.resource !== undefined) checkText("to.device", to.resource);
}

function checkContent(signal: Pick<FieldSignal, "type"> & SignalContent): void {
  checkText("signalType", signal.type);
  for (const { key, check } of SIGNAL_FIELDS) {
    const value = signal[key];
    if (value !== undefined) check(value as never);
  }
  if (signal.parameters) checkUserInfo(signal.parameters, "parameters");
  for (const element of signal.extra) checkElement("extra", element);
}
