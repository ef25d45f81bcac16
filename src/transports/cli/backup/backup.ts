import type { Command } from "commander";
import { printText } from "../../../core/console";
import { CommandError } from "../connection/command-error";
import type { Invocation } from "../connection/document-command";
import { readSecret } from "../connection/option-values";
import { alignColumns, toJson } from "../connection/table";

/**
 * Adds `backup`, `restore` and `export`, which work on the embedded database of DATA_DIR. What they run is loaded lazily:
 * the database takes longer to load than any other command takes to run.
 */
export function addBackup(program: Command, invocation: () => Invocation): void {
  addBackUp(program, invocation);
  addRestore(program, invocation);
  addExport(program, invocation);
}

function addBackUp(program: Command, invocation: () => Invocation): void {
  program
    .command("backup")
    .description("Backs up the embedded database to a file, also while the server runs.")
    .argument("<file>", "File to create. The key and the owner's password go to <file>.key.")
    .action(async (file: string) => {
      const { config, json } = invocation();
      const { backUpFolder } = require("./back-up-folder") as typeof import("./back-up-folder");
      const backup = await backUpFolder(config(), file);
      const secrets = backup.hasKey
        ? `The key and the owner's password are in ${backup.keyFile}. Keep that file in another place: without it nobody can restore the backup, and with it anybody can decrypt it.`
        : `The key is the server's SECRET_KEY, which is not in the backup: keep it as well. ${backup.keyFile} has the other secrets of DATA_DIR.`;
      printText(
        json ? toJson(backup) : `Backed up to ${backup.file} (${backup.bytes} bytes).\n${secrets}`,
      );
    });
}

function addRestore(program: Command, invocation: () => Invocation): void {
  program
    .command("restore")
    .description("Restores a backup into an empty DATA_DIR, for the next start of the server.")
    .argument("<file>", "File of signalbox backup, with <file>.key beside it.")
    .action(async (file: string) => {
      const { config, json } = invocation();
      const { restoreFolder } = require("./restore-folder") as typeof import("./restore-folder");
      const restored = await restoreFolder(config(), file);
      printText(
        json
          ? toJson(restored)
          : `${toTable(restored.rows)}\n\nRestored to ${restored.folder}. The server can start.`,
      );
    });
}

interface ExportOptions {
  to?: string;
}

function addExport(program: Command, invocation: () => Invocation): void {
  program
    .command("export")
    .description("Copies the embedded database to an empty PostgreSQL database.")
    .option(
      "--to <url>",
      "URL of the PostgreSQL database (- for standard input, @FILE for a file; default: DATABASE_URL).",
    )
    .action(async (options: ExportOptions) => {
      const { config: readConfig, json } = invocation();
      const config = readConfig();
      const url = options.to === undefined ? config.DATABASE_URL : await readUrl(options.to);
      if (url === undefined) {
        throw new CommandError("The target is missing: set DATABASE_URL, or pass --to.");
      }
      const { exportFolder } = require("./export-folder") as typeof import("./export-folder");
      const exported = await exportFolder(config, url);
      const key =
        exported.keyFile === null ? "the same SECRET_KEY" : `SECRET_KEY=$(cat ${exported.keyFile})`;
      printText(
        json
          ? toJson(exported)
          : `${toTable(exported.rows)}\n\nAll rows are in PostgreSQL. Start the server with DATABASE_URL and ${key}. Do not start it on the embedded database again: pushes that wait would be sent twice.`,
      );
    });
}

/** @throws CommandError without the URL, which may hold a password */
async function readUrl(given: string): Promise<string> {
  const url = await readSecret("--to", given);
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return url;
  throw new CommandError("--to must be a URL that begins with postgresql://.");
}

/** The tables with rows. */
function toTable(rows: Record<string, number>): string {
  const filled = Object.entries(rows).filter(([, count]) => count > 0);
  return alignColumns([["table", "rows"], ...filled.map(([name, count]) => [name, `${count}`])]);
}
