import { hash, randomBytes, randomFillSync, randomInt } from "node:crypto";

/** An opaque secret of 43 URL-safe characters, 256 bits from the system's generator. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

const ID_BYTES = 12;
/** Bytes for ids still to be made: the generator is asked once for many, which every request needs. */
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.length;

/** A short id of 16 URL-safe characters, 96 bits: unique, unguessable, not a secret's length. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString("base64url", used - ID_BYTES, used);
}

/** SHA-256 of a token: what the database keeps, so that a copy of it opens no session. */
export function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** A key of 256 bits. */
export function newKey(): Buffer {
  return randomBytes(32);
}

/** An initialisation vector, never used twice with one key. */
export function randomIv(bytes: number): Buffer {
  return randomBytes(bytes);
}

/** A nonce for a signed request: a number below 2^47. */
export function newNonce(): number {
  return randomInt(2 ** 47);
}
