import type { Command } from "commander";
import { printText } from "../core/console";
import type { Call } from "./document-command";
import { toJson } from "./table";

/** Adds `migrate`, which asks no server: it works on the database of the configuration. */
export function addMigrate(program: Command, call: () => Call): void {
  program
    .command("migrate")
    .description("Brings the database up to this version, without starting a server.")
    .action(async () => {
      const { config, json } = call();
      // Loaded here: the databases' clients take longer to load than any other command takes to run.
      const { migrateDatabase } =
        require("./migrate-database") as typeof import("./migrate-database");
      const applied = await migrateDatabase(config());
      printText(json ? toJson({ applied }) : textOf(applied));
    });
}

function textOf(applied: string[]): string {
  return applied.length === 0
    ? "There was nothing to apply: the database has every migration."
    : `Applied:\n${applied.map((name) => `  ${name}`).join("\n")}`;
}
