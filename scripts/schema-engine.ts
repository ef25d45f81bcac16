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
import { type Migration, readMigrations } from "../src/store/migrations";

/** The part of the global that is used here; its types otherwise come with the DOM's. */
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/**
 * PGlite in memory for the engine, in place of a database server and of its shadow database. One is
 * made at the first use, which takes seconds, and emptied for every further one.
 */
export class MemoryDatabases implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = "postgres";
  readonly adapterName = "signalbox-memory";
  private shadow?: Promise<PGlite>;

  /**
   * @param main the database that the engine works on, which stays the caller's; where the engine only
   *   compares, it needs none
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

  /** Closes what was made here. */
  async close(): Promise<void> {
    await (await this.shadow)?.close();
  }
}

async function adapt(lite: PGlite): Promise<SqlDriverAdapter> {
  const adapter = await new PrismaPGlite(lite).connect();
  // The package's own neither waits for the script nor tells of its error.
  adapter.executeScript = async (script) => {
    await lite.exec(script);
  };
  return adapter;
}

/**
 * SQL that leads from what the migrations of a folder make to a Prisma schema; null where both are
 * the same.
 * @param folder of migrations; it may be empty
 * @param schema text of schema.prisma
 * @param databases where the migrations are tried
 * @throws Error with the engine's text when a migration fails or the schema is not valid
 */
export async function migrationsDiff(
  folder: string,
  schema: string,
  databases: MemoryDatabases,
): Promise<string | null> {
  const engine = await openEngine(schema, databases);
  const migrations = await readMigrations(folder);
  const result = await engine.diff({
    from: { tag: "migrations", ...listOf(folder, migrations) },
    to: { tag: "schemaDatamodel", files: [{ path: "schema.prisma", content: schema }] },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  });
  engine.free();
  return result.exitCode === 0 ? null : withoutSameIndexes(result.stdout ?? "", migrations);
}

/** Once per process: the bindings keep views of the memory of the first module that they are given. */
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

/** Prisma's schema engine as WebAssembly: it needs no download and, with PGlite, no server. */
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

/** Migrations in the form that the engine takes. */
export function listOf(folder: string, migrations: Migration[]) {
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
 * Leaves out indexes that the engine drops only to make them again as they were: it takes every index
 * with a raw operator class for changed (github.com/prisma/orm/issues/28214).
 * @returns null where nothing else is left
 */
function withoutSameIndexes(diff: string, migrations: Migration[]): string | null {
  const made = new Map<string, string>();
  for (const block of migrations.flatMap(({ script }) => blocks(script))) {
    const dropped = DROP_INDEX.exec(block)?.[1];
    if (dropped !== undefined) made.delete(dropped);
    const created = CREATE_INDEX.exec(block);
    if (created?.[1] !== undefined) made.set(created[1], created[0]);
  }
  const changes = blocks(diff);
  const same = new Set(
    changes.flatMap((block) => {
      const created = CREATE_INDEX.exec(block);
      return created?.[1] !== undefined && made.get(created[1]) === created[0] ? [created[1]] : [];
    }),
  );
  const left = changes.filter((block) => {
    const name = (DROP_INDEX.exec(block) ?? CREATE_INDEX.exec(block))?.[1];
    return name === undefined || !same.has(name);
  });
  return left.length === 0 ? null : `${left.join("\n\n")}\n`;
}

const DROP_INDEX = /^DROP INDEX "([^"]+)";$/m;
const CREATE_INDEX = /^CREATE (?:UNIQUE )?INDEX "([^"]+)" ON .*;$/m;

/** The parts of a script as the engine writes it, each under a comment that names the step. */
function blocks(script: string): string[] {
  return script.trim().split(/\n\n(?=-- )/);
}

/** What Prisma keeps beside the migrations. */
export const LOCKFILE = `# Please do not edit this file manually
# It should be added in your version-control system (e.g., Git)
provider = "postgresql"
`;
