import type { z } from "zod";
import { nearestWord } from "./variables/edit-distance";
import { rtcPorts } from "./variables/rtc-ports";
import type { Variable } from "./variables/variable";
import { VARIABLES } from "./variables/variables";

type Variables = typeof VARIABLES;
type Value<V> = V extends { schema: z.ZodType<infer T, string>; default: infer D }
  ? D extends string
    ? T
    : T | undefined
  : never;

/** The validated configuration, keyed by environment variable. */
export type Config = { readonly [K in keyof Variables]: Value<Variables[K]> };

/** All problems of the configuration. The message is written for the operator. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: string[]) {
    super(`The configuration is invalid:\n${problems.map((text) => `  - ${text}`).join("\n")}`);
  }
}

/**
 * Reads the configuration from the environment. An empty variable counts as unset.
 * @throws ConfigError that lists every problem; it does not contain the values of secret variables
 */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries<Variable>(VARIABLES)) {
    const { schema, default: fallback, secret, formerly } = variable;
    const given = formerly && !environment[name] && environment[formerly] ? formerly : name;
    const text = environment[given] || fallback;
    if (text === undefined) continue;
    const result = schema.safeParse(text);
    if (result.success) config[name] = result.data;
    else {
      const quoted = secret ? "" : ` (it is ${JSON.stringify(text)})`;
      problems.push(`${given} ${result.error.issues[0]?.message ?? "is invalid"}${quoted}`);
    }
  }
  if (config.DATABASE_URL !== undefined && !environment.SECRET_KEY) {
    problems.push(
      "SECRET_KEY is required with DATABASE_URL: 32 bytes, the same on every node (openssl rand -base64 32)",
    );
  }
  for (const [one, other] of [
    ["TLS_CERT_FILE", "TLS_KEY_FILE"],
    ["TLS_KEY_FILE", "TLS_CERT_FILE"],
  ] as const) {
    if (environment[one] && !environment[other]) problems.push(`${other} is required with ${one}`);
  }
  if (config.CHAT_MODE === "component" && !environment.CHAT_SECRET) {
    problems.push(
      "CHAT_SECRET is required with CHAT_MODE=component: the component's secret at the chat server",
    );
  }
  for (const name of ["JANUS_API_SECRET", "JANUS_ADMIN_KEY"]) {
    if (config.JANUS_URL !== undefined && !environment[name]) {
      problems.push(`${name} is required with JANUS_URL: the same as in the files of Janus`);
    }
  }
  if (config.JANUS_ADMIN_URL !== undefined && !environment.JANUS_ADMIN_SECRET) {
    problems.push(
      "JANUS_ADMIN_SECRET is required with JANUS_ADMIN_URL: admin_secret of janus.jcfg",
    );
  }
  if (Math.max(0, ...Object.values(rtcPorts(config as Config)).flat()) > 65_535) {
    problems.push("RTC_PORT must be lower: the media server also uses the ports after it");
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config as Config;
}

/** A variable that is no setting, but probably a misspelled one. */
export interface MisspelledVariable {
  given: string;
  /** The setting that it resembles. */
  meant: string;
}

/** Maximum number of letters in which a misspelled variable differs from a setting. */
const MISSPELLED_LETTERS = 2;
/** Common variables of other programs that resemble a setting; SSL_CERT_FILE is OpenSSL's. */
const FOREIGN = new Set([
  "BOOT",
  "COST",
  "DEST",
  "HOME",
  "LOST",
  "OS",
  "POST",
  "ROOT",
  "SORT",
  "SSL_CERT_FILE",
  "TEST",
]);

/** Finds variables that are no settings, but differ from one in at most two letters. */
export function misspelledVariables(
  environment: Record<string, string | undefined> = process.env,
): MisspelledVariable[] {
  const variables = Object.entries<Variable>(VARIABLES);
  const names = variables.map(([name]) => name);
  const known = new Set([...names, ...variables.map(([, { formerly }]) => formerly)]);
  return Object.entries(environment).flatMap(([given, value]) => {
    const letters = given.toUpperCase();
    if (!value || known.has(given) || FOREIGN.has(letters)) return [];
    const meant = nearestWord(letters, names, MISSPELLED_LETTERS);
    return meant === undefined ? [] : [{ given, meant }];
  });
}
