import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** How the running server is found, and who asks it. */
export interface ServerAccess {
  url: string;
  /** The owner's token; without one the owner signs in with DATA_DIR/owner.json. */
  token?: string;
  dataDir: string;
}

/** What the server, or the way to it, refused; its text is for the person at the terminal. */
export class CommandError extends Error {}

const SIGN_IN = "mutation ($input: SignInOwnerInput!) { signInOwner(input: $input) { token } }";
const SIGN_OUT = "mutation { signOutOwner { signedOut } }";

/**
 * Runs an operation as the account's owner.
 * @throws CommandError
 */
export async function askServer(
  access: ServerAccess,
  query: string,
  variables: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  if (access.token !== undefined) return post(access.url, query, variables, access.token);
  const input = await readOwner(access.dataDir);
  const { signInOwner } = await post(access.url, SIGN_IN, { input });
  const { token } = signInOwner as { token: string };
  try {
    return await post(access.url, query, variables, token);
  } finally {
    // What one command signed in for ends with it.
    await post(access.url, SIGN_OUT, {}, token);
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
  url: string,
  query: string,
  variables: Record<string, unknown>,
  token?: string,
): Promise<Record<string, unknown>> {
  let response: Response;
  try {
    response = await fetch(new URL("/graphql", url), {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(token ? { "Svc-Token": token } : {}) },
      body: JSON.stringify({ query, variables }),
    });
  } catch {
    throw new CommandError(
      `No server answers at ${url}. Start it, or name its address with --url.`,
    );
  }
  const answer = (await response.json().catch(() => null)) as {
    data?: Record<string, unknown>;
    errors?: Array<{ message: string }>;
  } | null;
  if (answer === null) throw new CommandError(`${url} does not answer as Signalbox does.`);
  if (answer.errors) throw new CommandError(answer.errors.map(({ message }) => message).join("\n"));
  return answer.data ?? {};
}
