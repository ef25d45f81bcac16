import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { CommandError } from "./command-error";
import {
  type Execute,
  executeWith,
  foreignAddress,
  isUnauthenticated,
  type ServerAccess,
} from "./server";
import { forgetSession, readSession, type StoredSession, writeSession } from "./stored-session";

/** Name of the owner's file in the data folder. Named here, as its module would load the database. */
const OWNER_FILE = "owner.json";

const SIGN_IN = `mutation ($input: SignInMemberInput!) {
  signInMember(input: $input) { token expiresAt member { email role } }
}`;
const SIGN_OUT = "mutation { signOutMember { signedOut } }";

/** What a member signs in with. */
export interface MemberPassword {
  email: string;
  password: string;
}

/** A session that was opened. */
export interface OpenedSession {
  token: string;
  /** ISO 8601. */
  expiresAt: string;
  member: { email: string; role: string };
}

/** The operations of a member, and with what they authenticate. */
interface MemberAccess {
  execute: Execute;
  /** Ends what lasts no longer than the command. */
  close(): Promise<void>;
  /** For people: `owner.json`, for example. */
  credential: string;
}

/**
 * Runs `act` as a member of an account: with the given token, with the session of `signalbox sign-in`, else as the owner
 * of DATA_DIR/owner.json, whose session is kept for the commands that follow.
 * @throws CommandError
 */
export async function asMember<T>(
  access: ServerAccess,
  act: (execute: Execute, credential: string) => Promise<T>,
): Promise<T> {
  const { execute, close, credential } = await openMember(access);
  try {
    return await act(execute, credential);
  } finally {
    await close();
  }
}

async function openMember(access: ServerAccess): Promise<MemberAccess> {
  const { url, token, tokenSource } = access;
  if (token !== undefined) {
    const ended = `The token of ${tokenSource} is unknown at ${url}, has expired or was signed out.`;
    return lasting(access, token, `the token of ${tokenSource}`, ended);
  }
  const stored = await readSession(access);
  if (stored !== null && stored.ownerFile === null) {
    const ended = `The session of ${stored.email} at ${url} has ended. Sign in again: signalbox sign-in`;
    return lasting(access, stored.token, `the session of ${stored.email}`, ended);
  }
  return openOwner(access, stored);
}

/** A session that outlasts the command, and that it does not renew. */
function lasting(
  access: ServerAccess,
  token: string,
  credential: string,
  ended: string,
): MemberAccess {
  const send = executeWith(access, token);
  const execute: Execute = (query, variables) =>
    send(query, variables).catch((error: unknown) => {
      if (!isUnauthenticated(error)) throw error;
      throw new CommandError(ended);
    });
  return { execute, credential, close: async () => undefined };
}

/**
 * A session of the owner: the stored one of this file, as long as it lasts, so that the audit log has one sign-in for many
 * commands.
 */
async function openOwner(
  access: ServerAccess,
  stored: StoredSession | null,
): Promise<MemberAccess> {
  const ownerFile = resolve(access.dataDir, OWNER_FILE);
  const owner = await readOwner(ownerFile);
  const isOwners = stored?.ownerFile === ownerFile && stored.email === owner.email;
  let isKept = true;
  const open = async (): Promise<string> => {
    if (access.isAddressOfFolder && !access.isDataOfFolder) {
      throw foreignAddress(access.url, "the password in DATA_DIR");
    }
    const { token } = await signInOwner(access, owner, ownerFile);
    const session = { url: access.url, email: owner.email, token, ownerFile };
    // Where nothing can be stored, each command signs in and out.
    isKept = await writeSession(access, session).then(
      () => true,
      () => false,
    );
    return token;
  };
  let token = isOwners ? stored.token : await open();
  let mayRenew = isOwners;
  return {
    credential: OWNER_FILE,
    async execute(query, variables) {
      try {
        return await executeWith(access, token)(query, variables);
      } catch (error) {
        // Nothing was done yet, since the token was refused.
        if (!mayRenew || !isUnauthenticated(error)) throw error;
        mayRenew = false;
        token = await open();
        return executeWith(access, token)(query, variables);
      }
    },
    async close() {
      // Best effort: the token expires by itself.
      if (!isKept) await executeWith(access, token)(SIGN_OUT).catch(() => null);
    },
  };
}

async function signInOwner(
  access: ServerAccess,
  owner: MemberPassword,
  ownerFile: string,
): Promise<OpenedSession> {
  try {
    return await signIn(access, owner);
  } catch (error) {
    if (!isUnauthenticated(error)) throw error;
    throw new CommandError(
      `${ownerFile} is out of date: the server at ${access.url} refuses the address and the password in it, which have been changed since. Sign in with the current ones: signalbox sign-in. If they are lost: signalbox member reset-password.`,
    );
  }
}

async function readOwner(path: string): Promise<MemberPassword> {
  const remedy =
    "in with signalbox sign-in, pass a member's token with --token, or set the server's DATA_DIR.";
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const cause = isMissing
      ? "does not exist: no server has been started in this folder. Start one (npm start, or signalbox start), or run the command in the server's folder. Otherwise, sign"
      : "cannot be read. Sign";
    throw new CommandError(`${path} ${cause} ${remedy}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(
      `${path} contains bad JSON. Restore it from a backup, or sign ${remedy}`,
    );
  }
}

/** Opens a session of a member. @throws CommandError */
async function signIn(access: ServerAccess, input: MemberPassword): Promise<OpenedSession> {
  const { email, password } = input;
  const answer = await executeWith(access)(SIGN_IN, { input: { email, password } });
  return answer.signInMember as OpenedSession;
}

/**
 * Signs in a member, and keeps the session for the commands that follow, in place of an earlier one.
 * @throws CommandError if the server refuses it, or the session cannot be stored; then it is ended
 */
export async function keepSignIn(
  access: ServerAccess,
  input: MemberPassword,
): Promise<OpenedSession> {
  const before = await readSession(access).catch(() => null);
  const opened = await signIn(access, input);
  const session = { url: access.url, email: opened.member.email, token: opened.token };
  try {
    await writeSession(access, { ...session, ownerFile: null });
  } catch (error) {
    await executeWith(access, opened.token)(SIGN_OUT).catch(() => null);
    throw new CommandError(
      `The session cannot be stored in ${access.sessionsFolder} (${(error as NodeJS.ErrnoException).code}). Set XDG_CONFIG_HOME to a folder that you can write to, or use SIGNALBOX_TOKEN.`,
    );
  }
  if (before !== null) await executeWith(access, before.token)(SIGN_OUT).catch(() => null);
  return opened;
}

/**
 * Ends the stored session for a server, and deletes it.
 * @returns the member's e-mail address
 * @throws CommandError if there is none; if the server cannot be told, after the session was deleted here
 */
export async function endStoredSession(access: ServerAccess): Promise<string> {
  const stored = await readSession(access);
  if (stored === null) throw new CommandError(`Nobody is signed in at ${access.url}.`);
  await forgetSession(access);
  try {
    await executeWith(access, stored.token)(SIGN_OUT);
  } catch (error) {
    if (!isUnauthenticated(error)) {
      throw new CommandError(
        `${(error as Error).message}\nThe session was deleted here, but its token stays valid at the server for up to 12 hours.`,
      );
    }
  }
  return stored.email;
}
