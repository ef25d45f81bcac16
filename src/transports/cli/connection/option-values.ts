import { readFile } from "node:fs/promises";
import { isStdinTerminal, promptHidden, promptLine, readStdin } from "../../../core/terminal";
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
  if (Array.isArray(value)) {
    return value.filter((text) => text !== "").map((text) => toPlainValue(option, text));
  }
  return option.secret ? readSecret(flagOf(option), value) : toPlainValue(option, value);
}

/** @throws CommandError that names the option and what it takes */
function toPlainValue(option: CommandOption, value: string): unknown {
  const flag = flagOf(option);
  switch (option.type) {
    case "Enum": {
      const word = value.toLowerCase().replaceAll("_", "-");
      const { values = [] } = option;
      if (values.includes(word)) return word.toUpperCase().replaceAll("-", "_");
      throw new CommandError(`${flag} must be one of ${values.join(", ")}.`);
    }
    case "Number":
      if (/^-?\d{1,15}$/.test(value)) return Number(value);
      throw new CommandError(`${flag} must be a whole number.`);
    case "Boolean":
      if (/^(true|false)$/.test(value)) return value === "true";
      throw new CommandError(`${flag} must be true or false.`);
    case "Time":
      return checkTime(flag, value);
    case "ID":
      return checkId(option.variable, value);
    default:
      return value;
  }
}

/** Checks a time in ISO 8601. @throws CommandError that names the option */
export function checkTime(flag: string, value: string): string {
  if (/^\d{4}-/.test(value) && !Number.isNaN(Date.parse(value))) return value;
  throw new CommandError(`${flag} must be a time in ISO 8601, such as 2026-01-31T12:00:00Z.`);
}

/** What the ids of options are, and which command lists them, by the variable. */
const IDS: Readonly<Record<string, { what: string; listedBy: string }>> = {
  apiKey: { what: "an API key", listedBy: "api-key list" },
  app: { what: "an application", listedBy: "app list" },
  call: { what: "a call", listedBy: "call list" },
  conference: { what: "a conference", listedBy: "conference list" },
  event: { what: "a push", listedBy: "push events" },
  invitation: { what: "an invitation", listedBy: "member invitations" },
  member: { what: "a member", listedBy: "member list" },
  session: { what: "a session", listedBy: "user sessions" },
  subscription: { what: "a push subscription", listedBy: "user subscriptions" },
  user: { what: "a user", listedBy: "user list" },
  users: { what: "a user", listedBy: "user list" },
};

/**
 * Checks that the value of an option has the form of an id, and not that of a name.
 * @param variable the option's variable, such as `app`
 * @throws CommandError that says what the id is, and where it is found
 */
export function checkId(variable: string, value: string): string {
  const id = IDS[variable];
  if (id === undefined || /^\d{1,16}$/.test(value)) return value;
  throw new CommandError(
    `${flagOf({ variable })} must be the id of ${id.what}, a whole number: signalbox ${id.listedBy} shows it.`,
  );
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
  return entered(await promptHidden(question));
}

/** Prompts for a line on the terminal. @throws CommandError if the prompt was cancelled */
export async function ask(question: string): Promise<string> {
  return entered(await promptLine(question));
}

function entered(text: string | null): string {
  if (text === null) throw new CommandError("Nothing was entered.");
  return text;
}
