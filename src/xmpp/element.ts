import { Element, type Node } from "ltx";
import type { XmlElement } from "../calls/signal";
import { isXmlText, TEXT } from "../calls/xml-form";
import { Fault } from "../core/errors";

/**
 * Elements between ltx and the form that signals carry, and the one place where XML is written. ltx's
 * own writer leaves CR as it is, which the next parser turns into LF (XML 1.0 section 2.11).
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
const refer = (character: string) => REFERENCES[character] ?? character;

function legal(text: string): string {
  if (!isXmlText(text)) throw new Fault("INVALID", "A text holds a character that XML cannot");
  return text;
}

/** Text as element content; CR is written `&#13;`. INVALID for a character that XML forbids. */
export function escapeText(text: string): string {
  return escapeChecked(legal(text));
}

function escapeChecked(text: string): string {
  if (!/[&<>\r]/.test(text)) return text;
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

/** Text as a value between double quotes; TAB, LF and CR are written as references. */
export function escapeAttribute(text: string): string {
  return legal(text).replace(/[&<>"\t\n\r]/g, refer);
}

/** ` name="value"`, or nothing for a value that is not set. */
export function attribute(name: string, value: string | undefined): string {
  return value === undefined ? "" : ` ${name}="${escapeAttribute(value)}"`;
}

const enclose = (name: string, attributes: string, content: string) =>
  content === "" ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;

/** Writes an ltx element, all it holds included. */
export function writeElement(node: Node): string {
  if (typeof node === "string") return escapeText(node);
  let attributes = "";
  for (const name of Object.keys(node.attrs)) attributes += attribute(name, node.attrs[name]);
  let content = "";
  for (const child of node.children) content += writeElement(child);
  return enclose(node.name, attributes, content);
}

/** Writes an element of a signal, whose names and texts were checked (calls/check-signal.ts). */
export function writeXml({ name, namespace, attributes, text, children }: XmlElement): string {
  if (name === TEXT) return escapeChecked(text ?? "");
  let head = attribute("xmlns", namespace);
  for (const [key, value] of Object.entries(attributes ?? {})) head += attribute(key, value);
  let content = text === undefined ? "" : escapeChecked(text);
  for (const child of children ?? []) content += writeXml(child);
  return enclose(name, head, content);
}

/** Whether an element of a frame has this name and namespace, given its parent's namespace. */
export function isElement(node: Node | undefined, name: string, namespace?: string): boolean {
  return node instanceof Element && node.name === name && node.attrs.xmlns === namespace;
}

/** The first child element of the name whose own declaration is the namespace; none for the parent's. */
export function childOf(element: Element, name: string, namespace?: string): Element | undefined {
  return element.children.find((node) => isElement(node, name, namespace)) as Element | undefined;
}

/** The child elements, without the text between them. */
export function elementsOf(element: Element): Element[] {
  return element.children.filter((node) => node instanceof Element);
}

/**
 * What an element holds: white space between child elements is dropped unless other text stands there
 * too, which makes it mixed content.
 */
export function nodesOf(element: Element): Node[] {
  const { children } = element;
  const keep =
    children.every((node) => typeof node === "string") ||
    children.some((node) => typeof node === "string" && /[^ \t\r\n]/.test(node));
  return keep ? children : children.filter((node) => typeof node !== "string");
}

/** A node among others in the form that signals carry. */
export function toEntry(node: Node): XmlElement {
  return typeof node === "string" ? { name: TEXT, text: node } : toXml(node);
}

/** {@link nodesOf} an element, in the form that signals carry. */
export function contentOf(element: Element): XmlElement[] {
  return nodesOf(element).map(toEntry);
}

/** The element in the form that signals carry, from the form that xml.ts reads. */
export function toXml(element: Element): XmlElement {
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
