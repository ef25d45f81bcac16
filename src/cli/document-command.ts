import type { Command } from "commander";
import type { Config } from "../core/config";
import { printText } from "../core/console";
import type { CommandDocument, CommandOption } from "./documents";
import { flagOf, type GivenOptions, toVariables } from "./option-values";
import { asOwner, type ServerAccess } from "./server";
import { coreOf, toJson, toTable } from "./table";

/** How the command line as a whole was called. */
export interface Call {
  options: { url?: string; token?: string };
  /** The configuration. @throws ConfigError */
  config(): Config;
  /** The way to the server. @throws ConfigError */
  access(): ServerAccess;
  json: boolean;
}

/** Adds the command of a document, whose options are its variables. */
export function addDocument(group: Command, document: CommandDocument, call: () => Call): void {
  const command = group.command(document.name).description(document.about);
  for (const option of document.options) {
    const flags = `${flagOf(option)} <${wordOf(option)}>`;
    if (option.required) command.requiredOption(flags, aboutOf(option));
    else command.option(flags, aboutOf(option));
  }
  command.action(async (given: GivenOptions) => {
    const { access, json } = call();
    const variables = await toVariables(document.options, given);
    const answer = await asOwner(access(), (ask) => ask(document.text, variables));
    const core = coreOf(answer);
    printText(json || document.json ? toJson(core) : toTable(core));
  });
}

function wordOf({ type, list }: CommandOption): string {
  const words = { Boolean: "true|false", Enum: "word", ID: "id", Number: "number", String: "text" };
  const word = words[type];
  return list ? `${word}...` : word;
}

function aboutOf({ about, secret }: CommandOption): string {
  return secret ? `${about.replace(/\.$/, "")} (- for standard input, @FILE for a file).` : about;
}
