import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";

/** Media types of the files that a build has, by their extension. */
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Extensions of the compressed forms of a file, by their content coding, smallest first. */
const FORMS = { br: ".br", gzip: ".gz" } as const;
/** A content coding that the build has prepared. */
export type ContentCoding = keyof typeof FORMS;
const CODINGS = Object.keys(FORMS) as ContentCoding[];

/** The bytes of a file in one form. */
export interface FileContent {
  content: Buffer;
  /** Differs for each form of a file, as RFC 9110 section 8.8.3 requires. */
  etag: string;
}

/** One file of the build. */
export class BuiltFile {
  private readonly loaded = new Map<ContentCoding | null, Promise<FileContent>>();

  constructor(
    private readonly path: string,
    /** Media type. */
    readonly type: string,
    /** Codings of its compressed forms, smallest first. */
    readonly codings: readonly ContentCoding[],
  ) {}

  /** Reads the file once, when it is first requested. @param coding null for the file as it is */
  load(coding: ContentCoding | null): Promise<FileContent> {
    const known = this.loaded.get(coding);
    if (known) return known;
    const reading = readContent(coding === null ? this.path : this.path + FORMS[coding]);
    this.loaded.set(coding, reading);
    reading.catch(() => this.loaded.delete(coding));
    return reading;
  }
}

async function readContent(path: string): Promise<FileContent> {
  const content = await readFile(path);
  return { content, etag: `"${createHash("sha256").update(content).digest("base64url")}"` };
}

/**
 * The files of a build by their path, with slashes. Files that appear later are not served, and a request names a file
 * only by a key of this map, never by a path of the disk.
 * @returns null if the folder does not exist
 */
export function readBuiltFiles(folder: string): ReadonlyMap<string, BuiltFile> | null {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return null;
  }
  const present = new Set(names);
  const files = new Map<string, BuiltFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const codings = CODINGS.filter((coding) => present.has(name + FORMS[coding]));
    files.set(name.split(sep).join("/"), new BuiltFile(join(folder, name), type, codings));
  }
  return files;
}
