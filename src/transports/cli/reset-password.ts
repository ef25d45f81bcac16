import type { Command } from "commander";
import { printText } from "../../core/console";
import type { Invocation } from "./connection/document-command";
import { readSecret } from "./connection/option-values";
import { toJson } from "./connection/table";

interface ResetOptions {
  email?: string;
  password?: string;
}

/** Adds `member reset-password`, which works on the database, without a server and without a token. */
export function addResetPassword(group: Command, invocation: () => Invocation): void {
  group
    .command("reset-password")
    .description(
      "Replaces a lost password on the database: in DATA_DIR while the server is stopped, or in PostgreSQL.",
    )
    .option("--email <text>", "E-mail address of the member; without it, the only owner.")
    .option(
      "--password <text>",
      "New password (- for standard input, @FILE for a file); without it, a random one is printed.",
    )
    .action(async ({ email, password }: ResetOptions) => {
      const { config: readConfig, json } = invocation();
      const config = readConfig();
      const given = password === undefined ? undefined : await readSecret("--password", password);
      // Loaded lazily: the database clients take longer to load than any other command takes to run.
      const { resetOnDatabase } =
        require("./reset-on-database") as typeof import("./reset-on-database");
      const reset = await resetOnDatabase(config, email, given);
      printText(json ? toJson(reset) : toText(reset));
    });
}

function toText(reset: {
  email: string;
  password: string | null;
  ownerFile: { path: string; isCurrent: boolean } | null;
}): string {
  const { email, password, ownerFile } = reset;
  const lines = [`The password of ${email} was replaced, and all sessions of the member ended.`];
  if (password !== null) lines.push(`New password, which is shown only here: ${password}`);
  if (ownerFile?.isCurrent)
    lines.push(`${ownerFile.path} has it, so that the command line works as before.`);
  else if (ownerFile) {
    lines.push(
      `${ownerFile.path} still has the old password: delete it, and use signalbox sign-in.`,
    );
  }
  return lines.join("\n");
}
