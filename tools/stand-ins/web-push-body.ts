import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

/** A browser's keys for one subscription. */
export interface BrowserKeys {
  privateKey: Buffer;
  publicKey: Buffer;
  auth: Buffer;
}

/** Creates the keys of a new subscription. */
export function newBrowserKeys(): BrowserKeys {
  const pair = createECDH("prime256v1");
  const publicKey = pair.generateKeys();
  return { publicKey, privateKey: pair.getPrivateKey(), auth: randomBytes(16) };
}

const derive = (key: Buffer, salt: Buffer, info: Buffer, bytes: number) =>
  Buffer.from(hkdfSync("sha256", key, salt, info, bytes));

/** Size in bytes of a body's header before the sender's key: salt, record size, key length. */
const HEADER = 21;
const TAG = 16;

/**
 * Decrypts a body like a browser (RFC 8291 section 3.4, RFC 8188 section 2).
 * @returns null if the body is invalid or for other keys
 */
export function decryptBody(body: Buffer, keys: BrowserKeys): string | null {
  try {
    const salt = body.subarray(0, 16);
    const recordSize = body.readUInt32BE(16);
    const sender = body.subarray(HEADER, HEADER + body.readUInt8(20));
    const record = body.subarray(HEADER + sender.length);
    // A message consists of a single record (RFC 8291 section 4).
    if (record.length > recordSize) return null;
    const pair = createECDH("prime256v1");
    pair.setPrivateKey(keys.privateKey);
    const shared = pair.computeSecret(sender);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), keys.publicKey, sender]);
    const key = derive(shared, keys.auth, info, 32);
    const contentKey = derive(key, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const nonce = derive(key, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
    const decipher = createDecipheriv("aes-128-gcm", contentKey, nonce);
    decipher.setAuthTag(record.subarray(-TAG));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG)), decipher.final()]);
    const end = padded.lastIndexOf(2);
    const isPadding = end >= 0 && padded.subarray(end + 1).every((byte) => byte === 0);
    return isPadding ? padded.subarray(0, end).toString("utf8") : null;
  } catch {
    return null;
  }
}
