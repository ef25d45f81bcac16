import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { z } from "zod";
import { readBoundedFile } from "./bounded-file";
import { type Environment, type ExtendedEnvironment, withEnvFile } from "./env-file";
import { findUnknownVariables, isServiceAddress, type UnknownVariable } from "./unknown-variables";
import { portFromBase } from "./variables/port-variables";
import { rtcPorts } from "./variables/rtc-ports";
import { fileVariable, type Variable } from "./variables/variable";
import { VARIABLES } from "./variables/variables";

type Variables = typeof VARIABLES;
type Value<V> = V extends { schema: z.ZodType<infer T, string>; default: infer D }
  ? D extends string
    ? T
    : T | undefined
  : never;

/** The validated configuration, keyed by environment variable. */
export type Config = { readonly [K in keyof Variables]: Value<Variables[K]> } & {
  /** Variables of the environment that are probably meant as settings. */
  readonly unknownVariables: readonly UnknownVariable[];
  /** Names of the variables that a `.env` in the folder of the start gives, not `--env-file`. */
  readonly fromFolder: readonly string[];
};

/** All problems of the configuration. The message is written for the operator. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(
    readonly problems: string[],
    readonly unknownVariables: readonly UnknownVariable[] = [],
  ) {
    super(`The configuration is invalid:\n${problems.map((text) => `  - ${text}`).join("\n")}`);
  }
}

/**
 * Reads the configuration from the environment, by default from that of the process and its file
 * ({@link withEnvFile}). An empty variable counts as unset.
 * @throws ConfigError that lists every problem; it does not contain the values of secret variables
 */
export function readConfig(given?: Environment): Config {
  const { environment, fromFolder } =
    given === undefined ? processEnvironment() : { environment: given, fromFolder: [] };
  const unknownVariables = findUnknownVariables(environment);
  const problems: string[] = [];
  const values = withSecretFiles(environment, problems);
  const config: Record<string, unknown> = { unknownVariables, fromFolder };
  for (const [name, variable] of Object.entries<Variable>(VARIABLES)) {
    const { schema, default: fallback, secret, formerly } = variable;
    const read = formerly && !values[name] && values[formerly] ? formerly : name;
    const own = isServiceAddress(read, values[read]) ? undefined : values[read];
    const text = own || movedPort(name, config.PORT_BASE) || fallback;
    if (text === undefined) continue;
    const result = schema.safeParse(text);
    if (result.success) config[name] = result.data;
    else {
      const quoted = secret ? "" : ` (it is ${JSON.stringify(text)})`;
      problems.push(`${read} ${result.error.issues[0]?.message ?? "is invalid"}${quoted}`);
    }
  }
  // A file that could not be read has its own problem.
  const isGiven = (name: string) => Boolean(values[name] || environment[fileVariable(name)]);
  if (config.DATABASE_URL !== undefined && !isGiven("SECRET_KEY")) {
    problems.push(
      "SECRET_KEY is required with DATABASE_URL: 32 bytes, the same on every node (openssl rand -base64 32)",
    );
  }
  for (const [one, other] of [
    ["TLS_CERT_FILE", "TLS_KEY_FILE"],
    ["TLS_KEY_FILE", "TLS_CERT_FILE"],
  ] as const) {
    if (values[one] && !values[other]) problems.push(`${other} is required with ${one}`);
  }
  if (config.CHAT_MODE === "component" && !isGiven("CHAT_SECRET")) {
    problems.push(
      "CHAT_SECRET is required with CHAT_MODE=component: the component's secret at the chat server",
    );
  }
  for (const name of ["JANUS_API_SECRET", "JANUS_ADMIN_KEY"]) {
    if (config.JANUS_URL !== undefined && !isGiven(name)) {
      problems.push(`${name} is required with JANUS_URL: the same as in the files of Janus`);
    }
  }
  if (config.JANUS_ADMIN_URL !== undefined && !isGiven("JANUS_ADMIN_SECRET")) {
    problems.push(
      "JANUS_ADMIN_SECRET is required with JANUS_ADMIN_URL: admin_secret of janus.jcfg",
    );
  }
  if (Math.max(0, ...Object.values(rtcPorts(config as Config)).flat()) > 65_535) {
    problems.push("RTC_PORT must be lower: the media server also uses the ports after it");
  }
  if (problems.length > 0) throw new ConfigError(problems, unknownVariables);
  return config as Config;
}

/** The folder for what the command line keeps for the person who runs it: below XDG_CONFIG_HOME, else ~/.config. */
export function userFolder(environment: Environment = process.env): string {
  const { XDG_CONFIG_HOME: base = "" } = environment;
  // The specification of XDG folders ignores relative paths.
  return join(isAbsolute(base) ? base : join(homedir(), ".config"), "signalbox");
}

/** The environment of the process and its file. @throws ConfigError if the file cannot be used */
function processEnvironment(): ExtendedEnvironment {
  try {
    return withEnvFile(process.env, process.argv.slice(2), process.cwd());
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
}

/** The port that PORT_BASE gives to a variable. */
function movedPort(name: string, base: unknown): string | undefined {
  return typeof base === "number" ? portFromBase(base, name) : undefined;
}

/** Maximum size of a file with a secret, in bytes. */
const SECRET_BYTES_MAX = 65_536;

/** Adds the secrets that are in files, without one line break at the end, and lists what is wrong with them. */
function withSecretFiles(environment: Environment, problems: string[]): Environment {
  const values = { ...environment };
  for (const [name, { secret }] of Object.entries<Variable>(VARIABLES)) {
    const file = fileVariable(name);
    const path = secret ? environment[file] : undefined;
    if (!path) continue;
    if (environment[name]) {
      problems.push(`${name} and ${file} are both set: set only one of them`);
      continue;
    }
    try {
      const value = readBoundedFile(path, SECRET_BYTES_MAX).replace(/\r?\n$/, "");
      if (value === "") throw new Error("it is empty");
      values[name] = value;
    } catch (error) {
      const reason = (error as Error).message;
      // What is no path may be the secret itself, by mistake.
      problems.push(
        existsSync(path)
          ? `${file} names ${JSON.stringify(path)}, which cannot be used: ${reason}`
          : `${file} must be the path of a file with the secret: there is no such file`,
      );
    }
  }
  return values;
}
