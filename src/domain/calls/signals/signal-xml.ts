import type { JsonObject } from "../../../core/json";
import {
  isPlain,
  plainText,
  TEXT,
  textElement,
  type XmlElement,
} from "../../../platform/xml/xml-element";
import type { FieldSignal, HeaderField, Signal, SignalContent, SignalHeader } from "./signal";
import { HEADER_FIELDS, SIGNAL_FIELDS, type SignalFields, toCrlf } from "./signal-fields";
import { fromElements, toElements } from "./user-info";

/**
 * The XML form of a signal's content: the element extraParams (docs/SIGNALING-REFERENCE.md).
 *
 * A child becomes a field only in its plain form: no attributes, the client namespace, only text or the expected
 * list, and the first with its name. Any other child is an element of `extra`.
 */

/** Name of the element that holds the content of a signal. */
export const PARAMS = "extraParams";
const MODULE = "WebRTCVideoChat";
const MODULE_IDENTIFIER = "moduleIdentifier";
const SIGNAL_TYPE = "signalType";

const IN_HEADER: ReadonlySet<string> = new Set(HEADER_FIELDS);
type Field = (typeof SIGNAL_FIELDS)[number];
const BY_ELEMENT: ReadonlyMap<string, Field> = new Map(
  SIGNAL_FIELDS.map((field) => [field.element, field]),
);
/** The names of elements that are no parameters of an `update`. */
const RESERVED = new Set([MODULE_IDENTIFIER, SIGNAL_TYPE, ...BY_ELEMENT.keys()]);

/** Elements that were read: the type, the fields, and the rest in the order sent. */
interface Decoded {
  type: string | undefined;
  /** Whether the identifier of this module is among them. */
  identified: boolean;
  fields: SignalFields;
  rest: XmlElement[];
}

function decode(elements: XmlElement[], wants: (field: Field) => boolean): Decoded {
  const result: Decoded = { type: undefined, identified: false, fields: {}, rest: [] };
  const seen = new Set<string>();
  for (const element of elements) {
    const isFirst = !seen.has(element.name);
    seen.add(element.name);
    if (!isFirst || !decodeElement(result, element, wants)) result.rest.push(element);
  }
  return result;
}

/** Decodes one element. Returns false if it is not in the plain form of a field. */
function decodeElement(
  result: Decoded,
  element: XmlElement,
  wants: (field: Field) => boolean,
): boolean {
  const field = BY_ELEMENT.get(element.name);
  if (field) {
    const value = wants(field) ? field.read(element) : undefined;
    if (value !== undefined) Object.assign(result.fields, { [field.key]: value });
    return value !== undefined;
  }
  if (element.name === MODULE_IDENTIFIER) {
    result.identified = plainText(element) === MODULE;
    return result.identified;
  }
  if (element.name !== SIGNAL_TYPE) return false;
  result.type = plainText(element);
  return result.type !== undefined;
}

/**
 * Reads the header of a signal from its extraParams.
 * @returns undefined if it is not a call signal: without the identifier of this module, or without a signalType,
 *   both in their plain form
 */
export function readHeader(
  params: XmlElement,
): Pick<SignalHeader, "type" | HeaderField> | undefined {
  const { type, identified, fields } = decode(childrenOf(params), ({ key }) => IN_HEADER.has(key));
  return identified && type ? { type, ...fields } : undefined;
}

/** Converts the line ends of the sdp in an extraParams to CRLF. */
export function normalizeSdp({ children = [] }: XmlElement): void {
  const sdp = children.find(({ name }) => name === "sdp");
  if (sdp?.text !== undefined && isPlain(sdp)) sdp.text = toCrlf(sdp.text);
}

/** The content of a signal; that of a stanza is decoded for each call. */
export function contentOfSignal(signal: Signal): SignalContent {
  if (!("stanza" in signal)) return signal;
  const { type, stanza } = signal;
  const children = childrenOf(stanza.params);
  const { fields, rest } = decode(children, () => true);
  if (type !== "update") return { ...fields, extra: rest };
  const { parameters, extra } = splitParameters(children, rest);
  return { ...fields, ...(parameters && { parameters }), extra };
}

/**
 * Decodes the parameters of an `update`: the elements without a field as members of a JSON object. Those of one
 * name must be adjacent and hold JSON; all others remain in `extra`.
 */
function splitParameters(
  children: XmlElement[],
  rest: XmlElement[],
): { parameters?: JsonObject; extra: XmlElement[] } {
  const runs: XmlElement[][] = [];
  for (const element of children) {
    const run = runs.at(-1);
    if (run?.[0]?.name === element.name) run.push(element);
    else runs.push([element]);
  }
  const count = new Map<string, number>();
  for (const [first] of runs) {
    if (first) count.set(first.name, (count.get(first.name) ?? 0) + 1);
  }
  const parameters: JsonObject = {};
  const decoded = new Set<XmlElement>();
  for (const run of runs) {
    const name = run[0]?.name ?? "";
    const json = RESERVED.has(name) || count.get(name) !== 1 ? undefined : fromElements(run);
    if (!json) continue;
    Object.assign(parameters, json);
    for (const element of run) decoded.add(element);
  }
  if (decoded.size === 0) return { extra: rest };
  return { parameters, extra: rest.filter((element) => !decoded.has(element)) };
}

/** The elements in an element; a run of text alone is a text element. */
function childrenOf({ text, children }: XmlElement): XmlElement[] {
  return text === undefined ? (children ?? []) : [{ name: TEXT, text }];
}

/** The element extraParams for the content of a signal, in canonical order. */
export function contentToElement(signal: FieldSignal): XmlElement {
  const elements = [textElement(MODULE_IDENTIFIER, MODULE), textElement(SIGNAL_TYPE, signal.type)];
  for (const { key, write } of SIGNAL_FIELDS) {
    const value = signal[key];
    if (value !== undefined) elements.push(write(value as never));
  }
  elements.push(...toElements(signal.parameters ?? {}), ...signal.extra);
  return { name: PARAMS, children: elements };
}
