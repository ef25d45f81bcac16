import { Element } from "ltx";
import { SaxesParser } from "saxes";
import { readTextQuickly } from "./quick-text";

/** Levels of a stanza at most. */
export const MAX_DEPTH = 32;
/** Attributes of one element at most, namespace declarations counted. */
export const MAX_ATTRIBUTES = 64;
/**
 * Characters at most of the namespaces of one stanza, each counted wherever it is written out again: one
 * declaration may serve thousands of elements, and make them a thousand times as long.
 */
export const MAX_NAMESPACES = 65_536;

const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";
/** Namespace of a stanza, which a client may leave unsaid at the top of a frame. */
export const CLIENT = "jabber:client";

/** Why input was refused: a stream error condition of RFC 6120 section 4.9.3. */
export type RefusalCondition =
  | "restricted-xml"
  | "not-well-formed"
  | "policy-violation"
  | "unsupported-encoding";

/** Input that ends the stream it came by. Its message is for the other end. */
export class XmlRefusal extends Error {
  override readonly name = "XmlRefusal";
  constructor(
    readonly condition: RefusalCondition,
    message: string,
  ) {
    super(message);
  }
}

/** The refusal of what is no XML, or not in UTF-8. */
export const malformed = () => new XmlRefusal("not-well-formed", "The XML is not well-formed");

/** What a reader does with a complete element. */
export type OnElement = (element: Element) => void;

/** What a reader does with a stream's own element, whose content is the stream (RFC 6120 section 4.2). */
export interface OnStream {
  /** Its start tag, as an element without content. */
  header: OnElement;
  /** Its end tag. */
  end(): void;
}

const refuse = (condition: RefusalCondition, message: string) => (): never => {
  throw new XmlRefusal(condition, message);
};

const OPTIONS = { xmlns: true, position: false, additionalNamespaces: { "": CLIENT } } as const;

/**
 * Refusals stand on the prototype: a parser with more than six handlers of its own becomes a slow
 * object, and reading takes five times as long.
 */
class StrictParser extends SaxesParser<typeof OPTIONS> {}
const refusals = StrictParser.prototype;
readTextQuickly(refusals as SaxesParser);
const refuseDoctype = refuse("restricted-xml", "A DOCTYPE is not allowed");
refusals.on("error", ({ message }) => {
  // Within an element a DOCTYPE is an error of form too, told by its text alone.
  if (message.includes("doctype")) refuseDoctype();
  throw malformed();
});
refusals.on("doctype", refuseDoctype);
refusals.on("comment", refuse("restricted-xml", "Comments are not allowed"));
refusals.on("processinginstruction", refuse("restricted-xml", "Instructions are not allowed"));
refusals.on("xmldecl", refuse("restricted-xml", "An XML declaration is not allowed"));

/** A stream may begin with an XML declaration, which can say one thing only (RFC 6120 section 11.5). */
class StreamParser extends StrictParser {}
StreamParser.prototype.on("xmldecl", ({ version, encoding }) => {
  if (version !== "1.0") throw malformed();
  if (encoding === undefined || /^utf-8$/i.test(encoding)) return;
  refuse("unsupported-encoding", "The encoding is UTF-8")();
});

/**
 * A parser that refuses what XMPP forbids (RFC 6120 section 11.1) and what would cost too much. It
 * throws {@link XmlRefusal} out of `write` and must then be dropped.
 *
 * Elements come in one form however they were written: local names; `xmlns` on an element only where
 * its namespace differs from the parent's, and always at the top; each prefix that an attribute needs
 * declared on the attribute's own element; CDATA as text. The attributes have no prototype.
 * @param done takes the elements at the top: the one there is, or those of a stream
 */
