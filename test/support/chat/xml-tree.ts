import { DOMParser, type Element as DomElement, type Node as DomNode } from "@xmldom/xmldom";
import type { XmlNode } from "@xmpp/client";

/** A normalized element for comparison: without prefixes, declarations and white space between elements. */
export interface Tree {
  name: string;
  namespace: string | null;
  /** Values by name; a name with a namespace is written `{namespace}name`. */
  attributes: Record<string, string>;
  content: (string | Tree)[];
}

const XMLNS = "http://www.w3.org/2000/xmlns/";

/** Parses a document with a parser that the service does not use. */
export function parseXml(xml: string): DomElement {
  const { documentElement } = new DOMParser().parseFromString(xml, "text/xml");
  if (!documentElement) throw new Error(`no element in ${xml}`);
  return documentElement;
}

/** The tree of an XML document. */
export function treeOf(xml: string): Tree {
  return domTree(parseXml(xml));
}

/** The tree of a DOM element. */
export function domTree(element: DomElement): Tree {
  const attributes: Record<string, string> = {};
  for (const { namespaceURI, localName, name, value } of element.attributes) {
    if (namespaceURI === XMLNS) continue;
    attributes[namespaceURI ? `{${namespaceURI}}${localName}` : name] = value;
  }
  return {
    name: element.localName ?? "",
    namespace: element.namespaceURI || null,
    attributes,
    content: joined(Array.from(element.childNodes as Iterable<DomNode>), (node) =>
      node.nodeType === node.ELEMENT_NODE ? domTree(node as DomElement) : (node.nodeValue ?? ""),
    ),
  };
}

/** The tree of an xmpp.js element. The only attribute prefix may be xml. */
export function xmppTree(element: XmlNode): Tree {
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(element.attrs)) {
    if (name === "xmlns") continue;
    attributes[name.replace(/^xml:/, "{http://www.w3.org/XML/1998/namespace}")] = value;
  }
  return {
    name: element.getName(),
    namespace: element.getNS() || null,
    attributes,
    content: joined(element.children, (node) => (typeof node === "string" ? node : xmppTree(node))),
  };
}

function joined<N>(nodes: N[], read: (node: N) => string | Tree): (string | Tree)[] {
  const content: (string | Tree)[] = [];
  for (const item of nodes.map(read)) {
    const last = content.length - 1;
    if (typeof item === "string" && typeof content[last] === "string") content[last] += item;
    else if (item !== "") content.push(item);
  }
  const blank = (item: string | Tree) => typeof item === "string" && item.trim() === "";
  const between =
    content.length > 1 && content.every((item) => typeof item !== "string" || blank(item));
  return between ? content.filter((item) => !blank(item)) : content;
}

/** The text of a descendant element, by its path of names; undefined if it does not exist. */
export function textAt(tree: Tree, ...names: string[]): string | undefined {
  let found: Tree | undefined = tree;
  for (const name of names) {
    found = found?.content.find(
      (item): item is Tree => typeof item !== "string" && item.name === name,
    );
  }
  return found?.content.join("");
}
