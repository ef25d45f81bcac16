import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openLog } from "../../src/core/log";
import { openEmbedded } from "../../src/store/embedded";
import { readMigrations } from "../../src/store/migrations";

const ROOT = resolve(__dirname, "../..");
const CACHE = join(ROOT, "node_modules", ".cache", "signalbox");

/**
 * Folder of a migrated, closed embedded database for tests to copy. Creating one takes seconds, so it is
 * cached between runs by a hash of its inputs.
 */
export async function embeddedTemplate(): Promise<string> {
  const folder = join(CACHE, `template-${await fingerprint()}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(join(CACHE, "draft-"));
  try {
    const store = await openEmbedded(draft, openLog("silent"));
    await store.close();
    // The first process moves its folder into place; concurrent ones create the same content.
    await rename(join(draft, "db"), folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

async function fingerprint(): Promise<string> {
  const hash = createHash("sha256");
  for (const { name, checksum } of await readMigrations()) hash.update(`${name} ${checksum}\n`);
  const sources = join(ROOT, "src", "store");
  for (const file of (await readdir(sources)).sort()) {
    if (/^(embedded|migrat).*\.ts$/.test(file)) hash.update(await readFile(join(sources, file)));
  }
  const lite = await readFile(join(ROOT, "node_modules/@electric-sql/pglite/package.json"), "utf8");
  hash.update(String(JSON.parse(lite).version));
  return hash.digest("hex").slice(0, 16);
}
