import type { Command } from "commander";
import { systemClock } from "../../core/clock";
import { printText } from "../../core/console";
import { isStdinTerminal, readStdin } from "../../core/terminal";
import { createSignedRequest, type SigningKeys } from "../../domain/sessions/signature";
import { CommandError } from "./connection/command-error";
import type { Invocation } from "./connection/document-command";
import { asMember } from "./connection/member";
import { checkId, promptSecret } from "./connection/option-values";
import {
  executeWith,
  passwordPrompt,
  refuseTypedPassword,
  type ServerAccess,
} from "./connection/server";
import { toJson } from "./connection/table";

const KEYS_QUERY = "query ($app: ID!) { application(id: $app) { id authKey authSecret } }";
const CREATE_SESSION = `mutation ($input: CreateSessionInput!) {
  createSession(input: $input) { session { token userId expiresAt } }
}`;

interface TokenOptions {
  app: string;
  login?: string;
  email?: string;
  password?: string;
  passwordStdin?: boolean;
}

interface CreatedSession {
  token: string;
  userId: number | null;
  expiresAt: string;
}

/** Adds `token`, which creates a session by a request signed with the application's keys. */
export function addToken(program: Command, invocation: () => Invocation): void {
  program
    .command("token")
    .description("Creates a session for the application or a user, and prints its token.")
    .requiredOption("--app <id>", "Id of the application.")
    .option("--login <text>", "Login of the user; without one, creates an application session.")
    .option("--email <text>", "E-mail of the user, instead of the login.")
    .option("--password <text>", "The user's password; prompted for on a terminal if omitted.")
    .option("--password-stdin", "Reads the password from standard input.")
    .action(async (options: TokenOptions) => {
      checkId("app", options.app);
      const { access, json } = invocation();
      const server = access();
      const user = await readUser(options, server);
      const session = await createSession(server, options.app, user);
      printText(json ? toJson(session) : session.token);
    });
}

/** The user's credentials; undefined for an application session. @throws CommandError */
async function readUser(options: TokenOptions, server: ServerAccess): Promise<object | undefined> {
  const { login, email, password, passwordStdin } = options;
  if (login === undefined && email === undefined) {
    if (password === undefined && !passwordStdin) return undefined;
    throw new CommandError("A password requires --login or --email.");
  }
  if (login !== undefined && email !== undefined) {
    throw new CommandError("--login and --email are mutually exclusive.");
  }
  refuseTypedPassword(server);
  return {
    ...(login === undefined ? { email } : { login }),
    password: await readPassword(options, server),
  };
}

async function readPassword(
  { password, passwordStdin }: TokenOptions,
  server: ServerAccess,
): Promise<string> {
  if (passwordStdin) {
    if (password === undefined) return readStdin();
    throw new CommandError("--password and --password-stdin are mutually exclusive.");
  }
  if (password !== undefined) return password;
  if (isStdinTerminal()) return promptSecret(passwordPrompt(server));
  throw new CommandError("The password is missing: pass it with --password-stdin.");
}

/** Creates a session the way a client of the application does. */
async function createSession(
  access: ServerAccess,
  app: string,
  user: object | undefined,
): Promise<CreatedSession> {
  const { application } = await asMember(access, (execute) => execute(KEYS_QUERY, { app }));
  const timestamp = Math.floor(systemClock.now() / 1000);
  const input = { ...createSignedRequest(application as SigningKeys, timestamp), user };
  const answer = await executeWith(access)(CREATE_SESSION, { input });
  return (answer.createSession as { session: CreatedSession }).session;
}
