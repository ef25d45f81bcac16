import type { Command } from "commander";
import type { Config } from "../../../core/config";
import { printText } from "../../../core/console";
import { CommandError } from "./command-error";
import type { CommandDocument, CommandOption } from "./documents";
import { flagOf, type OptionValues, toVariables } from "./option-values";
import { asMember, type ServerAccess } from "./server";
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
  command.action(async (given: OptionValues) => {
    const { access, json } = invocation();
    const variables = await toVariables(document.options, given);
    const data = await asMember(access(), (execute) => execute(document.text, variables));
    if (Object.values(data).every((value) => value === null)) {
      throw new CommandError("Nothing was found.");
    }
    const result = unwrap(data);
    printText(json ? toJson(result) : toTable(result));
  });
}

function placeholderOf({ type, list }: CommandOption): string {
  const names = { Boolean: "true|false", Enum: "word", ID: "id", Number: "number", String: "text" };
  const name = names[type];
  return list ? `${name}...` : name;
}

function descriptionOf({ description, secret }: CommandOption): string {
  return secret
    ? `${description.replace(/\.$/, "")} (- for standard input, @FILE for a file).`
    : description;
}
