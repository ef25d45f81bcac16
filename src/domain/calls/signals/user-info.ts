import { Fault } from "../../../core/errors";
import type { Json, JsonObject } from "../../../core/json";
import { ELEMENT_DEPTH, isXmlName, isXmlText } from "../../../platform/xml/rules";
import {
  isPlain,
  parentElement,
  textElement,
  type XmlElement,
} from "../../../platform/xml/xml-element";

/**
 * Conversion of userInfo between JSON and XML. The same rules apply to the parameters of an `update`.
 *
 * JSON to XML, one element per key:
 * - a string becomes the element's text;
 * - `true`, `false` and a number become their JSON text (`<busy>true</busy>`);
 * - `null`, `""` and `{}` become an empty element;
 * - an object becomes nested elements;
 * - an array becomes consecutive elements with the key's name; an empty array is dropped.
 *
 * XML to JSON:
 * - text becomes a string, even if it looks like another type: `true` becomes "true";
 * - an empty element becomes `""`;
 * - child elements become an object;
 * - consecutive elements of the same name become an array; a single one becomes its value.
 *
 * XML without a JSON form is kept as elements: attributes, a namespace other than the parent's, text beside
 * elements, elements of one name with others between them, and the name `__proto__`. JSON without an XML form
 * is refused: nested arrays, keys that are not XML names, characters that XML does not allow, numbers that
 * are not finite, and nesting deeper than a stanza's.
 */

/** A valid XML name that is unsafe as a key of a JSON object. */
const FORBIDDEN_KEY = "__proto__";

/**
 * Checks that a value can be written as userInfo.
 * @param field the input field to name in the fault
 * @throws Fault INVALID with the problem and its path
 */
export function checkUserInfo(value: unknown, field = "userInfo"): asserts value is JsonObject {
  const refuse = (path: string, message: string): never => {
    throw Fault.field(field, path ? `${message}, at ${path}` : message);
  };
  const check = (item: unknown, path: string, depth: number): void => {
    if (item === null || typeof item === "boolean") return;
    if (typeof item === "string") {
      if (!isXmlText(item)) refuse(path, "contains a character that XML does not allow");
      return;
    }
    if (typeof item === "number") {
      if (!Number.isFinite(item)) refuse(path, "contains a number that JSON does not allow");
      return;
    }
    if (typeof item !== "object") {
      refuse(path, "contains a value that is not JSON");
      return;
    }
    if (depth >= ELEMENT_DEPTH) refuse(path, `nests deeper than ${ELEMENT_DEPTH} levels`);
    for (const [key, inner] of Object.entries(item)) {
      const at = path ? `${path}.${key}` : key;
      if (!isXmlName(key) || key === FORBIDDEN_KEY) {
        refuse(path, `has the key ${JSON.stringify(key)}, which is not an XML name`);
      }
      for (const entry of Array.isArray(inner) ? inner : [inner]) {
        if (Array.isArray(entry)) refuse(at, "contains a nested array");
        check(entry, at, depth + 1);
      }
    }
  };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse("", "must be an object");
  }
  check(value, "", 1);
}

function toElement(name: string, value: Json): XmlElement {
  if (value === null) return { name };
  if (typeof value !== "object") return textElement(name, String(value));
  return parentElement(name, toElements(value as JsonObject));
}

/** Converts a JSON object that {@link checkUserInfo} accepts to elements, in the order of its keys. */
export function toElements(value: JsonObject): XmlElement[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    Array.isArray(inner) ? inner.map((item) => toElement(name, item)) : [toElement(name, inner)],
  );
}

function toValue(element: XmlElement): Json | undefined {
  const { name, text, children } = element;
  if (!isPlain(element) || name === FORBIDDEN_KEY || !isXmlName(name)) return undefined;
  return children && children.length > 0 ? fromElements(children) : (text ?? "");
}

/** Converts elements to a JSON object; undefined if they have no JSON form. */
export function fromElements(elements: XmlElement[]): JsonObject | undefined {
  const result: JsonObject = {};
  let previous: string | undefined;
  for (const element of elements) {
    const value = toValue(element);
    if (value === undefined) return undefined;
    const { name } = element;
    if (!Object.hasOwn(result, name)) result[name] = value;
    else if (name !== previous) return undefined;
    else {
      const before = result[name] as Json;
      if (Array.isArray(before)) before.push(value);
      else result[name] = [before, value];
    }
    previous = name;
  }
  return result;
}
