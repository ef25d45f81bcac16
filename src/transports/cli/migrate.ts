import { type Command, Option } from "commander";
import { printText } from "../../core/console";
import type { MigratedStore } from "../../platform/store/migrate";
import type { Invocation } from "./connection/document-command";
import { toJson } from "./connection/table";

/** Adds `migrate`, which works on the configured database without a server. */
export function addMigrate(program: Command, invocation: () => Invocation): void {
  program
    .command("migrate")
    .description(
      "Applies pending database migrations and builds indexes of large tables, without starting a server.",
    )
    .addOption(
      new Option(
        "--rolled-back <migration>",
        "Only records that a migration that failed is not in the database, so that it can run again.",
      ).conflicts("applied"),
    )
    .option(
      "--applied <migration>",
      "Only records that a migration that failed is in the database, as its statements were run by hand.",
    )
    .action(async ({ rolledBack, applied }: { rolledBack?: string; applied?: string }) => {
      const { config, json } = invocation();
      // Loaded lazily: the database clients take longer to load than any other command takes to run.
      const { migrateDatabase, recordOutcome } =
        require("./migrate-database") as typeof import("./migrate-database");
      const name = rolledBack ?? applied;
      if (name !== undefined) {
        const outcome = applied === undefined ? "rolled-back" : "applied";
        await recordOutcome(config(), name, outcome);
        printText(json ? toJson({ name, outcome }) : `${name} is recorded as ${outcome}.`);
        return;
      }
      const migrated = await migrateDatabase(config());
      printText(json ? toJson({ ...migrated }) : toText(migrated));
    });
}

function toText({ applied, indexes }: MigratedStore): string {
  const done = [...listOf("Applied:", applied), ...listOf("Built the indexes:", indexes)];
  return done.length === 0 ? "Nothing to apply: the database is up to date." : done.join("\n");
}

function listOf(title: string, names: string[]): string[] {
  return names.length === 0 ? [] : [title, ...names.map((name) => `  ${name}`)];
}
