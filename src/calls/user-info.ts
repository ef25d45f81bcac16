import { Fault } from "../core/errors";
import type { Json, JsonObject, XmlElement } from "./signal";
import { ELEMENT_DEPTH, isXmlName, isXmlText } from "./xml-form";

/**
 * userInfo as JSON and as XML. The same rules hold for the parameters of an `update`.
 *
 * JSON to XML, each key one element:
 * - a string is the element's text;
 * - `true`, `false` and a number are their JSON text (`<busy>true</busy>`);
 * - `null`, `""` and `{}` are an empty element;
 * - an object is nested elements;
 * - an array is its elements one after the other, all of the key's name; an empty one writes nothing.
 *
 * XML to JSON:
 * - text is a string, whatever it looks like: `true` stays the text "true";
 * - an empty element is `""`;
 * - elements inside an element are an object;
 * - elements of one name that stand side by side are an array; one alone is itself.
 *
 * Not JSON, and therefore kept as the elements they are: attributes, a namespace other than the
 * parent's, text beside elements, elements of one name with others between them, and the name
 * `__proto__`. Not XML, and therefore refused: an array in an array, a key that is no XML name, a
 * character that XML does not allow, a number that is not finite, and depth beyond the stanza's.
 */

/** The one name of XML that no JSON object should carry. */
const FORBIDDEN_KEY = "__proto__";

/**
 * Checks that a value can be written as userInfo.
 * @param field the input field that is named in the fault
 * @throws Fault INVALID that says what is wrong and where
 */
export function checkUserInfo(value: unknown, field = "userInfo"): asserts value is JsonObject {
  const refuse = (path: string, message: string): never => {
    throw Fault.field(field, path ? `${message}, at ${path}` : message);
  };
  const check = (item: unknown, path: string, depth: number): void => {
    if (item === null || typeof item === "boolean") return;
    if (typeof item === "string") {
      if (!isXmlText(item)) refuse(path, "holds a character that XML does not allow");
      return;
    }
    if (typeof item === "number") {
      if (!Number.isFinite(item)) refuse(path, "holds a number that JSON does not allow");
      return;
    }
    if (typeof item !== "object") {
      refuse(path, "holds a value that is not JSON");
      return;
    }
    if (depth >= ELEMENT_DEPTH) refuse(path, `nests deeper than ${ELEMENT_DEPTH} levels`);
    for (const [key, inner] of Object.entries(item)) {
      const at = path ? `${path}.${key}` : key;
      if (!isXmlName(key) || key === FORBIDDEN_KEY) {
        refuse(path, `has the key ${JSON.stringify(key)}, which is no XML name`);
      }
      for (const entry of Array.isArray(inner) ? inner : [inner]) {
        if (Array.isArray(entry)) refuse(at, "holds an array in an array");
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
  if (value === null || value === "") return { name };
  if (typeof value !== "object") return { name, text: String(value) };
  const children = toElements(value as JsonObject);
  return children.length > 0 ? { name, children } : { name };
}

/** The elements of a JSON object that {@link checkUserInfo} accepts, in the order of its keys. */
export function toElements(value: JsonObject): XmlElement[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    Array.isArray(inner) ? inner.map((item) => toElement(name, item)) : [toElement(name, inner)],
  );
}

function toValue(element: XmlElement): Json | undefined {
  const { name, namespace, attributes, text, children } = element;
  if (namespace !== undefined || attributes || name === FORBIDDEN_KEY || !isXmlName(name)) {
    return undefined;
  }
  return children && children.length > 0 ? fromElements(children) : (text ?? "");
}

/** The JSON object that these elements are, or undefined when they are not JSON. */
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
