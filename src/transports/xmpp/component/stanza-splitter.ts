import { XmlStreamError } from "../../../platform/xml/strict-reader";

const DECLARATION = /^<\?xml\s/;

/** The parts of a stream. */
export interface SplitterEvents {
  /** The start tag of the stream (RFC 6120 section 4.2). */
  header(tag: string): void;
  /** The text of one element directly below the root; null if it was longer than the limit. */
  stanza(xml: string | null): void;
  /** The end tag of the stream. */
  end(): void;
}

/**
 * Splits a chat server's stream into stanzas, which are then parsed one by one under the strict rules of
 * xml/strict-reader.ts. A stanza that is invalid or too long is dropped alone: it may come from a client, but
 * all clients share the connection.
 */
export class StanzaSplitter {
  private text = "";
  /** Position from which the next tag is searched. */
  private at = 0;
  private depth = 0;
  /** Whether the current stanza exceeds the limit and its text is discarded. */
  private skipping = false;

  /** @param limit maximum length of a stanza, and of a single tag, in characters */
  constructor(
    private readonly limit: number,
    private readonly events: SplitterEvents,
  ) {}

  /**
   * Adds a chunk of text.
   * @throws XmlStreamError for content that XMPP forbids; the stream must then end
   */
  push(chunk: string): void {
    this.text += chunk;
    while (this.readTag());
    this.enforceLimit();
  }

  /** Reads one tag. Returns false if it is incomplete. */
  private readTag(): boolean {
    const start = this.text.indexOf("<", this.at);
    if (start < 0) {
      this.at = this.text.length;
      return false;
    }
    this.at = start;
    const next = this.text[start + 1];
    if (next === "!" || (next === "?" && this.depth > 0)) {
      throw new XmlStreamError("restricted-xml", "The chat server sent what XMPP forbids");
    }
    const end = tagEnd(this.text, start);
    if (end === null) return false;
    const tag = this.text.slice(start, end);
    this.at = end;
    if (next === "/") this.close();
    else this.open(tag, start);
    return true;
  }

  private open(tag: string, start: number) {
    if (this.depth === 0) {
      this.discard();
      if (DECLARATION.test(tag)) return;
      this.depth = 1;
      return this.events.header(tag);
    }
    if (this.depth === 1) {
      // White space between stanzas is a keep-alive.
      this.text = this.text.slice(start);
      this.at -= start;
    }
    this.depth += 1;
    if (tag.endsWith("/>")) this.close();
  }

  private close() {
    this.depth -= 1;
    if (this.depth > 1) return;
    if (this.depth < 1) {
      this.discard();
      return this.events.end();
    }
    const frame = this.skipping ? null : this.text.slice(0, this.at);
    this.skipping = false;
    this.discard();
    this.events.stanza(frame !== null && frame.length > this.limit ? null : frame);
  }

  /** Discards the text before the current position. */
  private discard(): void {
    this.text = this.text.slice(this.at);
    this.at = 0;
  }

  /** Discards an incomplete stanza above the limit. */
  private enforceLimit(): void {
    if (this.text.length - this.at > this.limit) {
      throw new XmlStreamError("policy-violation", "The chat server sent a tag that is too long");
    }
    if (this.depth > 1 && this.at > this.limit) this.skipping = true;
    if (this.depth <= 1 || this.skipping) this.discard();
  }
}

/**
 * The position after the end of the tag at `start`; null if it is incomplete. A `>` in a quoted value does
 * not end the tag.
 */
function tagEnd(text: string, start: number): number | null {
  let quote = "";
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === ">") return at + 1;
    else if (character === '"' || character === "'") quote = character;
  }
  return null;
}
