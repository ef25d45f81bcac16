import { closeSync, openSync, readSync } from "node:fs";

/**
 * Reads a small text file of the operator, which may also be a pipe.
 * @param bytesMax maximum size, in bytes
 * @throws Error whose message is the reason, as a clause without the path and the content
 */
export function readBoundedFile(path: string, bytesMax: number): string {
  const bytes = readBytes(path, bytesMax + 1);
  if (bytes.length > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("it is not UTF-8 text");
  }
  if (text.includes("\0")) throw new Error("it is not a text file");
  return text;
}

/** Reads a file up to a length. */
function readBytes(path: string, lengthMax: number): Buffer {
  const bytes = Buffer.alloc(lengthMax);
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    let length = 0;
    for (let count = -1; count !== 0 && length < lengthMax; length += count) {
      count = readSync(file, bytes, length, lengthMax - length, null);
    }
    return bytes.subarray(0, length);
  } catch (error) {
    throw new Error(`it cannot be read (${(error as NodeJS.ErrnoException).code})`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
