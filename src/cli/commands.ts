import { join } from "node:path";
import { Command } from "commander";
import { printProblem } from "../core/console";
import { packageRoot, packageVersion } from "../core/package-root";
import { endProcess } from "../core/terminal";
import { addDoctor } from "./doctor";
import { addDocument, type Call } from "./document-command";
import { readCommands } from "./documents";
import { EXAMPLES, HELP } from "./help";
import { addMigrate } from "./migrate";
import { addPushTest } from "./push-test";
import { accessOf } from "./server";
import { addToken } from "./token";

const ABOUT: Record<string, string> = {
  app: "Applications of the account.",
  push: "Credentials for push services, and a trial.",
  user: "Users of an application.",
};

/** Errors whose text is for the person at the terminal; of all others the whole is shown. */
const IN_WORDS = new Set(["CommandError", "ConfigError", "UnusableDatabaseError"]);

/**
 * Runs the command line: a command for each operation of schema/cli, sent to a running server, and
 * those that are more than one operation. Ends the process, with 1 when something is wrong.
 */
export async function run(words: string[]): Promise<void> {
  const program = new Command("signalbox")
    .description("Administers Signalbox: applications, users, the database, and what is wrong.")
    .version(packageVersion())
    .option("--url <url>", "address of the server (SIGNALBOX_URL, or by HOST and PORT)")
    .option("--token <token>", "the owner's token (SIGNALBOX_TOKEN, or by DATA_DIR/owner.json)")
    .option("--json", "print the answer as JSON")
    .configureHelp(HELP)
    .showHelpAfterError("Run it with --help to see what there is.")
    .addHelpText("after", EXAMPLES);
  const call = (): Call => {
    const options = program.opts<{ url?: string; token?: string; json?: boolean }>();
    // Loaded with the first command that needs it: the help does not.
    const { readConfig } = require("../core/config") as typeof import("../core/config");
    return {
      options,
      config: readConfig,
      access: () => accessOf(options, readConfig()),
      json: options.json ?? false,
    };
  };
  const groups = new Map<string, Command>();
  for (const document of readCommands(join(packageRoot(), "schema/cli"))) {
    const { group } = document;
    const made = groups.get(group) ?? program.command(group).description(ABOUT[group] ?? "");
    groups.set(group, made);
    addDocument(made, document, call);
  }
  addPushTest(groups.get("push") ?? program.command("push"), call);
  addToken(program, call);
  addMigrate(program, call);
  addDoctor(program, call);
  try {
    await program.parseAsync(words);
    endProcess(Number(process.exitCode ?? 0));
  } catch (error) {
    printProblem(isInWords(error) ? error.message : error);
    endProcess(1);
  }
}

/** Those, and what the system refused: a file that cannot be written, say. */
function isInWords(error: unknown): error is Error {
  return error instanceof Error && (IN_WORDS.has(error.name) || "syscall" in error);
}
