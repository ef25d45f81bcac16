import type { Command } from "commander";
import { printText } from "../../core/console";
import type { Invocation } from "./connection/document-command";
import { toJson } from "./connection/table";

/** Adds `migrate`, which works on the configured database without a server. */
export function addMigrate(program: Command, invocation: () => Invocation): void {
  program
    .command("migrate")
    .description("Applies pending database migrations, without starting a server.")
    .action(async () => {
      const { config, json } = invocation();
      // Loaded lazily: the database clients take longer to load than any other command takes to run.
      const { migrateDatabase } =
        require("./migrate-database") as typeof import("./migrate-database");
      const applied = await migrateDatabase(config());
      printText(json ? toJson({ applied }) : toText(applied));
    });
}

function toText(applied: string[]): string {
  return applied.length === 0
    ? "Nothing to apply: the database is up to date."
    : `Applied:\n${applied.map((name) => `  ${name}`).join("\n")}`;
}
