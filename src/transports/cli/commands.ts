import { join } from "node:path";
import { Command } from "commander";
import { printProblem } from "../../core/console";
import { packageRoot, packageVersion } from "../../core/package-root";
import { exitAfterFlush } from "../../core/terminal";
import { nearestWord } from "../../core/variables/edit-distance";
import { addAuditExport } from "./audit-export";
import { addBackup } from "./backup/backup";
import { addDocument, type Invocation } from "./connection/document-command";
import { type CommandDocument, readCommands } from "./connection/documents";
import { EXAMPLES, HELP } from "./connection/help";
import { resolveAccess } from "./connection/server";
import { addDoctor } from "./doctor";
import { addMigrate } from "./migrate";
import { addPrograms } from "./programs";
import { addPushTest } from "./push-test";
import { addResetPassword } from "./reset-password";
import { addSignIn } from "./sign-in";
import { addToken } from "./token";
import { addUserExport } from "./user-export";

const GROUP_DESCRIPTIONS: Record<string, string> = {
  "api-key": "API keys of applications, by which their backends call.",
  app: "Applications of the account.",
  audit: "The audit log: what members of the account did.",
  call: "Calls of an application.",
  conference: "Conferences of an application.",
  health: "The state of the deployment: nodes, what they depend on, and background jobs.",
  member: "Members of the account, and invitations to it.",
  push: "Push credentials, and pushes to users.",
  statistics: "What happened in applications, and what is live in them.",
  user: "Users of an application.",
};

/** Errors that are shown only by their message; all others are shown with their stack. */
const MESSAGE_ONLY = new Set([
  "BackupError",
  "CommandError",
  "ConfigError",
  "DatabaseCopyError",
  "StartError",
  "UnusableDatabaseError",
]);

/**
 * Runs the command line, and ends the process, with exit code 1 on failure.
 * @param argv as process.argv
 */
export async function run(argv: string[]): Promise<void> {
  try {
    await createProgram().parseAsync(argv);
    exitAfterFlush(Number(process.exitCode ?? 0));
  } catch (error) {
    printProblem(isMessageOnly(error) ? error.message : error);
    exitAfterFlush(1);
  }
}

/**
 * Creates the command line: one command for each operation of schema/cli, which is sent to a running server, and the
 * commands written in TypeScript.
 */
export function createProgram(): Command {
  const program = new Command("signalbox")
    .description(
      "Runs Signalbox, and administers its applications, users, push, database and diagnostics.",
    )
    .version(packageVersion())
    .option(
      "--url <url>",
      "server URL (default: SIGNALBOX_URL, else PORT, else DATA_DIR/credentials.json)",
    )
    .option(
      "--token <token>",
      "member's token (default: SIGNALBOX_TOKEN, else the session of sign-in, else DATA_DIR/owner.json)",
    )
    // core/config reads it among the arguments, as for the server.
    .option("--env-file <path>", "file with environment variables (default: .env in this folder)")
    .option("--json", "print the answer as JSON")
    .configureHelp(HELP)
    .showHelpAfterError("Run it with --help for usage.")
    .addHelpText("after", EXAMPLES);
  const invocation = (): Invocation => {
    const options = program.opts<{ url?: string; token?: string; json?: boolean }>();
    // Loaded lazily, so that --help stays fast.
    const { readConfig } = require("../../core/config") as typeof import("../../core/config");
    return {
      options,
      config: readConfig,
      access: () => resolveAccess(options, readConfig()),
      json: options.json ?? false,
    };
  };
  addPrograms(program);
  const groups = new Map<string, Command>();
  const documents = readCommands(join(packageRoot(), "schema/cli"));
  for (const document of documents) {
    const { group } = document;
    const parent =
      groups.get(group) ?? program.command(group).description(GROUP_DESCRIPTIONS[group] ?? "");
    groups.set(group, parent);
    addDocument(parent, document, invocation);
  }
  addAuditExport(groups.get("audit") ?? program.command("audit"), invocation);
  addUserExport(groups.get("user") ?? program.command("user"), invocation);
  addPushTest(groups.get("push") ?? program.command("push"), invocation);
  addResetPassword(groups.get("member") ?? program.command("member"), invocation);
  addSignIn(program, invocation);
  addToken(program, invocation);
  addMigrate(program, invocation);
  addBackup(program, invocation);
  addDoctor(program, invocation);
  for (const command of [program, ...groups.values()]) suggestHarmless(command, documents);
  return program;
}

/** Rejects an unknown command with a suggestion, but never suggests one that destroys something. */
function suggestHarmless(command: Command, documents: CommandDocument[]): void {
  const destructive = documents.filter((each) => each.destructive);
  const names = command.commands
    .map((each) => each.name())
    .filter((name) =>
      destructive.every((each) => each.group !== command.name() || each.name !== name),
    );
  command.on("command:*", ([given = ""]: string[]) => {
    const similar = nearestWord(given, names, Math.ceil(given.length / 3));
    const suggestion = similar === undefined ? "" : `\n(Did you mean ${similar}?)`;
    command.error(`error: unknown command '${given}'${suggestion}`);
  });
}

/** Also system errors, for example a file that cannot be written. */
function isMessageOnly(error: unknown): error is Error {
  return error instanceof Error && (MESSAGE_ONLY.has(error.name) || "syscall" in error);
}
