import { isIP } from "node:net";
import { z } from "zod";

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);

const flag = z
  .string()
  .regex(/^(true|false|1|0|yes|no|on|off)$/i, "must be true or false")
  .transform((text) => /^(true|1|yes|on)$/i.test(text));

const url = (...protocols: string[]) =>
  z.string().refine(
    (text) => {
      try {
        return protocols.includes(new URL(text).protocol);
      } catch {
        return false;
      }
    },
    `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(" or ")}`,
  );

const list = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean),
);

const LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** An address, or a network as address and prefix length (RFC 4632 section 3.1). */
function isNetwork(text: string): boolean {
  const [address = "", bits, more] = text.split("/");
  const longest = isIP(address) === 6 ? 128 : 32;
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
  return isIP(address) !== 0 && fits && more === undefined;
}

const hostname = z.string().regex(/^[A-Za-z0-9._:-]+$/, "must be a host name or an address");

interface Variable {
  schema: z.ZodType<unknown, string>;
  /** Text of the default; absent where the variable may be left unset. */
  default?: string;
  about: string;
  /** Printed nowhere: not in the documents' examples, not in an error. */
  secret?: boolean;
}

const variable = <T, D extends string | undefined>(
  schema: z.ZodType<T, string>,
  fallback: D,
  about: string,
  secret = false,
) => ({ schema, default: fallback, about, secret });

/** Every environment variable the service reads: its form, its default and what it does. */
export const VARIABLES = {
  PORT: variable(integer(0, 65535), "4000", "Port of the HTTP server; 0 takes a free one."),
  HOST: variable(
    hostname,
    "127.0.0.1",
    "Address that the HTTP server and the chat endpoint listen on.",
  ),
  XMPP_WS_PORT: variable(
    integer(0, 65535),
    "5291",
    "Port of the chat endpoint, XMPP over WebSocket; 0 takes a free one.",
  ),
  DATA_DIR: variable(
    z.string().min(1, "must not be empty"),
    ".data",
    "Folder of the embedded database and of credentials.json.",
  ),
  DATABASE_URL: variable(
    url("postgresql:", "postgres:"),
    undefined,
    "PostgreSQL in place of the embedded database.",
    true,
  ),
  DATABASE_POOL: variable(integer(1, 500), "10", "Connections to PostgreSQL at most."),
  REDIS_URL: variable(
    url("redis:", "rediss:"),
    undefined,
    "Redis that joins several nodes into one deployment. Without it a deployment is one node.",
    true,
  ),
  BASE_URL: variable(
    url("http:", "https:"),
    undefined,
    "Public address of the REST paths; by default that of the HTTP server.",
  ),
  CHAT_URL: variable(
    url("ws:", "wss:"),
    undefined,
    "Public address of the chat endpoint; by default that of the chat server.",
  ),
  CHAT_DOMAIN: variable(
    z.string().regex(/^[a-z0-9.-]+$/, "must be a domain in lower case"),
    "localhost",
    "Domain of the users' JIDs, {user_id}-{application_id}@{domain}.",
  ),
  TURN_HOST: variable(
    hostname,
    "localhost",
    "Host of the STUN/TURN server, as GET /account_settings names it.",
  ),
  CORS_ORIGINS: variable(
    list,
    "*",
    "Web origins that may call, comma-separated; * for any. Never with credentials.",
  ),
  TRUST_PROXY: variable(
    list.refine(
      (entries) => entries.every(isNetwork),
      "must be addresses or networks (10.0.0.0/8), comma-separated",
    ),
    "",
    "Addresses or networks of proxies whose X-Forwarded-For is believed, comma-separated.",
  ),
  LOG_LEVEL: variable(
    z.enum(LEVELS, `must be one of ${LEVELS.join(", ")}`) as z.ZodType<
      (typeof LEVELS)[number],
      string
    >,
    "info",
    "Least level that is logged: fatal, error, warn, info, debug, trace or silent.",
  ),
  INTROSPECTION: variable(flag, "true", "Whether the GraphQL schema may be read by introspection."),
  GRAPHIQL: variable(flag, "true", "Whether a browser gets GraphiQL at /graphql."),
  GRAPHQL_MAX_DEPTH: variable(integer(1, 100), "15", "Levels of a GraphQL operation at most."),
  GRAPHQL_MAX_ALIASES: variable(integer(0, 1000), "30", "Aliases of a GraphQL operation at most."),
  GRAPHQL_MAX_DIRECTIVES: variable(
    integer(0, 1000),
    "50",
    "Directives of a GraphQL operation at most.",
  ),
  GRAPHQL_MAX_TOKENS: variable(
    integer(100, 100_000),
    "2000",
    "Lexical tokens of a GraphQL document at most.",
  ),
  GRAPHQL_MAX_COST: variable(
    integer(100, 10_000_000),
    "10000",
    "Cost of a GraphQL operation at most: 2 for an object, 1 for a scalar, times 1.5 for each level.",
  ),
  GRAPHQL_CACHE: variable(
    integer(1, 100_000),
    "500",
    "Prepared GraphQL operations that are kept at most.",
  ),
  GRAPHQL_SOCKET_OPERATIONS: variable(
    integer(1, 10_000),
    "100",
    "Operations under way on one WebSocket at most.",
  ),
  BODY_LIMIT: variable(
    integer(1024, 104_857_600),
    "262144",
    "Bytes of a request body, and of a WebSocket message to /graphql, at most.",
  ),
  XMPP_TRUSTED_PROXY: variable(
    flag,
    "false",
    "Whether a proxy in front of the chat endpoint ends TLS. Beyond loopback SASL PLAIN is refused without it.",
  ),
  XMPP_STANZA_LIMIT: variable(
    integer(10_000, 10_485_760),
    "65536",
    "Bytes of a stanza at most (8,192 before authentication).",
  ),
  XMPP_IDLE_SECONDS: variable(
    integer(1, 86_400),
    "60",
    "Seconds of silence after which a chat stream is pinged; dropped after as many more.",
  ),
  DRAIN_SECONDS: variable(
    integer(0, 600),
    "10",
    "Seconds that requests under way get to finish after SIGTERM.",
  ),
} satisfies Record<string, Variable>;

type Variables = typeof VARIABLES;
type Value<V> = V extends { schema: z.ZodType<infer T, string>; default: infer D }
  ? D extends string
    ? T
    : T | undefined
  : never;

/** The checked configuration, by the names of the environment variables. */
export type Config = { readonly [K in keyof Variables]: Value<Variables[K]> };

/** Every mistake of the configuration at once; its message is made to be read by a person. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: string[]) {
    super(`The configuration has mistakes:\n${problems.map((text) => `  - ${text}`).join("\n")}`);
  }
}

/**
 * Reads the configuration from the environment. An empty variable counts as unset.
 * @throws ConfigError that lists every mistake; values of secret variables are not repeated
 */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, { schema, default: fallback, secret }] of Object.entries(VARIABLES)) {
    const text = environment[name] || fallback;
    if (text === undefined) continue;
    const result = schema.safeParse(text);
    if (result.success) config[name] = result.data;
    else {
      const shown = secret ? "" : ` (it is ${JSON.stringify(text)})`;
      problems.push(`${name} ${result.error.issues[0]?.message ?? "is not valid"}${shown}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config as Config;
}
