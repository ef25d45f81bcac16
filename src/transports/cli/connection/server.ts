import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Config, userFolder } from "../../../core/config";
import { hostInUrl, trimTrailingSlashes } from "../../../core/host-in-url";
import { replaceControls } from "../../../core/terminal";
import { fileVariable } from "../../../core/variables/variable";
import { VARIABLES } from "../../../core/variables/variables";
import { CommandError } from "./command-error";

/** Where the running server is, and how to authenticate. */
export interface ServerAccess {
  url: string;
  /** The token of a member of the account, and what it was given with. */
  token?: string;
  tokenSource?: "--token" | "SIGNALBOX_TOKEN";
  dataDir: string;
  /** Whether `url` is from the current folder, which somebody else may have made. */
  isAddressOfFolder: boolean;
  /** Whether `dataDir` belongs to the current folder as well. */
  isDataOfFolder: boolean;
  /** The folder of the sessions that the command line keeps. */
  sessionsFolder: string;
  /** Timeout of a request, in milliseconds. */
  timeoutMs: number;
}

/** An error that the server answered with. */
export class ServerAnswerError extends CommandError {
  constructor(
    message: string,
    /** The code of the table of errors, of the first error. */
    readonly code: string | undefined,
    /** What is wrong with fields of the input, by the path of the field. */
    readonly fields: Readonly<Record<string, readonly string[]>>,
  ) {
    super(message);
  }
}

/** Whether the server refused the credentials of a request, which it then did not run. */
export function isUnauthenticated(error: unknown): error is CommandError {
  return error instanceof ServerAnswerError && error.code === "UNAUTHENTICATED";
}

/** Executes an operation on the server. @throws CommandError */
export type Execute = (
  query: string,
  variables?: Record<string, unknown>,
) => Promise<Record<string, unknown>>;

/** Longer than the server's own limit for an operation. */
const TIMEOUT_MS = 60_000;
const DEFAULT_PORT = Number(VARIABLES.PORT.default);
const DEFAULT_URL = `http://${VARIABLES.HOST.default}:${DEFAULT_PORT}`;
/** A file of the data folder, which the server writes. Named here, as its module would load the database. */
const CREDENTIALS_FILE = "credentials.json";

/**
 * Resolves how to reach the server: command-line options take precedence over the configuration.
 * @throws CommandError if the address is from the current folder, which somebody else may have made, and the token is
 * not: it would go to a server that the folder chooses
 */
export function resolveAccess(
  { url: givenUrl, token: givenToken }: { url?: string; token?: string },
  config: Config,
): ServerAccess {
  const url = givenUrl ?? config.SIGNALBOX_URL ?? serverUrl(config);
  const token = givenToken ?? config.SIGNALBOX_TOKEN;
  const isOfFolder = givenUrl === undefined && isAddressOfFolder(config, url);
  if (token !== undefined && isOfFolder && !isTokenOfFolder(config, givenToken)) {
    throw foreignAddress(url, "the token");
  }
  return {
    url,
    token,
    tokenSource: givenToken === undefined ? "SIGNALBOX_TOKEN" : "--token",
    dataDir: config.DATA_DIR,
    isAddressOfFolder: isOfFolder,
    isDataOfFolder: isDataOfFolder(config),
    sessionsFolder: join(userFolder(), "sessions"),
    timeoutMs: TIMEOUT_MS,
  };
}

/** @throws CommandError if the address is from the current folder: a typed password would go where that says */
export function refuseTypedPassword({ url, isAddressOfFolder }: ServerAccess): void {
  if (isAddressOfFolder) throw foreignAddress(url, "the password that you type");
}

/** Asks for a password, and says where it goes. */
export function passwordPrompt({ url }: ServerAccess): string {
  return `Password for ${replaceControls(url)}: `;
}

