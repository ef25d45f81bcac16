import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { newId } from "../../core/random";
import { stringPropertyOf } from "../store/error-properties";
import { BackupError } from "./backup-error";
import { linesOf } from "./lines";

/**
 * Writes a dump to a file, compressed, with a checksum as its last line. The file gets its name when it is complete and
 * on disk; only the process's system user can read it.
 * @param texts lines, several in one text
 */
export async function writeDumpFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  const draft = `${path}.draft-${newId()}`;
  try {
    await pipeline(
      Readable.from(withChecksum(texts), { highWaterMark: 1 }),
      createGzip(),
      createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true }),
    );
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function* withChecksum(texts: AsyncIterable<string>): AsyncGenerator<string> {
  const hash = createHash("sha256");
  for await (const text of texts) {
    hash.update(text);
    yield text;
  }
  yield `${checksumLine(hash.digest("hex"))}\n`;
}

function checksumLine(sha256: string): string {
  return JSON.stringify({ sha256 });
}

/**
 * Reads the lines of a dump from a file, without the checksum.
 * @throws BackupError at the end, if the checksum is not that of the lines, or where the file is damaged
 */
export async function* readDumpFile(path: string): AsyncGenerator<string> {
  const hash = createHash("sha256");
  const file = createReadStream(path);
  const texts = file.pipe(createGunzip()).setEncoding("utf8");
  file.once("error", (error) => texts.destroy(error));
  let last: string | null = null;
  try {
    for await (const line of linesOf(texts)) {
      if (last !== null) {
        hash.update(`${last}\n`);
        yield last;
      }
      last = line;
    }
  } catch (error) {
    throw stringPropertyOf(error, "code")?.startsWith("Z_") ? damagedError(path) : error;
  } finally {
    file.destroy();
  }
  if (last !== checksumLine(hash.digest("hex"))) throw damagedError(path);
}

function damagedError(path: string): BackupError {
  return new BackupError(
    `${path} is damaged or no backup: its checksum does not match. Use another copy of it.`,
  );
}
