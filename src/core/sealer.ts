import { createCipheriv, createDecipheriv, hash } from "node:crypto";
import { randomIv } from "./random";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^sealed:([\w-]{6}):([\w-]+)$/;

/**
 * Encrypts secrets in the database with AES-256-GCM (NIST SP 800-38D). The first key encrypts; the other keys
 * only decrypt. A sealed text is `sealed:<key id>:<iv, tag and ciphertext in base64url>`, where the key id is
 * derived from the SHA-256 of the key.
 */
export class Sealer {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly current: string;

  /** @param keys 32 bytes each, the newest first */
  constructor(keys: readonly Buffer[]) {
    this.keys = new Map(keys.map((key) => [keyIdOf(key), key]));
    this.current = [...this.keys.keys()][0]!;
  }

  /**
   * Encrypts a text.
   * @param purpose what the secret is, such as `auth_secret`; `open` requires the same value, so that one
   * sealed secret cannot replace another
   */
  seal(text: string, purpose: string): string {
    const iv = randomIv(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.keys.get(this.current)!, iv);
    cipher.setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    const sealed = Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
    return `sealed:${this.current}:${sealed}`;
  }

  /**
   * Decrypts a sealed text. Returns a text that is not sealed unchanged, since databases of the first version
   * hold plain texts until the next start seals them.
   * @throws Error if no key fits
   */
  open(sealed: string, purpose: string): string {
    const match = SEALED.exec(sealed);
    if (!match) return sealed;
    const key = this.keys.get(match[1]!);
    if (!key) throw new Error("a secret was sealed with a key that is not configured");
    const bytes = Buffer.from(match[2]!, "base64url");
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(purpose));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const body = bytes.subarray(IV_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  }

  /** Whether a text must be sealed again: it is plain text, or sealed with a key that is not the first. */
  isStale(sealed: string): boolean {
    return SEALED.exec(sealed)?.[1] !== this.current;
  }
}

function keyIdOf(key: Buffer): string {
  return hash("sha256", key, "buffer").toString("base64url").slice(0, 6);
}
