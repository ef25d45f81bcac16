import { isUtf8 } from "node:buffer";
import { Element } from "ltx";
import { notWellFormed, strictParser, XmlStreamError } from "../../../platform/xml/strict-reader";

/** Name of the element that represents the end tag of the stream; XML names cannot contain a slash. */
const END = "/stream";

/** Whether the element represents the end tag of the stream. */
export const isStreamEnd = (element: Element): boolean => element.name === END;

const BLANK = /^[ \t\r\n]+/;

/** Number of bytes of an incomplete UTF-8 character at the end (RFC 3629 section 3). */
function incompleteBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes.at(-back);
    if (byte === undefined) return 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** A parsed element and its end position in the text. */
interface Parsed {
  element: Element;
  end: number;
}

/**
 * Reads the bytes of one direction of an XMPP stream (RFC 6120 section 4): header, elements, end. Chunks are
 * fed as they arrive and elements taken one by one, so that a {@link restart} applies to everything after
 * the current element, even in the same chunk. Time and memory are linear in the input: only what follows a
 * restart is parsed twice.
 */
export class StreamReader {
  private parser = this.newParser();
  /** Bytes of an incomplete character. */
  private tail: Buffer | undefined;
  /** Text that is not parsed yet. */
  private pending = "";
  /** The text that was parsed last. */
  private text = "";
  /** End position in the text of the element that was taken last. */
  private taken = 0;
  private readonly parsed: Parsed[] = [];
  private error: unknown;
  /** Number of characters parsed before the text. */
  private before = 0;
  /** End position in the text of the element that was parsed last. */
  private ended = 0;
  /** Bytes of the incomplete element in earlier texts. */
  private partialBytes = 0;
  private limit = 0;

  private newParser() {
    return strictParser((element) => this.add(element), {
      header: (element) => this.add(element),
      end: () => this.add(new Element(END)),
    });
  }

  /**
   * Adds a chunk. All elements of earlier chunks must have been taken.
   * @throws XmlStreamError for invalid UTF-8
   */
  feed(chunk: Buffer): void {
    const bytes = this.tail ? Buffer.concat([this.tail, chunk]) : chunk;
    const end = bytes.length - incompleteBytes(bytes);
    // A copy, so that the whole chunk is not kept in memory.
    this.tail = end < bytes.length ? Buffer.from(bytes.subarray(end)) : undefined;
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) throw notWellFormed();
    this.pending += whole.toString("utf8");
  }

  /**
   * Takes the next element. The first is the header, as an element without content; the last is one for
   * which {@link isStreamEnd} returns true.
   * @param limit maximum size of an element, in bytes
   * @returns null if more bytes are needed
   * @throws XmlStreamError
   */
  next(limit: number): Element | null {
    for (;;) {
      const next = this.parsed.shift();
      if (next) {
        this.taken = next.end;
        return next.element;
      }
      if (this.error !== undefined) throw this.error;
      this.text = this.pending;
      this.pending = "";
      this.taken = 0;
      // White space between elements is a keep-alive, which would pile up in the parser.
      if (this.partialBytes === 0) this.text = this.text.replace(BLANK, "");
      if (this.text === "") return null;
      this.limit = limit;
      this.parse();
    }
  }

  /** Expects a new header directly after the element that was taken last. */
  restart(): void {
    this.pending = this.text.slice(this.taken);
    this.text = "";
    this.parsed.length = 0;
    this.error = undefined;
    this.parser = this.newParser();
    this.before = 0;
    this.partialBytes = 0;
  }

  private parse(): void {
    this.ended = 0;
    try {
      // The second write releases the text, which the parser would keep until the next one.
      this.parser.write(this.text).write("");
      this.before += this.text.length;
      this.checkSize(this.text.length);
    } catch (error) {
      // The elements before the error are still valid.
      this.error = error instanceof XmlStreamError ? error : notWellFormed();
    }
  }

  private add(element: Element): void {
    const end = this.parser.position - this.before;
    this.checkSize(end);
    this.partialBytes = 0;
    this.ended = end;
    this.parsed.push({ element, end });
  }

  /** Counts the bytes of the current element up to this position. */
  private checkSize(end: number): void {
    const part = this.text.slice(this.ended, end);
    this.partialBytes += Buffer.byteLength(
      this.partialBytes === 0 ? part.replace(BLANK, "") : part,
    );
    if (this.partialBytes <= this.limit) return;
    throw new XmlStreamError("policy-violation", `A stanza is limited to ${this.limit} bytes`);
  }
}
