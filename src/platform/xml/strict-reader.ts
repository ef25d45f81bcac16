import { Element } from "ltx";
import { SaxesParser } from "saxes";
import { installFastTextReader } from "./fast-text-reader";

/** Maximum nesting depth of a stanza. */
export const MAX_DEPTH = 32;
/** Maximum number of attributes of an element, including namespace declarations. */
export const MAX_ATTRIBUTES = 64;
/**
 * Maximum total length of the namespaces of a stanza, in characters, counted as they are serialized: one
 * declaration can apply to thousands of elements, each of which repeats it in the output.
 */
export const MAX_NAMESPACES = 65_536;

const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";
/** Namespace of a stanza; the default at the top of a frame. */
export const CLIENT_NS = "jabber:client";

/** Stream error conditions for invalid input (RFC 6120 section 4.9.3). */
export type XmlErrorCondition =
  | "restricted-xml"
  | "not-well-formed"
  | "policy-violation"
  | "unsupported-encoding";

/** Invalid input, which ends the stream. Its message is sent to the other side. */
export class XmlStreamError extends Error {
  override readonly name = "XmlStreamError";
  constructor(
    readonly condition: XmlErrorCondition,
    message: string,
  ) {
    super(message);
  }
}

/** The error for input that is not well-formed XML in UTF-8. */
export const notWellFormed = () =>
  new XmlStreamError("not-well-formed", "The XML is not well-formed");

/** Receives a complete element. */
export type ElementHandler = (element: Element) => void;

/** Receives the start and end of the stream element, whose content is the stream (RFC 6120 section 4.2). */
export interface StreamElementHandler {
  /** The start tag, as an element without content. */
  header: ElementHandler;
  /** The end tag. */
  end(): void;
}

const refuse = (condition: XmlErrorCondition, message: string) => (): never => {
  throw new XmlStreamError(condition, message);
};

const OPTIONS = { xmlns: true, position: false, additionalNamespaces: { "": CLIENT_NS } } as const;

/**
 * The handlers that refuse input are on the prototype: with more than six own handlers, V8 makes the parser
 * a dictionary-mode object, and parsing takes five times as long.
 */
class StrictParser extends SaxesParser<typeof OPTIONS> {}
const refusals = StrictParser.prototype;
installFastTextReader(refusals as SaxesParser);
const refuseDoctype = refuse("restricted-xml", "A DOCTYPE is not allowed");
refusals.on("error", ({ message }) => {
  // Inside an element saxes reports a DOCTYPE as a syntax error, recognizable only by its message.
  if (message.includes("doctype")) refuseDoctype();
  throw notWellFormed();
});
refusals.on("doctype", refuseDoctype);
refusals.on("comment", refuse("restricted-xml", "Comments are not allowed"));
refusals.on(
  "processinginstruction",
  refuse("restricted-xml", "Processing instructions are not allowed"),
);
refusals.on("xmldecl", refuse("restricted-xml", "An XML declaration is not allowed"));

/** A stream may begin with an XML declaration, of version 1.0 and UTF-8 only (RFC 6120 section 11.5). */
class StreamParser extends StrictParser {}
StreamParser.prototype.on("xmldecl", ({ version, encoding }) => {
  if (version !== "1.0") throw notWellFormed();
  if (encoding === undefined || /^utf-8$/i.test(encoding)) return;
  refuse("unsupported-encoding", "The encoding must be UTF-8")();
});

/**
 * A parser that rejects what XMPP forbids (RFC 6120 section 11.1) and what would cost too much. `write`
 * throws {@link XmlStreamError}, after which the parser must not be used again.
 *
 * Elements are normalized: local names; `xmlns` only on the top element and where the namespace differs
 * from the parent's; each prefix of an attribute declared on the attribute's own element; CDATA as text.
 * The attributes object has no prototype.
 * @param done receives each top-level element: the only one, or those of a stream
 */
export function strictParser(
  done: ElementHandler,
  stream?: StreamElementHandler,
): SaxesParser<typeof OPTIONS> {
  const parser = stream ? new StreamParser(OPTIONS) : new StrictParser(OPTIONS);
  const levels = stream ? MAX_DEPTH + 1 : MAX_DEPTH;
  const open: { element: Element; namespace: string }[] = [];
  let depth = 0;
  let attributes = 0;
  let namespaces = 0;
  const countNamespace = (namespace: string) => {
    namespaces += namespace.length;
    if (namespaces > MAX_NAMESPACES) refuse("policy-violation", "Too many namespaces")();
    return namespace;
  };

  // saxes looks namespaces up through all open elements, so the depth is checked before that.
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
      refuse("not-well-formed", "An element uses a reserved namespace")();
    }
    const element = new Element(tag.local);
    const attrs: Record<string, string> = Object.create(null);
    element.attrs = attrs;
    if (tag.uri !== parent?.namespace) attrs.xmlns = countNamespace(tag.uri);
    for (const { name, prefix, uri, value } of Object.values(tag.attributes)) {
      if (uri === XMLNS_NAMESPACE) continue;
      attrs[name] = value;
      if (prefix === "" || prefix === "xml") continue;
      if (uri === "") refuse("not-well-formed", "A prefix is not bound to a namespace")();
      attrs[`xmlns:${prefix}`] = countNamespace(uri);
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
      if (/[^ \t\r\n]/.test(text)) throw notWellFormed();
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

/** A reusable reader of single elements: creating a parser costs as much as reading a short stanza. */
class FrameParser {
  private element: Element | null = null;
  private readonly parser = strictParser((element) => {
    this.element = element;
  });

  /** @throws for invalid input, after which the reader must not be used again */
  read(frame: string): Element | null {
    this.parser.write(frame).close();
    const element = this.element;
    this.element = null;
    return element;
  }
}

/** The reader of the previous frame, for the next one. */
let spare: FrameParser | undefined;

/**
 * Reads one WebSocket text message as one element (RFC 7395 section 3.3).
 * @param limit maximum size, in bytes
 * @returns the element, or null for white space, which old clients send as a keep-alive
 * @throws XmlStreamError
 */
export function readFrame(frame: string, limit: number): Element | null {
  const bytes = Buffer.byteLength(frame);
  if (bytes > limit) {
    throw new XmlStreamError("policy-violation", `A stanza is limited to ${limit} bytes`);
  }
  if (/^[ \t\r\n]*$/.test(frame)) return null;
  // saxes accepts a lone surrogate before some characters as a pair. ASCII has no surrogates.
  const ascii = bytes === frame.length;
  if (!ascii && /[\uD800-\uDFFF]/.test(frame) && /\p{Cs}/u.test(frame)) throw notWellFormed();
  const parser = spare ?? new FrameParser();
  spare = undefined;
  let element: Element | null;
  try {
    element = parser.read(frame);
  } catch (error) {
    if (error instanceof XmlStreamError) throw error;
    throw notWellFormed();
  }
  if (!element) throw notWellFormed();
  spare = parser;
  return element;
}
