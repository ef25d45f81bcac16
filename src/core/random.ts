import { createHash, randomBytes } from "node:crypto";

/** An opaque secret of 43 URL-safe characters, 256 bits from the system's generator. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** A short id of 16 URL-safe characters, 96 bits: unique, unguessable, not a secret's length. */
export function newId(): string {
  return randomBytes(12).toString("base64url");
}

/** SHA-256 of a token: what the database keeps, so that a copy of it opens no session. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
