import { z } from "zod";
import { BackupError } from "./backup-error";

/**
 * A dump is lines of text, each a JSON value. The first is its header. A table is an entry with its name and columns, its
 * rows, which are arrays of texts, and an entry with their number. The entries of sequences are the last.
 */

/** The first line of a dump. */
export interface DumpHeader {
  /** The form of the dump. */
  format: typeof FORMAT;
  /** The version of Signalbox that made it. */
  signalbox: string;
  /** Names of the migrations of its database. */
  migrations: string[];
  /** The version of the schema of the job queue; null if the database has none. */
  jobs: number | null;
}

/** The form that this version writes and reads. */
export const FORMAT = 1;

const HEADER = z.object({
  format: z.literal(FORMAT),
  signalbox: z.string(),
  migrations: z.array(z.string()),
  jobs: z.number().nullable(),
});

const ENTRY = z.union([
  z.object({ table: z.string(), columns: z.array(z.string()) }),
  z.object({ rows: z.number() }),
  z.object({ sequence: z.string(), value: z.string().regex(/^-?\d{1,19}$/), called: z.boolean() }),
]);

/** An entry of a dump, other than its header and the rows of tables. */
export type DumpEntry = z.infer<typeof ENTRY>;

/** Parses the first line of a dump. @throws BackupError if it is that of another form, or none */
export function parseHeader(line: string): DumpHeader {
  const { success, data } = HEADER.safeParse(parseJson(line));
  if (success) return data;
  throw new BackupError(
    "The file is no backup, or one of a newer version of Signalbox: restore it with the version that made it.",
  );
}

/** Parses an entry. @throws BackupError if it is none */
export function parseEntry(line: string): DumpEntry {
  const { success, data } = ENTRY.safeParse(parseJson(line));
  if (success) return data;
  throw new BackupError("The backup contains an entry that this version does not know.");
}

/** Whether a line is a row of a table. */
export function isRow(line: string): boolean {
  return line.startsWith("[");
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