export function strictParser(done: OnElement, stream?: OnStream): SaxesParser<typeof OPTIONS> {
  const parser = stream ? new StreamParser(OPTIONS) : new StrictParser(OPTIONS);
  const levels = stream ? MAX_DEPTH + 1 : MAX_DEPTH;
  const open: { element: Element; namespace: string }[] = [];
  let depth = 0;
  let attributes = 0;
  let namespaces = 0;
  const spell = (namespace: string) => {
    namespaces += namespace.length;
    if (namespaces > MAX_NAMESPACES) refuse("policy-violation", "Too many namespaces")();
    return namespace;
  };

  // Namespaces are looked up through all open elements, so depth ends before that look-up.
  parser.on("opentagstart", () => {
    depth += 1;
    attributes = 0;
    if (depth > levels) refuse("policy-violation", `Deeper than ${MAX_DEPTH} levels`)();
  });
  parser.on("attribute", () => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES) {
      refuse("policy-violation", `More than ${MAX_ATTRIBUTES} attributes`)();
    }
  });
  parser.on("opentag", (tag) => {
    const parent = open.at(-1);
    if (tag.uri === XML_NAMESPACE || tag.uri === XMLNS_NAMESPACE) {
      refuse("not-well-formed", "An element stands in a reserved namespace")();
    }
    const element = new Element(tag.local);
    const attrs: Record<string, string> = Object.create(null);
    element.attrs = attrs;
    if (tag.uri !== parent?.namespace) attrs.xmlns = spell(tag.uri);
    for (const { name, prefix, uri, value } of Object.values(tag.attributes)) {
      if (uri === XMLNS_NAMESPACE) continue;
      attrs[name] = value;
      if (prefix === "" || prefix === "xml") continue;
      if (uri === "") refuse("not-well-formed", "A prefix is bound to nothing")();
      attrs[`xmlns:${prefix}`] = spell(uri);
    }
    if (stream && depth === 1) return stream.header(element);
    parent?.element.append(element);
    open.push({ element, namespace: tag.uri });
  });
  parser.on("closetag", () => {
    depth -= 1;
    const closed = open.pop();
    if (!closed) stream?.end();
    else if (open.length === 0) {
      namespaces = 0;
      done(closed.element);
    }
  });
  const append = (text: string) => {
    const children = open.at(-1)?.element.children;
    if (!children) {
      if (/[^ \t\r\n]/.test(text)) throw malformed();
      return;
    }
    if (text === "") return;
    const last = children.length - 1;
    if (typeof children[last] === "string") children[last] += text;
    else children.push(text);
  };
  parser.on("text", append);
  parser.on("cdata", append);
  return parser;
}

/** Reads texts of one element each. A parser is as dear to make as a short stanza is to read. */
class FrameParser {
  #element: Element | null = null;
  readonly #parser = strictParser((element) => {
    this.#element = element;
  });

  /** Throws for what it does not read, and must then be dropped. */
  read(frame: string): Element | null {
    this.#parser.write(frame).close();
    const element = this.#element;
    this.#element = null;
    return element;
  }
}

/** One that has read well, for the next frame. */
let spare: FrameParser | undefined;

/**
 * Reads one WebSocket text message as one element (RFC 7395 section 3.3).
 * @param limit bytes at most
 * @returns the element, or null for a message of white space, which old clients send to stay alive
 * @throws XmlRefusal
 */
export function readFrame(frame: string, limit: number): Element | null {
  const bytes = Buffer.byteLength(frame);
  if (bytes > limit) {
    throw new XmlRefusal("policy-violation", `A stanza is limited to ${limit} bytes`);
  }
  if (/^[ \t\r\n]*$/.test(frame)) return null;
  // The parser takes half a surrogate pair before some characters for a whole one. ASCII has none.
  const ascii = bytes === frame.length;
  if (!ascii && /[\uD800-\uDFFF]/.test(frame) && /\p{Cs}/u.test(frame)) throw malformed();
  const parser = spare ?? new FrameParser();
  spare = undefined;
  let element: Element | null;
  try {
    element = parser.read(frame);
  } catch (error) {
    if (error instanceof XmlRefusal) throw error;
    throw malformed();
  }
  if (!element) throw malformed();
  spare = parser;
  return element;
}
