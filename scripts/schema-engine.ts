import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";
import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg" with {
  "resolution-mode": "import",
};
import { PrismaPGlite } from "pglite-prisma-adapter";
import { type Migration, readMigrations } from "../src/platform/store/migrations";

/** The used part of the global, whose types are otherwise only in the DOM library. */
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/**
 * In-memory PGlite databases for the engine, in place of a database server and its shadow database. The
 * shadow database is created at its first use, which takes seconds, and emptied for each further use.
 */
export class MemoryDatabases implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = "postgres";
  readonly adapterName = "signalbox-memory";
  private shadow?: Promise<PGlite>;

  /**
   * @param main the engine's database, which the caller owns and closes; not needed for comparisons
   */
  constructor(private readonly main?: PGlite) {}

  connect(): Promise<SqlDriverAdapter> {
    return this.main ? adapt(this.main) : this.connectToShadowDb();
  }

  async connectToShadowDb(): Promise<SqlDriverAdapter> {
    this.shadow ??= PGlite.create();
    const lite = await this.shadow;
    await lite.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    return adapt(lite);
  }

  /** Closes the shadow database. */
  async close(): Promise<void> {
    await (await this.shadow)?.close();
  }
}

async function adapt(lite: PGlite): Promise<SqlDriverAdapter> {
  const adapter = await new PrismaPGlite(lite).connect();
  // The adapter's own executeScript neither awaits the script nor reports its error.
  adapter.executeScript = async (script) => {
    await lite.exec(script);
  };
  return adapter;
}

/**
 * The SQL that leads from the result of the migrations to a Prisma schema; null if there is no difference.
 * @param folder folder of the migrations; may be empty
 * @param schema text of schema.prisma
 * @param databases databases in which the migrations are executed
 * @throws Error with the engine's text if a migration fails or the schema is invalid
 */
export async function migrationsDiff(
  folder: string,
  schema: string,
  databases: MemoryDatabases,
): Promise<string | null> {
  const engine = await openEngine(schema, databases);
  const migrations = await readMigrations(folder);
  const result = await engine.diff({
    from: { tag: "migrations", ...toEngineMigrations(folder, migrations) },
    to: { tag: "schemaDatamodel", files: [{ path: "schema.prisma", content: schema }] },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  });
  engine.free();
  return result.exitCode === 0 ? null : withoutUnchangedIndexes(result.stdout ?? "", migrations);
}

/** Loaded once per process, because the bindings keep views of the first module's memory. */
let loaded: ReturnType<typeof loadBindings> | undefined;

async function loadBindings() {
  const bindings = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  const main = require.resolve("@prisma/schema-engine-wasm");
  const code = await readFile(join(main, "..", "schema_engine_bg.wasm"));
  const { instance } = await WebAssembly.instantiate(code, {
    "./schema_engine_bg.js": { ...bindings },
  });
  bindings.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start === "function") start();
  return bindings;
}

/** Opens Prisma's schema engine as WebAssembly. It needs no download and, with PGlite, no server. */
export async function openEngine(
  schema: string,
  databases: MemoryDatabases,
): Promise<SchemaEngine> {
  loaded ??= loadBindings();
  const bindings = await loaded;
  return bindings.SchemaEngine.new(
    { datamodels: [["schema.prisma", schema]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(databases),
  );
}

/** Migrations in the engine's form. */
export function toEngineMigrations(folder: string, migrations: Migration[]) {
  return {
    baseDir: folder,
    lockfile: { path: "migration_lock.toml", content: LOCKFILE },
    shadowDbInitScript: "",
    migrationDirectories: migrations.map(({ name, script }) => ({
      path: name,
      migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value: script } },
    })),
  };
}

/**
 * Removes indexes that the engine drops and creates again unchanged: it considers every index with a raw
 * operator class as changed (github.com/prisma/orm/issues/28214).
 * @returns null if no change remains
 */
function withoutUnchangedIndexes(diff: string, migrations: Migration[]): string | null {
  const existing = new Map<string, string>();
  for (const block of migrations.flatMap(({ script }) => blocks(script))) {
    const dropped = DROP_INDEX.exec(block)?.[1];
    if (dropped !== undefined) existing.delete(dropped);
    const created = CREATE_INDEX.exec(block);
    if (created?.[1] !== undefined) existing.set(created[1], created[0]);
  }
  const changes = blocks(diff);
  const unchanged = new Set(
    changes.flatMap((block) => {
      const created = CREATE_INDEX.exec(block);
      const [definition, name] = created ?? [];
      return name !== undefined && existing.get(name) === definition ? [name] : [];
    }),
  );
  const remaining = changes.filter((block) => {
    const name = (DROP_INDEX.exec(block) ?? CREATE_INDEX.exec(block))?.[1];
    return name === undefined || !unchanged.has(name);
  });
  return remaining.length === 0 ? null : `${remaining.join("\n\n")}\n`;
}

const DROP_INDEX = /^DROP INDEX "([^"]+)";$/m;
const CREATE_INDEX = /^CREATE (?:UNIQUE )?INDEX "([^"]+)" ON .*;$/m;

/** The blocks of a script of the engine, each of which starts with a comment that names the step. */
function blocks(script: string): string[] {
  return script.trim().split(/\n\n(?=-- )/);
}

/** The lock file that Prisma keeps next to the migrations. */
export const LOCKFILE = `# Please do not edit this file manually
# It should be added in your version-control system (e.g., Git)
provider = "postgresql"
`;
