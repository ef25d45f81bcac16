import { createECDH, hash, randomBytes, randomFillSync, randomInt } from "node:crypto";

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

/** A key pair on the curve P-256: the 32 bytes of the private key, and an uncompressed point. */
export function newP256Pair(): { privateKey: Buffer; publicKey: Buffer } {
  const curve = createECDH("prime256v1");
  const publicKey = curve.generateKeys();
  // The curve's own form leaves out zeros in front.
  const privateKey = Buffer.from(curve.getPrivateKey("hex").padStart(64, "0"), "hex");
  return { privateKey, publicKey };
}

/** An initialisation vector, never used twice with one key. */
export function randomIv(bytes: number): Buffer {
  return randomBytes(bytes);
}

/** A serial number of a certificate: 16 bytes in hexadecimal, a positive number (RFC 5280 section 4.1.2.2). */
export function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes.toString("hex");
}

/** A nonce for a signed request: a number below 2^47. */
export function newNonce(): number {
  return randomInt(2 ** 47);
}

/** A whole number from `min` up to `max`, which is included; no secret. */
export function integerBetween(min: number, max: number): number {
  return randomInt(Math.floor(min), Math.floor(max) + 1);
}

/** The same things in an order by chance; no secret. */
export function shuffled<T>(items: readonly T[]): T[] {
  const order = [...items];
  for (let at = order.length - 1; at > 0; at--) {
    const other = randomInt(at + 1);
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order;
}
