import { join } from "node:path";
import { Command } from "commander";
import { ConfigError, readConfig } from "../core/config";
import { printProblem, printText } from "../core/console";
import { packageRoot } from "../core/package-root";
import { type CommandDocument, type CommandOption, kebab, readCommands } from "./documents";
import { askServer, CommandError } from "./server";
import { coreOf, toTable } from "./table";

/** Runs the command line: one command for each operation of schema/cli, against a running server. */
export async function run(words: string[]): Promise<void> {
  const program = new Command("signalbox")
    .description("Administers a running Signalbox as the owner of the account.")
    .option("--url <url>", "address of the server (SIGNALBOX_URL, or by HOST and PORT)")
    .option("--token <token>", "the owner's token (SIGNALBOX_TOKEN, or by DATA_DIR/owner.json)")
    .option("--json", "print the answer as JSON");
  const groups = new Map<string, Command>();
  for (const document of readCommands(join(packageRoot(), "schema/cli"))) {
    const group = groups.get(document.group) ?? program.command(document.group);
    groups.set(document.group, group);
    addCommand(program, group, document);
  }
  for (const [name, group] of groups) group.description(`commands about: ${name}`);
  try {
    await program.parseAsync(words);
  } catch (error) {
    const expected = error instanceof CommandError || error instanceof ConfigError;
    printProblem(expected ? error.message : error);
    process.exitCode = 1;
  }
}

function addCommand(program: Command, group: Command, document: CommandDocument): void {
  const command = group.command(document.name).description(document.about);
  for (const { variable, list, required, about } of document.options) {
    const flags = `--${kebab(variable)} <${list ? "values..." : "value"}>`;
    if (required) command.requiredOption(flags, about);
    else command.option(flags, about);
  }
  command.action(async (options: Record<string, string | string[]>) => {
    const { url, token, json } = program.opts<{ url?: string; token?: string; json?: boolean }>();
    const config = readConfig();
    const variables = Object.fromEntries(
      document.options
        .filter(({ variable }) => options[variable] !== undefined)
        .map((option) => [option.variable, toValue(option, options[option.variable]!)]),
    );
    const answer = await askServer(
      {
        url: url ?? config.SIGNALBOX_URL ?? `http://${config.HOST}:${config.PORT}`,
        token: token ?? config.SIGNALBOX_TOKEN,
        dataDir: config.DATA_DIR,
      },
      document.text,
      variables,
    );
    const core = coreOf(answer);
    printText(json ? JSON.stringify(core, null, 2) : toTable(core));
  });
}

function toValue({ type, variable }: CommandOption, text: string | string[]): unknown {
  if (type === "String" || Array.isArray(text)) return text;
  if (type === "Number" && /^-?\d+$/.test(text)) return Number(text);
  if (type === "Boolean" && /^(true|false)$/.test(text)) return text === "true";
  const wanted = type === "Number" ? "a whole number" : "true or false";
  throw new CommandError(`--${kebab(variable)} must be ${wanted}`);
}
