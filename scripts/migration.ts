/** Writes a migration from the state of prisma/migrations to prisma/schema.prisma: `npm run migration -- NAME` */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemClock } from "../src/core/clock";
import { migrationsFolder } from "../src/platform/store/migrations";
import { UnusableDatabaseError } from "../src/platform/store/unusable-database-error";
import { LOCKFILE, MemoryDatabases, migrationsDiff } from "./schema-engine";

const USAGE = "Usage: npm run migration -- NAME";

/**
 * Writes the folder of a new migration.
 * @returns a message for the user
 * @throws Refusal for an invalid name
 */
export async function writeMigration(
  name: string,
  folder: string,
  schema: string,
  now: Date,
  databases: MemoryDatabases,
): Promise<string> {
  if (!/^[a-z0-9_]+$/.test(name))
    throw new UnusableDatabaseError("A migration's name may contain only a-z, 0-9 and _.");
  const script = await migrationsDiff(folder, schema, databases);
  if (script === null) return "No change: prisma/migrations already match prisma/schema.prisma.";
  const stamp = now.toISOString().replace(/\D/g, "").slice(0, 14);
  const path = join(folder, `${stamp}_${name}`, "migration.sql");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, script);
  await writeFile(join(folder, "migration_lock.toml"), LOCKFILE);
  return `Written: ${path}. Review it before you commit it.`;
}

async function main(args: string[]): Promise<string> {
  const [name] = args;
  if (name === undefined || args.length > 1) throw new UnusableDatabaseError(USAGE);
  const folder = migrationsFolder();
  const schema = await readFile(join(folder, "..", "schema.prisma"), "utf8");
  const databases = new MemoryDatabases();
  try {
    return await writeMigration(name, folder, schema, new Date(systemClock.now()), databases);
  } finally {
    await databases.close();
  }
}

if (require.main === module) {
  main(process.argv.slice(2)).then(
    (text) => process.stdout.write(`${text}\n`),
    (error: unknown) => {
      const expected = error instanceof UnusableDatabaseError;
      process.stderr.write(`${expected ? error.message : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
