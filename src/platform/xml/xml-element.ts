/** An XML element. */
export interface XmlElement {
  name: string;
  /** Namespace URI; omitted if it is the parent's (`jabber:client` at the top). */
  namespace?: string;
  attributes?: Record<string, string>;
  /** Text of an element without children. */
  text?: string;
  /** Child elements; in mixed content a run of text is an element named {@link TEXT}. */
  children?: XmlElement[];
}

/** Name of the element for a run of text in mixed content. */
export const TEXT = "#text";

/** Whether an element has no attributes, and its parent's namespace. */
export function isPlain({ namespace, attributes }: XmlElement): boolean {
  return namespace === undefined && !attributes;
}

/** An element with text; an empty one for an empty text. */
export function textElement(name: string, text: string): XmlElement {
  return text === "" ? { name } : { name, text };
}

/** An element with children; an empty one without any. */
export function parentElement(name: string, children: XmlElement[]): XmlElement {
  return children.length > 0 ? { name, children } : { name };
}

/** The text of a plain element without children; undefined for any other element. */
export function plainText(element: XmlElement): string | undefined {
  return isPlain(element) && !element.children ? (element.text ?? "") : undefined;
}
