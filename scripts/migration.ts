/**
 * Writes a migration from the state of prisma/migrations to prisma/schema.prisma, or records the outcome of a
 * failed migration:
 *
 *     npm run migration -- NAME
 *     npm run migration -- --rolled-back MIGRATION
 *     npm run migration -- --applied MIGRATION
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemClock } from "../src/core/clock";
import { readConfig } from "../src/core/config";
import { resolveMigration } from "../src/platform/store/migrate";
import { openMigrationConnection } from "../src/platform/store/migration-connection";
import { migrationsFolder } from "../src/platform/store/migrations";
import { UnusableDatabaseError } from "../src/platform/store/unusable-database-error";
import { LOCKFILE, MemoryDatabases, migrationsDiff } from "./schema-engine";

const USAGE = "Usage: npm run migration -- NAME | --rolled-back MIGRATION | --applied MIGRATION";

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

async function record(outcome: "rolled-back" | "applied", name: string): Promise<string> {
  const { connection, close } = await openMigrationConnection(readConfig());
  try {
    if (await resolveMigration(connection, name, outcome))
      return `${name} is recorded as ${outcome}.`;
    throw new UnusableDatabaseError(`The database has no unfinished migration ${name}.`);
  } finally {
    await close();
  }
}

async function main(args: string[]): Promise<string> {
  const [first, second] = args;
  if (first === "--rolled-back" || first === "--applied") {
    if (second === undefined) throw new UnusableDatabaseError(USAGE);
    return record(first === "--applied" ? "applied" : "rolled-back", second);
  }
  if (first === undefined || args.length > 1) throw new UnusableDatabaseError(USAGE);
  const folder = migrationsFolder();
  const schema = await readFile(join(folder, "..", "schema.prisma"), "utf8");
  const databases = new MemoryDatabases();
  try {
    return await writeMigration(first, folder, schema, new Date(systemClock.now()), databases);
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
