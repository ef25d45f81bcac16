import { Fault } from "../../core/errors";
import { TEXT, type XmlElement } from "./xml-element";

/**
 * Checks that names and texts are valid XML (XML 1.0 fifth edition; Namespaces in XML 1.0). A signal is
 * checked on entry, so that every accepted signal can be written for every protocol.
 */

/** Maximum nesting of an element inside `extraParams`; a stanza may have 32 levels. */
export const ELEMENT_DEPTH = 28;

const RESERVED = new Set(["http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"]);

/** A faster pre-check: it also matches the surrogates of valid pairs. */
const SUSPECT = /[\0-\x08\x0B\x0C\x0E-\x1F\uD800-\uDFFF\uFFFE\uFFFF]/;
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const NAME_START =
  /^[A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\u{10000}-\u{EFFFF}]/u;
const NAME =
  /^[-.0-9\u00B7A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u037D\u037F-\u1FFF\u200C-\u200D\u203F-\u2040\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\u{10000}-\u{EFFFF}]+$/u;

/** Whether the text is an XML name without a colon (NCName). */
export function isXmlName(text: string): boolean {
  return NAME_START.test(text) && NAME.test(text);
}

/**
 * Whether the text is valid in XML 1.0: no control characters except TAB, LF and CR, and no lone surrogates.
 */
export function isXmlText(text: string): boolean {
  return !SUSPECT.test(text) || !FORBIDDEN.test(text);
}

/**
 * @param field the input field to name in the fault
 * @throws Fault INVALID when the text contains a character that XML does not allow
 */
export function checkText(field: string, text: string): void {
  if (!isXmlText(text)) throw Fault.field(field, "contains a character that XML does not allow");
}

/**
 * @param field the input field to name in the fault
 * @throws Fault INVALID for attributes that one element cannot have
 */
export function checkAttributes(field: string, attributes: Record<string, string>): void {
  const qualified = new Set<string>();
  for (const [name, value] of Object.entries(attributes)) {
    checkText(field, value);
    const [prefix, local, more] = name.includes(":") ? name.split(":") : ["", name];
    const isValidName =
      isXmlName(local ?? "") && more === undefined && (prefix === "" || isXmlName(prefix ?? ""));
    if (!isValidName || name === "xmlns") {
      throw Fault.field(field, `has an attribute with an invalid name, ${JSON.stringify(name)}`);
    }
    if (prefix === "" || prefix === "xml") continue;
    if (prefix === "xmlns") {
      if (local === "xml" || local === "xmlns" || value === "" || RESERVED.has(value)) {
        throw Fault.field(field, `must not declare the prefix ${JSON.stringify(local)} like this`);
      }
      continue;
    }
    const declaration = `xmlns:${prefix}`;
    if (!Object.hasOwn(attributes, declaration)) {
      throw Fault.field(
        field,
        `has an attribute with an undeclared prefix, ${JSON.stringify(name)}`,
      );
    }
    const key = `${local} ${attributes[declaration]}`;
    if (qualified.has(key)) throw Fault.field(field, `has the attribute ${local} twice`);
    qualified.add(key);
  }
}

/**
 * Checks an element of `extraParams`.
 * @param field the input field to name in the fault
 * @throws Fault INVALID for a name, attribute or character that XML does not allow, for text beside children,
 * and for more than {@link ELEMENT_DEPTH} levels
 */
export function checkElement(field: string, element: XmlElement, depth = 1): void {
  if (depth > ELEMENT_DEPTH) throw Fault.field(field, `nests deeper than ${ELEMENT_DEPTH} levels`);
  const { name, namespace, attributes, text, children } = element;
  if (text !== undefined) checkText(field, text);
  if (name === TEXT) {
    if (namespace !== undefined || attributes || children) {
      throw Fault.field(field, `has a ${TEXT} with more than text`);
    }
    return;
  }
  if (!isXmlName(name)) throw Fault.field(field, `has an invalid name, ${JSON.stringify(name)}`);
  if (namespace !== undefined) {
    checkText(field, namespace);
    if (RESERVED.has(namespace)) throw Fault.field(field, "uses a namespace that XML reserves");
  }
  if (attributes) checkAttributes(field, attributes);
  if (text && children && children.length > 0) {
    throw Fault.field(field, `has text beside children; mixed content takes ${TEXT} entries`);
  }
  for (const child of children ?? []) checkElement(field, child, depth + 1);
}
