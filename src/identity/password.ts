import { Algorithm, hash, verify } from "@node-rs/argon2";
import { Extensions } from "type-graphql";
import { Fault } from "../core/errors";
import { hashToken } from "../core/random";

/** argon2id with 19 MiB and two passes, the first choice of OWASP's Password Storage Cheat Sheet. */
const ARGON = {
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Characters of a password at least. */
export const PASSWORD_MIN = 8;
/** Characters of a password at most, so that a hash costs the same for everybody. */
export const PASSWORD_MAX = 255;

/** Marks an input field as a password. It may hold any character: it is hashed, never stored as text. */
export function Password(): PropertyDecorator {
  return Extensions({ password: true });
}

/** Checks a new password. @throws Fault INVALID on the field */
export function checkPassword(password: string, field = "password"): void {
  const length = [...password].length;
  if (length < PASSWORD_MIN) {
    throw Fault.field(field, `is too short (minimum is ${PASSWORD_MIN} characters)`);
  }
  if (length > PASSWORD_MAX) {
    throw Fault.field(field, `is too long (maximum is ${PASSWORD_MAX} characters)`);
  }
}

/** Hashes a password, in a worker thread. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, ARGON);
}

/** A hash that no password has: all of its bytes are zero. To compare with it is the work of any other. */
const NOBODYS = [
  "$argon2id$v=19",
  `$m=${ARGON.memoryCost},t=${ARGON.timeCost},p=${ARGON.parallelism}`,
  `$${"A".repeat(22)}$${"A".repeat(43)}`,
].join("");

/**
 * Whether a password belongs to a hash. Without a hash the same work is done for nothing, so that the
 * time taken does not tell a known name from an unknown one.
 */
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  if (password.length > 4 * PASSWORD_MAX) return false;
  const right = await verify(stored ?? NOBODYS, password);
  return right && stored !== null;
}

/** Tells the hash of one password from that of another, and nothing else of it. */
export function passwordMark(stored: string): string {
  return hashToken(stored).toString("hex");
}