/** The error for an address from the current folder, with credentials from elsewhere. */
export function foreignAddress(url: string, credentials: string): CommandError {
  const shown = replaceControls(url);
  return new CommandError(
    `The address ${shown} is from the current folder (.env or .data), but ${credentials} is not. If it is your server, pass --url ${shown}.`,
  );
}

/** Whether the current folder says where the server is. The default address says nothing. */
function isAddressOfFolder(config: Config, url: string): boolean {
  if (url === DEFAULT_URL) return false;
  if (config.SIGNALBOX_URL !== undefined) return config.fromFolder.includes("SIGNALBOX_URL");
  if (url !== localUrl(config)) return isDataOfFolder(config);
  return ["HOST", "PORT", "PORT_BASE"].some((name) => config.fromFolder.includes(name));
}

/** Whether DATA_DIR belongs to the current folder. */
function isDataOfFolder({ DATA_DIR, fromFolder }: Config): boolean {
  return !isAbsolute(DATA_DIR) || fromFolder.includes("DATA_DIR");
}

function isTokenOfFolder({ fromFolder }: Config, given: string | undefined): boolean {
  const names = ["SIGNALBOX_TOKEN", fileVariable("SIGNALBOX_TOKEN")];
  return given === undefined && names.some((name) => fromFolder.includes(name));
}

/**
 * The URL of the server of this configuration. The default port and a port that the start chooses say little:
 * then credentials.json says where the server of DATA_DIR listens, unless that is only its public URL.
 */
function serverUrl(config: Config): string {
  const local = localUrl(config);
  if (config.PORT !== 0 && config.PORT !== DEFAULT_PORT) return local;
  const stored = storedUrl(config.DATA_DIR);
  const isPublic = config.PORT !== 0 && stored === config.BASE_URL;
  return stored === undefined || isPublic ? local : stored;
}

function localUrl({ HOST, PORT }: Config): string {
  return `http://${hostInUrl(HOST)}:${PORT}`;
}

/** The server's URL in credentials.json, which each start updates; undefined without such a file. */
function storedUrl(dataDir: string): string | undefined {
  try {
    const { base_url: url } = JSON.parse(readFileSync(join(dataDir, CREDENTIALS_FILE), "utf8"));
    return typeof url === "string" ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Executes operations with a token, or without one. */
export function executeWith(access: ServerAccess, token?: string): Execute {
  return (query, variables = {}) => post(access, query, variables, token);
}

async function post(
  { url, timeoutMs }: ServerAccess,
  query: string,
  variables: Record<string, unknown>,
  token?: string,
): Promise<Record<string, unknown>> {
  const address = addressOf(url);
  let response: Response;
  try {
    response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(token ? { "Svc-Token": token } : {}) },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    throw new CommandError(unansweredText(url, error));
  }
  // The address may belong to anything, so the body may be anything.
  const answer = (await response.json().catch(() => null)) as {
    data?: Record<string, unknown> | null;
    errors?: Array<{
      message: string;
      extensions?: { code?: string; fields?: Record<string, string[]> };
    }>;
  } | null;
  if (Array.isArray(answer?.errors)) {
    const text = answer.errors.map(({ message }) => replaceControls(message)).join("\n");
    const { code, fields = {} } = answer.errors[0]?.extensions ?? {};
    throw new ServerAnswerError(text, code, answer.errors.length === 1 ? fields : {});
  }
  if (typeof answer?.data === "object" && answer.data !== null) return answer.data;
  throw new CommandError(`The server at ${url} is not Signalbox.`);
}

function addressOf(url: string): URL {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) {
    return new URL(`${trimTrailingSlashes(url)}/graphql`);
  }
  throw new CommandError(`--url must be a URL that begins with http:// or https://, not ${url}.`);
}

function unansweredText(url: string, error: unknown): string {
  return error instanceof Error && error.name === "TimeoutError"
    ? `The server at ${url} does not answer in time.`
    : `No server answers at ${url}. Start it, or set its address with --url.`;
}
