import { Element, type Node } from "ltx";
import { Fault } from "../../core/errors";
import { isXmlText } from "./rules";
import { TEXT, type XmlElement } from "./xml-element";

/**
 * Converts between ltx elements and the XmlElement form of signals, and serializes all XML. ltx's own
 * serializer leaves CR unescaped, and the next parser turns it into LF (XML 1.0 section 2.11).
 */

const REFERENCES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};
const toReference = (character: string) => REFERENCES[character] ?? character;

function checkText(text: string): string {
  if (!isXmlText(text)) {
    throw new Fault("INVALID", "A text contains a character that XML does not allow");
  }
  return text;
}

/**
 * Escapes text as element content; CR is written `&#13;`.
 * @throws Fault INVALID for a character that XML forbids
 */
export function escapeText(text: string): string {
  return escapeChecked(checkText(text));
}

function escapeChecked(text: string): string {
  if (!/[&<>\r]/.test(text)) return text;
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

/**
 * Escapes text as an attribute value in double quotes; TAB, LF and CR are written as references.
 * @throws Fault INVALID for a character that XML forbids
 */
export function escapeAttribute(text: string): string {
  return checkText(text).replace(/[&<>"\t\n\r]/g, toReference);
}

/** ` name="value"`, or an empty string for an undefined value. */
export function attribute(name: string, value: string | undefined): string {
  return value === undefined ? "" : ` ${name}="${escapeAttribute(value)}"`;
}

const enclose = (name: string, attributes: string, content: string) =>
  content === "" ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;

/** Serializes an ltx element with its content. */
export function writeElement(node: Node): string {
  if (typeof node === "string") return escapeText(node);
  let attributes = "";
  for (const name of Object.keys(node.attrs)) attributes += attribute(name, node.attrs[name]);
  let content = "";
  for (const child of node.children) content += writeElement(child);
  return enclose(node.name, attributes, content);
}

/**
 * Serializes an element of a signal. Its names and texts must have been checked
 * (calls/signals/signal-from-input.ts).
 */
export function writeXml({ name, namespace, attributes, text, children }: XmlElement): string {
  if (name === TEXT) return escapeChecked(text ?? "");
  let head = attribute("xmlns", namespace);
  for (const [key, value] of Object.entries(attributes ?? {})) head += attribute(key, value);
  let content = text === undefined ? "" : escapeChecked(text);
  for (const child of children ?? []) content += writeXml(child);
  return enclose(name, head, content);
}

/** Whether a node is an element with this name and `xmlns`; without a namespace, it has its parent's. */
export function isElement(node: Node | undefined, name: string, namespace?: string): boolean {
  return node instanceof Element && node.name === name && node.attrs.xmlns === namespace;
}

/** The first child element with this name and `xmlns`; without a namespace, it has its parent's. */
export function childOf(element: Element, name: string, namespace?: string): Element | undefined {
  return element.children.find((node) => isElement(node, name, namespace)) as Element | undefined;
}

/** The child elements, without the text between them. */
export function elementsOf(element: Element): Element[] {
  return element.children.filter((node) => node instanceof Element);
}

/**
 * The content of an element. White space between child elements is dropped unless there is other text
 * too (mixed content).
 */
export function nodesOf(element: Element): Node[] {
  const { children } = element;
  const keep =
    children.every((node) => typeof node === "string") ||
    children.some((node) => typeof node === "string" && /[^ \t\r\n]/.test(node));
  return keep ? children : children.filter((node) => typeof node !== "string");
}

/** Converts a child node, text included, to the form of signals. */
export function fromLtxNode(node: Node): XmlElement {
  return typeof node === "string" ? { name: TEXT, text: node } : fromLtx(node);
}

/** {@link nodesOf} an element, in the form of signals. */
export function contentOf(element: Element): XmlElement[] {
  return nodesOf(element).map(fromLtxNode);
}

/** Converts an element from the form that xml/strict-reader.ts reads to the form of signals. */
export function fromLtx(element: Element): XmlElement {
  const { xmlns, ...rest } = element.attrs as Record<string, string>;
  const result: XmlElement = { name: element.name };
  if (xmlns !== undefined) result.namespace = xmlns;
  if (Object.keys(rest).length > 0) result.attributes = rest;
  if (element.children.length === 1 && typeof element.children[0] === "string") {
    result.text = element.children[0];
  } else if (element.children.length > 0) {
    result.children = contentOf(element);
  }
  return result;
}
