import type { Command } from "commander";
import type { Config } from "../../../core/config";
import { printText } from "../../../core/console";
import { replaceControls } from "../../../core/terminal";
import { CommandError } from "./command-error";
import { confirmByName, type Preview, previewText, toPreview } from "./confirmation";
import { type CommandDocument, type CommandOption, kebab } from "./documents";
import { asMember } from "./member";
import { flagOf, type OptionValues, toVariables } from "./option-values";
import { type ServerAccess, ServerAnswerError } from "./server";
import { toJson, toTable, unwrap } from "./table";

/** The global options of a call, and what commands derive from them. */
export interface Invocation {
  options: { url?: string; token?: string };
  /** Reads the configuration. @throws ConfigError */
  config(): Config;
  /** Where the server is and how to authenticate. @throws ConfigError */
  access(): ServerAccess;
  json: boolean;
}

/** Adds the command of a document. The operation's variables become its options. */
export function addDocument(
  group: Command,
  document: CommandDocument,
  invocation: () => Invocation,
): void {
  const command = group.command(document.name).description(document.description);
  for (const option of document.options) {
    const flags = `${flagOf(option)} <${placeholderOf(option)}>`;
    if (option.required) command.requiredOption(flags, descriptionOf(option));
    else command.option(flags, descriptionOf(option));
  }
  if (document.preview !== undefined) {
    command
      .option("--yes", "Does not ask.")
      .option("--dry-run", "Shows what would be deleted, and deletes nothing.");
  }
  const isGiven = (name: string) => command.opts()[name] === true;
  command.action(async (given: OptionValues) => {
    const { access, json } = invocation();
    const values = await toVariables(document.options, given);
    const { preview } = document;
    const data = await asMember(access(), async (execute) => {
      if (preview !== undefined) {
        const found = toPreview(await execute(preview.text, pick(values, preview.variables)));
        if (isGiven("dryRun")) return printPreview(found, json);
        if (!isGiven("yes")) await confirmByName(`${document.group} ${document.name}`, found);
      }
      return execute(document.text, pick(values, document.variables)).catch((error: unknown) => {
        throw nameOptions(error, document.options);
      });
    });
    if (data === null) return;
    if (Object.values(data).every((value) => value === null)) {
      throw new CommandError("Nothing was found.");
    }
    const result = unwrap(data);
    printText(json ? toJson(result) : toTable(result));
  });
}

function pick(values: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

function printPreview(preview: Preview, json: boolean): null {
  printText(json ? toJson(preview) : previewText(preview));
  return null;
}

/**
 * Names the options of fields that the server refused: `facebook.appId` is `--facebook-app-id`. Other errors stay as they
 * are, and so do fields without an option.
 */
function nameOptions(error: unknown, options: readonly CommandOption[]): unknown {
  if (!(error instanceof ServerAnswerError)) return error;
  const fields = Object.entries(error.fields);
  if (fields.length === 0) return error;
  const lines = fields.flatMap(([path, reasons]) => {
    const names = path.split(".");
    const whole = kebab(names.join("-"));
    const option = options.find(({ variable }) =>
      [whole, kebab(names.at(-1) ?? "")].includes(kebab(variable)),
    );
    const subject = option === undefined ? path : flagOf(option);
    return reasons.map((reason) =>
      replaceControls(path === "base" ? reason : `${subject} ${reason}`),
    );
  });
  return new CommandError(lines.join("\n"));
}

function placeholderOf({ type, list, values = [] }: CommandOption): string {
  const names = {
    Boolean: "true|false",
    Enum: values.join("|"),
    ID: "id",
    Number: "number",
    String: "text",
    Time: "time",
  };
  const name = names[type];
  return list ? `${name}...` : name;
}

function descriptionOf({ description, secret }: CommandOption): string {
  return secret
    ? `${description.replace(/\.$/, "")} (- for standard input, @FILE for a file).`
    : description;
}
