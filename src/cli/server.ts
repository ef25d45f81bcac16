import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../core/config";
import { hostInUrl, withoutEndSlashes } from "../core/host-in-url";
import { CommandError } from "./command-error";
import { printable } from "./table";

/** How the running server is found, and who asks it. */
export interface ServerAccess {
  url: string;
  /** The owner's token; without one the owner signs in with DATA_DIR/owner.json. */
  token?: string;
  dataDir: string;
  /** Milliseconds that an answer may take. */
  timeoutMs: number;
}

/** Sends an operation to the server. @throws CommandError */
export type Ask = (
  query: string,
  variables?: Record<string, unknown>,
) => Promise<Record<string, unknown>>;

/** Longer than the server itself lets an operation take. */
const TIMEOUT_MS = 60_000;

const SIGN_IN = "mutation ($input: SignInOwnerInput!) { signInOwner(input: $input) { token } }";
const SIGN_OUT = "mutation { signOutOwner { signedOut } }";

/** The way to the server: as the options of the command line say, else as the configuration does. */
export function accessOf(
  { url, token }: { url?: string; token?: string },
  config: Config,
): ServerAccess {
  return {
    url: url ?? config.SIGNALBOX_URL ?? `http://${hostInUrl(config.HOST)}:${config.PORT}`,
    token: token ?? config.SIGNALBOX_TOKEN,
    dataDir: config.DATA_DIR,
    timeoutMs: TIMEOUT_MS,
  };
}

/** Asks the server as somebody without a token. */
export function askAsNobody(access: ServerAccess): Ask {
  return (query, variables = {}) => post(access, query, variables);
}

/**
 * Does something as the account's owner: with the token given, else by a sign-in that ends with it.
 * @throws CommandError
 */
export async function asOwner<T>(access: ServerAccess, act: (ask: Ask) => Promise<T>): Promise<T> {
  const askWith =
    (token: string): Ask =>
    (query, variables = {}) =>
      post(access, query, variables, token);
  if (access.token !== undefined) return act(askWith(access.token));
  const input = await readOwner(access.dataDir);
  const { signInOwner } = await post(access, SIGN_IN, { input });
  const ask = askWith((signInOwner as { token: string }).token);
  try {
    return await act(ask);
  } finally {
    // What was asked for counts; a token that could not be ended ends by itself.
    await ask(SIGN_OUT).catch(() => null);
  }
}

async function readOwner(dataDir: string): Promise<unknown> {
  const path = join(dataDir, "owner.json");
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    throw new CommandError(
      `${path} cannot be read. Give the owner's token with --token, or the server's DATA_DIR.`,
    );
  }
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
  // Whatever stands at the address may answer, in whatever form.
  const answer = (await response.json().catch(() => null)) as {
    data?: Record<string, unknown> | null;
    errors?: Array<{ message: string }>;
  } | null;
  if (Array.isArray(answer?.errors)) {
    throw new CommandError(answer.errors.map(({ message }) => printable(message)).join("\n"));
  }
  if (typeof answer?.data === "object" && answer.data !== null) return answer.data;
  throw new CommandError(`${url} does not answer as Signalbox does.`);
}

function addressOf(url: string): URL {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) {
    return new URL(`${withoutEndSlashes(url)}/graphql`);
  }
  throw new CommandError(`--url must be a URL that begins with http:// or https://, not ${url}.`);
}

function unansweredText(url: string, error: unknown): string {
  return error instanceof Error && error.name === "TimeoutError"
    ? `The server at ${url} does not answer in time.`
    : `No server answers at ${url}. Start it, or name its address with --url.`;
}
