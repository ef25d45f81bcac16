import { readFile } from "node:fs/promises";
import { isStdinTerminal, promptHidden, readStdin } from "../../../core/terminal";
import { CommandError } from "./command-error";
import { type CommandOption, kebab } from "./documents";

/** Option values as commander parsed them, by variable. */
export type OptionValues = Record<string, string | string[] | undefined>;

/**
 * Converts options to the variables of a document. A secret given as `-` is read from standard input, one
 * given as `@FILE` from a file, so that it does not appear in the process list.
 * @throws CommandError for a value of the wrong type, or a secret that cannot be read
 */
export async function toVariables(
  options: CommandOption[],
  given: OptionValues,
): Promise<Record<string, unknown>> {
  const fromInput = options.filter(({ secret, variable }) => secret && given[variable] === "-");
  if (fromInput.length > 1) {
    const names = fromInput.map(flagOf).join(" and ");
    throw new CommandError(`${names} cannot both be read from standard input.`);
  }
  const variables: Record<string, unknown> = {};
  for (const option of options) {
    const value = given[option.variable];
    if (value !== undefined) variables[option.variable] = await toValue(option, value);
  }
  return variables;
}

/** The option's flag, for example `--sign-up-open`. */
export function flagOf({ variable }: Pick<CommandOption, "variable">): string {
  return `--${kebab(variable)}`;
}

async function toValue(option: CommandOption, value: string | string[]): Promise<unknown> {
  // "" denotes the empty list, which has no other form on a command line.
  if (Array.isArray(value)) return value.filter((text) => text !== "");
  const { type, secret } = option;
  if (secret) return readSecret(flagOf(option), value);
  // Enum values are written in kebab case.
  if (type === "Enum") return value.toUpperCase().replaceAll("-", "_");
  if (type === "Number") {
    if (/^-?\d{1,15}$/.test(value)) return Number(value);
    throw new CommandError(`${flagOf(option)} must be a whole number.`);
  }
  if (type === "Boolean") {
    if (/^(true|false)$/.test(value)) return value === "true";
    throw new CommandError(`${flagOf(option)} must be true or false.`);
  }
  return value;
}

/**
 * Reads the value of a secret option: `-` for standard input, `@FILE` for a file, otherwise the value itself.
 * @throws CommandError if the file cannot be read
 */
export async function readSecret(flag: string, value: string): Promise<string> {
  if (value === "-") return isStdinTerminal() ? promptSecret(`${flag.slice(2)}: `) : readStdin();
  if (!value.startsWith("@")) return value;
  const text = await readFile(value.slice(1), "utf8").catch(() => {
    throw new CommandError(`${flag}: the file ${value.slice(1)} cannot be read.`);
  });
  return text.replace(/\r?\n$/, "");
}

/** Prompts for a secret on the terminal. @throws CommandError if the prompt was cancelled */
export async function promptSecret(question: string): Promise<string> {
  const text = await promptHidden(question);
  if (text === null) throw new CommandError("Nothing was entered.");
  return text;
}
