import type { Command } from "commander";
import { systemClock } from "../core/clock";
import { printText } from "../core/console";
import { isAtTerminal, readInput } from "../core/terminal";
import { type SigningKeys, signedRequest } from "../identity/session/signature";
import { CommandError } from "./command-error";
import type { Call } from "./document-command";
import { askSecret } from "./option-values";
import { askAsNobody, asOwner, type ServerAccess } from "./server";
import { toJson } from "./table";

const KEYS = "query ($app: ID!) { application(id: $app) { id authKey authSecret } }";
const CREATE = `mutation ($input: CreateSessionInput!) {
  createSession(input: $input) { session { token userId expiresAt } }
}`;

interface TokenOptions {
  app: string;
  login?: string;
  email?: string;
  password?: string;
  passwordStdin?: boolean;
}

interface MadeSession {
  token: string;
  userId: number | null;
  expiresAt: string;
}

/** Adds `token`, which signs a request for a session with the application's keys. */
export function addToken(program: Command, call: () => Call): void {
  program
    .command("token")
    .description("Prints the token of a new session, of the application or of a user.")
    .requiredOption("--app <id>", "Id of the application.")
    .option("--login <text>", "Login of the user who signs in; an application session without.")
    .option("--email <text>", "E-mail of the user, in place of the login.")
    .option("--password <text>", "The user's password; asked for at a terminal when left out.")
    .option("--password-stdin", "Reads the password from standard input.")
    .action(async (options: TokenOptions) => {
      const { access, json } = call();
      const user = await readUser(options);
      const session = await makeSession(access(), options.app, user);
      printText(json ? toJson(session) : session.token);
    });
}

/** Who signs in; undefined for nobody. @throws CommandError */
async function readUser(options: TokenOptions): Promise<object | undefined> {
  const { login, email, password, passwordStdin } = options;
  if (login === undefined && email === undefined) {
    if (password === undefined && !passwordStdin) return undefined;
    throw new CommandError("A password is somebody's: give --login or --email with it.");
  }
  if (login !== undefined && email !== undefined) {
    throw new CommandError("--login and --email cannot both be given.");
  }
  return {
    ...(login === undefined ? { email } : { login }),
    password: await readPassword(options),
  };
}

async function readPassword({ password, passwordStdin }: TokenOptions): Promise<string> {
  if (passwordStdin) {
    if (password === undefined) return readInput();
    throw new CommandError("--password and --password-stdin cannot both be given.");
  }
  if (password !== undefined) return password;
  if (isAtTerminal()) return askSecret("Password: ");
  throw new CommandError("The password is missing: give it with --password-stdin.");
}

/** Asks for a session as a client of the application does. */
async function makeSession(
  access: ServerAccess,
  app: string,
  user: object | undefined,
): Promise<MadeSession> {
  const { application } = await asOwner(access, (ask) => ask(KEYS, { app }));
  const timestamp = Math.floor(systemClock.now() / 1000);
  const input = { ...signedRequest(application as SigningKeys, timestamp), user };
  const { createSession } = await askAsNobody(access)(CREATE, { input });
  return (createSession as { session: MadeSession }).session;
}
