import { createECDH, hash, randomBytes, randomFillSync, randomInt } from "node:crypto";

/** An opaque secret of 43 URL-safe characters, with 256 bits of entropy. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

/** Whether a text has the form of {@link newToken}. A password that a backend derived may have it too. */
export function hasTokenForm(text: string): boolean {
  return TOKEN_FORM.test(text);
}

const ID_BYTES = 12;
/** Random bytes for future ids. They are generated in batches, since every request needs an id. */
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.length;

/** A unique id of 16 URL-safe characters, with 96 random bits. Not long enough for a secret. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString("base64url", used - ID_BYTES, used);
}

/** SHA-256 of a token. The database stores only the hash, so that a leaked copy grants no access. */
export function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** A random 256-bit key. */
export function newKey(): Buffer {
  return randomBytes(32);
}

/** A key pair on curve P-256: a private key of 32 bytes, and the public key as an uncompressed point. */
export function newP256KeyPair(): { privateKey: Buffer; publicKey: Buffer } {
  const curve = createECDH("prime256v1");
  const publicKey = curve.generateKeys();
  // Node omits leading zeros.
  const privateKey = Buffer.from(curve.getPrivateKey("hex").padStart(64, "0"), "hex");
  return { privateKey, publicKey };
}

/** A random initialisation vector. */
export function randomIv(bytes: number): Buffer {
  return randomBytes(bytes);
}

/** A certificate serial number: a positive number of 16 bytes, in hexadecimal (RFC 5280 section 4.1.2.2). */
export function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes.toString("hex");
}

/** A random nonce below 2^47, for a signed request. */
export function newNonce(): number {
  return randomInt(2 ** 47);
}

/** A random positive integer of 53 bits, which JSON numbers hold exactly. */
export function newSafeInteger(): number {
  return randomInt(2 ** 32) * 2 ** 21 + randomInt(1, 2 ** 21);
}

/** A random integer from `min` to `max` inclusive. Not for secrets. */
export function randomInteger(min: number, max: number): number {
  return randomInt(Math.floor(min), Math.floor(max) + 1);
}

/** A copy of the items in random order. */
export function shuffled<T>(items: readonly T[]): T[] {
  const shuffled = [...items];
  for (let index = shuffled.length - 1; index > 0; index--) {
    const other = randomInt(index + 1);
    [shuffled[index], shuffled[other]] = [shuffled[other]!, shuffled[index]!];
  }
  return shuffled;
}
