import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** One folder of prisma/migrations. */
export interface Migration {
  /** Name of the folder; migrations run in the order of their names. */
  name: string;
  script: string;
  /** SHA-256 of migration.sql in hexadecimal, as Prisma keeps it. */
  checksum: string;
  /** The checksums that also stand for this file: those with the other line ends. */
  otherChecksums: string[];
}

/** Where prisma/migrations is, seen from the sources as well as from the build. */
export function migrationsFolder(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, "prisma", "migrations"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("prisma/migrations is missing from the installation");
    folder = parent;
  }
  return join(folder, "prisma", "migrations");
}

/** Reads a folder of migrations, in the order in which they run. */
export async function readMigrations(folder = migrationsFolder()): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const script = await readFile(join(folder, name, "migration.sql"), "utf8");
      const unix = script.replaceAll("\r\n", "\n");
      return {
        name,
        script,
        checksum: sha256(script),
        otherChecksums: [sha256(unix), sha256(unix.replaceAll("\n", "\r\n"))],
      };
    }),
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
