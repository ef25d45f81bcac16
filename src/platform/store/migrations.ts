import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** One folder of prisma/migrations. */
export interface Migration {
  /** Name of the folder. Migrations run in the order of their names. */
  name: string;
  script: string;
  /** SHA-256 of migration.sql in hexadecimal, as Prisma stores it. */
  checksum: string;
  /** Also accepted: the checksums of the same file with LF and with CRLF line endings. */
  otherChecksums: string[];
}

/** The path of prisma/migrations, from the sources as well as from the build. */
export function migrationsFolder(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, "prisma", "migrations"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("prisma/migrations is missing from the installation");
    folder = parent;
  }
  return join(folder, "prisma", "migrations");
}

/** Reads all migrations of a folder, in the order in which they run. */
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
