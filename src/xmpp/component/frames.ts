import { XmlRefusal } from "../xml";

const DECLARATION = /^<\?xml\s/;

/** What is found in a stream. */
export interface FrameEvents {
  /** The header, as the start tag that it is (RFC 6120 section 4.2). */
  header(tag: string): void;
  /** One element right below the root, as text; null for one that was longer than the limit. */
  frame(xml: string | null): void;
  /** The end tag of the stream. */
  end(): void;
}

/**
 * Cuts a stream of a chat server into its stanzas, which are then read one by one under the strict
 * rules of xml.ts. A stanza that breaks them, or is too long, costs that stanza alone: it may be a
 * client's, and the link is everybody's.
 */
export class Frames {
  #text = "";
  /** Where the next tag is looked for. */
  #at = 0;
  #depth = 0;
  #skipping = false;

  /** @param limit characters of a stanza, and of a single tag, at most */
  constructor(
    private readonly limit: number,
    private readonly events: FrameEvents,
  ) {}

  /**
   * Takes what arrived.
   * @throws XmlRefusal for what no XMPP stream may hold; the stream must then end
   */
  push(chunk: string): void {
    this.#text += chunk;
    while (this.#tag());
    this.#bound();
  }

  /** Reads one tag; false when it is not complete yet. */
  #tag(): boolean {
    const start = this.#text.indexOf("<", this.#at);
    if (start < 0) {
      this.#at = this.#text.length;
      return false;
    }
    this.#at = start;
    const next = this.#text[start + 1];
    if (next === "!" || (next === "?" && this.#depth > 0)) {
      throw new XmlRefusal("restricted-xml", "The chat server sent what XMPP forbids");
    }
    const end = tagEnd(this.#text, start);
    if (end === null) return false;
    const tag = this.#text.slice(start, end);
    this.#at = end;
    if (next === "/") this.#close();
    else this.#open(tag, start);
    return true;
  }

  #open(tag: string, start: number) {
    if (this.#depth === 0) {
      this.#forget();
      if (DECLARATION.test(tag)) return;
      this.#depth = 1;
      return this.events.header(tag);
    }
    if (this.#depth === 1) {
      // White space between stanzas keeps the connection alive and says nothing.
      this.#text = this.#text.slice(start);
      this.#at -= start;
    }
    this.#depth += 1;
    if (tag.endsWith("/>")) this.#close();
  }

  #close() {
    this.#depth -= 1;
    if (this.#depth > 1) return;
    if (this.#depth < 1) {
      this.#forget();
      return this.events.end();
    }
    const frame = this.#skipping ? null : this.#text.slice(0, this.#at);
    this.#skipping = false;
    this.#forget();
    this.events.frame(frame !== null && frame.length > this.limit ? null : frame);
  }

  #forget(): void {
    this.#text = this.#text.slice(this.#at);
    this.#at = 0;
  }

  /** Keeps no more than the limit of a stanza whose end has not come, nor of a tag. */
  #bound(): void {
    if (this.#text.length - this.#at > this.limit) {
      throw new XmlRefusal("policy-violation", "The chat server sent a tag without an end");
    }
    if (this.#depth > 1 && this.#at > this.limit) this.#skipping = true;
    if (this.#depth <= 1 || this.#skipping) this.#forget();
  }
}

/** The place behind the tag that begins here: values in quotes may hold a `>`; null without an end. */
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
