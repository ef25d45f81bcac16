import { createECDH } from "node:crypto";
import { LRUCache } from "lru-cache";
import { getVapidHeaders } from "web-push";
import type { Clock } from "../../../../core/clock";
import type { WebPushCredentials } from "../../credentials/credentials";

/** Token lifetime; push services accept at most 24 hours (RFC 8292 section 2). */
const LIFETIME_MS = 12 * 3_600_000;
const RENEW_MS = LIFETIME_MS / 2;

/** Maximum number of push services with a cached token; devices name any number of them. */
const ORIGINS_MAX = 200;

const KEY = /^[\w-]+$/;

/**
 * Checks VAPID credentials locally. There is no single service to ask: each of many learns the key when a
 * device subscribes.
 * @returns null, or the problem
 */
export function checkVapid({ publicKey, privateKey, subject }: WebPushCredentials): string | null {
  const secret = Buffer.from(privateKey, "base64url");
  if (!KEY.test(privateKey) || secret.length !== 32) {
    return "the private key is not 32 bytes in base64url";
  }
  const point = Buffer.from(publicKey, "base64url");
  if (!KEY.test(publicKey) || point.length !== 65 || point[0] !== 4) {
    return "the public key is not an uncompressed point on P-256 in base64url";
  }
  const pair = createECDH("prime256v1");
  try {
    pair.setPrivateKey(secret);
  } catch {
    return "the private key is not a P-256 key";
  }
  if (!pair.getPublicKey().equals(point)) return "the public key does not match the private key";
  const allowed = /^mailto:[^\s@]+@[^\s@]+$/.test(subject) || /^https:\/\/[^\s/]+/.test(subject);
  return allowed && URL.canParse(subject) ? null : "the subject is not a mailto: or https: URL";
}

/** VAPID tokens (RFC 8292) that identify an application, cached per push service. */
export class VapidTokens {
  private readonly cache = new LRUCache<string, { authorization: string; issuedAt: number }>({
    max: ORIGINS_MAX,
  });

  constructor(
    private readonly credentials: WebPushCredentials,
    private readonly clock: Clock,
  ) {}

  /** The Authorization header for the push service at an origin. */
  authorizationFor(origin: string): string {
    const now = this.clock.now();
    const cached = this.cache.get(origin);
    const age = cached ? now - cached.issuedAt : -1;
    if (cached && age >= 0 && age < RENEW_MS) return cached.authorization;
    const { subject, publicKey, privateKey } = this.credentials;
    const authorization = getVapidHeaders(
      origin,
      subject,
      publicKey,
      privateKey,
      "aes128gcm",
      Math.floor((now + LIFETIME_MS) / 1000),
    ).Authorization;
    this.cache.set(origin, { authorization, issuedAt: now });
    return authorization;
  }
}
