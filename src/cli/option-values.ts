import { readFile } from "node:fs/promises";
import { askUnseen, isAtTerminal, readInput } from "../core/terminal";
import { CommandError } from "./command-error";
import { type CommandOption, kebab } from "./documents";

/** What commander read of a command's options, by variable. */
export type GivenOptions = Record<string, string | string[] | undefined>;

/**
 * The variables of a document: what was given of its options, by type. A secret given as `-` is read
 * from standard input, as `@FILE` from a file, so that it stands in no list of processes.
 * @throws CommandError for a value of another type, or a secret that cannot be read
 */
export async function toVariables(
  options: CommandOption[],
  given: GivenOptions,
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

/** An option as it is written, `--sign-up-open`. */
export function flagOf({ variable }: Pick<CommandOption, "variable">): string {
  return `--${kebab(variable)}`;
}

async function toValue(option: CommandOption, value: string | string[]): Promise<unknown> {
  // One empty value is the empty list, which has no other form.
  if (Array.isArray(value)) return value.filter((text) => text !== "");
  const { type, secret } = option;
  if (secret) return readSecret(flagOf(option), value);
  // Written as everything else on a command line.
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

async function readSecret(flag: string, value: string): Promise<string> {
  if (value === "-") return isAtTerminal() ? askSecret(`${flag.slice(2)}: `) : readInput();
  if (!value.startsWith("@")) return value;
  const text = await readFile(value.slice(1), "utf8").catch(() => {
    throw new CommandError(`${flag}: the file ${value.slice(1)} cannot be read.`);
  });
  return text.replace(/\r?\n$/, "");
}

/** Asks the person at the terminal for a secret. @throws CommandError when it was broken off */
export async function askSecret(question: string): Promise<string> {
  const text = await askUnseen(question);
  if (text === null) throw new CommandError("Nothing was entered.");
  return text;
}
