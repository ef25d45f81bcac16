import type { Duplex } from "node:stream";

/** The first byte of a text message in one frame: FIN and the opcode 1 (RFC 6455 section 5.2). */
const TEXT = 0x81;
/** Length of the longest payload that has its length in the second byte. */
const SHORT_MAX = 125;
/** Length of the longest payload that has its length in two more bytes; a longer one has it in eight. */
const MEDIUM_MAX = 0xffff;

/** A frame to write: bytes, or characters that are one byte each (Latin-1). */
type Frame = string | Buffer;

/**
 * The last frame. A signal is delivered to all devices of a user in a row, so one is enough: its text is flattened
 * once.
 */
let last: { text: string; frame: Frame } = { text: "", frame: encodeFrame("") };

/**
 * Sends a text as one message of a server's WebSocket without compression, with a single write. ws writes the header as a
 * buffer and the text as another chunk, for each receiver.
 * @param connection the connection below the WebSocket. The WebSocket must be open, and must send only whole messages
 * @param written called once the frame is in the system's buffer, or lost with the connection
 */
export function writeText(connection: Duplex, text: string, written?: () => void): void {
  if (last.text !== text) last = { text, frame: encodeFrame(text) };
  const { frame } = last;
  if (typeof frame === "string") connection.write(frame, "latin1", written);
  else connection.write(frame, written);
}

/** Encodes a text as one unmasked frame. */
export function encodeFrame(text: string): Frame {
  const bytes = Buffer.byteLength(text);
  const header = headerOf(bytes);
  // Only ASCII has as many bytes as characters. Node writes such a text without copying it to a buffer first.
  if (bytes === text.length) return String.fromCharCode(...header) + text;
  const frame = Buffer.allocUnsafe(header.length + bytes);
  frame.set(header);
  frame.write(text, header.length);
  return frame;
}

function headerOf(bytes: number): number[] {
  if (bytes <= SHORT_MAX) return [TEXT, bytes];
  if (bytes <= MEDIUM_MAX) return [TEXT, 126, bytes >> 8, bytes & 0xff];
  const header = Buffer.alloc(10);
  header[0] = TEXT;
  header[1] = 127;
  header.writeUIntBE(bytes, 4, 6);
  return [...header];
}
