import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { trimTrailingSlashes } from "../../../core/host-in-url";
import { hashToken } from "../../../core/random";
import { replaceFile } from "../../../core/startup/replace-file";
import { CommandError } from "./command-error";

/** A session of a member that the command line keeps for a server, until it ends. */
export interface StoredSession {
  /** The server's URL. */
  url: string;
  /** The member's e-mail address. */
  email: string;
  token: string;
  /** Path of the owner.json that it was opened with; null for one of `signalbox sign-in`. */
  ownerFile: string | null;
}

/** Where the session for a server is stored. */
export interface SessionPlace {
  url: string;
  /** The folder of all sessions of the person who runs the command line. */
  sessionsFolder: string;
}

/** A file for each server, so that commands for different servers do not overwrite each other's. */
function fileOf({ url, sessionsFolder }: SessionPlace): string {
  const name = hashToken(trimTrailingSlashes(url)).toString("hex").slice(0, 32);
  return join(sessionsFolder, `${name}.json`);
}

/** Reads the session for a server; null if there is none. @throws CommandError if the file cannot be used */
export async function readSession(place: SessionPlace): Promise<StoredSession | null> {
  const file = fileOf(place);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new CommandError(`${file}, which has your session, cannot be read (${code}).`);
  }
  try {
    const { url, email, token, ownerFile } = JSON.parse(text) as StoredSession;
    if ([url, email, token].every((value) => typeof value === "string")) {
      return { url, email, token, ownerFile: ownerFile ?? null };
    }
  } catch {
    // Reported below.
  }
  throw new CommandError(`${file} contains no session: delete it, and sign in again.`);
}

/**
 * Stores the session for a server, readable only by the person who runs the command line.
 * @throws Error of the file system
 */
export async function writeSession(place: SessionPlace, session: StoredSession): Promise<void> {
  const file = fileOf(place);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, `${JSON.stringify(session, null, 2)}\n`, 0o600);
}

/** Deletes the session for a server, if there is one. */
export async function forgetSession(place: SessionPlace): Promise<void> {
  await rm(fileOf(place), { force: true });
}
