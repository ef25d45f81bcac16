import { createCipheriv, createDecipheriv, hash } from "node:crypto";
import { randomIv } from "./random";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^sealed:([\w-]{6}):([\w-]+)$/;

/**
 * Encrypts secrets that the database keeps: AES-256-GCM (NIST SP 800-38D) under the first key; the
 * others only open what they sealed before. A sealed text is `sealed:<key>:<iv, tag and text in
 * base64url>`, where `<key>` tells which key it was without telling the key.
 */
export class Sealer {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly current: string;

  /** @param keys 32 bytes each, the newest first */
  constructor(keys: readonly Buffer[]) {
    this.keys = new Map(keys.map((key) => [nameOf(key), key]));
    this.current = [...this.keys.keys()][0]!;
  }

  /**
   * Seals a text for one purpose, such as `auth_secret`.
   * @param purpose must be the same when it is opened, so that one secret cannot stand in for another
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
   * The text behind a sealed one. A text that is not sealed is its own: databases of the first
   * version hold some until they are sealed at a start.
   * @throws Error when no key opens it
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

  /** Whether a text should be sealed anew: it is in clear, or under a key that is no longer the first. */
  isStale(sealed: string): boolean {
    return SEALED.exec(sealed)?.[1] !== this.current;
  }
}

function nameOf(key: Buffer): string {
  return hash("sha256", key, "buffer").toString("base64url").slice(0, 6);
}
