import { isUtf8 } from "node:buffer";
import { Element } from "ltx";
import { malformed, strictParser, XmlRefusal } from "../xml";

/** Name of {@link STREAM_END}; no element that is read has it, as names hold no slash. */
const END = "/stream";

/** Whether this stands for the end tag of the stream. */
export const isStreamEnd = (element: Element): boolean => element.name === END;

const BLANK = /^[ \t\r\n]+/;

/** Bytes at the end that begin a character without completing it (RFC 3629 section 3). */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes.at(-back);
    if (byte === undefined) return 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** An element that was read, and where it ended in the text. */
interface Found {
  element: Element;
  end: number;
}

/**
 * Reads the bytes of one direction of an XMPP stream (RFC 6120 section 4): its header, the elements in
 * it, its end. Bytes are fed as they come and elements taken one by one, so that what an element asks
 * for ({@link restart}) holds for all that follows it, within the same chunk too. Work and memory are in
 * proportion to the bytes: nothing is read twice but what follows a restart.
 */
export class StreamReader {
  #parser = this.#newParser();
  /** Bytes of a character that came in part. */
  #tail: Buffer | undefined;
  /** Text to be parsed. */
  #ahead = "";
  /** Text that was parsed last, and how far elements were taken from it. */
  #text = "";
  #taken = 0;
  readonly #found: Found[] = [];
  #refusal: unknown;
  /** Characters that the parser had before the text. */
  #before = 0;
  /** Where in the text an element ended last. */
  #ended = 0;
  /** Bytes that an element not yet complete has in earlier texts. */
  #growing = 0;
  #limit = 0;

  #newParser() {
    return strictParser((element) => this.#note(element), {
      header: (element) => this.#note(element),
      end: () => this.#note(new Element(END)),
    });
  }

  /**
   * Takes bytes, once all elements of earlier ones were taken.
   * @throws XmlRefusal for bytes that are no UTF-8
   */
  feed(chunk: Buffer): void {
    const bytes = this.#tail ? Buffer.concat([this.#tail, chunk]) : chunk;
    const end = bytes.length - unfinished(bytes);
    // A copy, which does not hold the whole chunk.
    this.#tail = end < bytes.length ? Buffer.from(bytes.subarray(end)) : undefined;
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) throw malformed();
    this.#ahead += whole.toString("utf8");
  }

  /**
   * Takes the next element: the header first, as an element without content; an element for which
   * {@link isStreamEnd} holds, last.
   * @param limit bytes of an element at most
   * @returns null when more bytes are needed
   * @throws XmlRefusal
   */
  next(limit: number): Element | null {
    for (;;) {
      const found = this.#found.shift();
      if (found) {
        this.#taken = found.end;
        return found.element;
      }
      if (this.#refusal !== undefined) throw this.#refusal;
      this.#text = this.#ahead;
      this.#ahead = "";
      this.#taken = 0;
      // White space between elements is a sign of life; it would pile up within the parser.
      if (this.#growing === 0) this.#text = this.#text.replace(BLANK, "");
      if (this.#text === "") return null;
      this.#limit = limit;
      this.#parse();
    }
  }

  /** Expects a new header right behind the element that was taken last. */
  restart(): void {
    this.#ahead = this.#text.slice(this.#taken);
    this.#text = "";
    this.#found.length = 0;
    this.#refusal = undefined;
    this.#parser = this.#newParser();
    this.#before = 0;
    this.#growing = 0;
  }

  #parse(): void {
    this.#ended = 0;
    try {
      // The second write lets go of the text, which the parser would hold until the next.
      this.#parser.write(this.#text).write("");
      this.#before += this.#text.length;
      this.#count(this.#text.length);
    } catch (error) {
      // What came before it is still good.
      this.#refusal = error instanceof XmlRefusal ? error : malformed();
    }
  }

  #note(element: Element): void {
    const end = this.#parser.position - this.#before;
    this.#count(end);
    this.#growing = 0;
    this.#ended = end;
    this.#found.push({ element, end });
  }

  /** Counts what an element has grown to. */
  #count(end: number): void {
    const part = this.#text.slice(this.#ended, end);
    this.#growing += Buffer.byteLength(this.#growing === 0 ? part.replace(BLANK, "") : part);
    if (this.#growing <= this.#limit) return;
    throw new XmlRefusal("policy-violation", `A stanza is limited to ${this.#limit} bytes`);
  }
}
