import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { readMigrations } from "../../src/platform/store/migrations";
import { prepareDatabase } from "./prepared-database";

const ROOT = resolve(__dirname, "../..");
const CACHE = join(ROOT, "node_modules", ".cache", "signalbox");

/** Zeroing the default, 128 MB, takes a quarter of the processor time in which a database opens. */
const SETTINGS = "shared_buffers = 16MB\n";

/** Drops what PostgreSQL copies new databases from: each test would copy it, and it is half of the files. */
const DROP_UNUSED = [
  "UPDATE pg_database SET datistemplate = false",
  "DROP DATABASE template0",
  "DROP DATABASE template1",
];

/**
 * Folder of a prepared, closed embedded database for tests to copy. Creating one takes seconds, so it is
 * cached between runs by a hash of its inputs.
 */
export async function embeddedTemplate(): Promise<string> {
  const folder = join(CACHE, `template-${await fingerprint()}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(join(CACHE, "draft-"));
  try {
    await prepareDatabase({ DATA_DIR: draft });
    await dropUnusedDatabases(join(draft, "db"));
    await appendFile(join(draft, "db", "postgresql.conf"), SETTINGS);
    // The first process moves its folder into place; concurrent ones create the same content.
    await rename(join(draft, "db"), folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

async function dropUnusedDatabases(dataDir: string): Promise<void> {
  const lite = await PGlite.create({ dataDir });
  for (const statement of DROP_UNUSED) await lite.exec(statement);
  await lite.close();
}

/** The sources that decide what a prepared database contains. A queue that it lacks is created by the node that needs it. */
const DECISIVE = /^(store\/(embedded|migrat)[^/]*|jobs\/[^/]*)\.ts$/;

async function fingerprint(): Promise<string> {
  const hash = createHash("sha256").update(SETTINGS).update(DROP_UNUSED.join());
  for (const { name, checksum } of await readMigrations()) hash.update(`${name} ${checksum}\n`);
  const sources = join(ROOT, "src");
  for (const path of (await readdir(sources, { recursive: true })).sort()) {
    if (DECISIVE.test(path)) hash.update(await readFile(join(sources, path)));
  }
  for (const name of ["@electric-sql/pglite", "pg-boss"]) {
    const description = await readFile(join(ROOT, `node_modules/${name}/package.json`), "utf8");
    hash.update(String(JSON.parse(description).version));
  }
  return hash.digest("hex").slice(0, 16);
}
