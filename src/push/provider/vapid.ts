import { createECDH } from "node:crypto";
import { LRUCache } from "lru-cache";
import { getVapidHeaders } from "web-push";
import type { Clock } from "../../core/clock";
import type { WebPushCredentials } from "../credential/credentials";

/** A push service takes no token that is good for more than 24 hours (RFC 8292 section 2). */
const LIFE_MS = 12 * 3_600_000;
const RENEW_MS = LIFE_MS / 2;

/** Push services that a token is kept for; devices name them, so there may be any number. */
const ORIGINS_MAX = 200;

const KEY = /^[\w-]+$/;

/**
 * What is wrong with VAPID credentials, as far as they tell themselves; null where nothing is. No
 * service is asked: there are many, and each learns the key with a device.
 */
export function checkVapid({ publicKey, privateKey, subject }: WebPushCredentials): string | null {
  const secret = Buffer.from(privateKey, "base64url");
  if (!KEY.test(privateKey) || secret.length !== 32) {
    return "the private key is not 32 bytes in base64url";
  }
  const given = Buffer.from(publicKey, "base64url");
  if (!KEY.test(publicKey) || given.length !== 65 || given[0] !== 4) {
    return "the public key is not an uncompressed point on P-256 in base64url";
  }
  const pair = createECDH("prime256v1");
  try {
    pair.setPrivateKey(secret);
  } catch {
    return "the private key is none on P-256";
  }
  if (!pair.getPublicKey().equals(given)) return "the two keys do not belong together";
  const form = /^mailto:[^\s@]+@[^\s@]+$/.test(subject) || /^https:\/\/[^\s/]+/.test(subject);
  return form && URL.canParse(subject) ? null : "the subject is no mailto: or https: URL";
}

/** Tokens by which an application names itself to push services (RFC 8292), one for each, kept. */
export class VapidTokens {
  private readonly kept = new LRUCache<string, { authorization: string; madeAt: number }>({
    max: ORIGINS_MAX,
  });

  constructor(
    private readonly credentials: WebPushCredentials,
    private readonly clock: Clock,
  ) {}

  /** The header Authorization for a push service, by its origin. */
  authorizationFor(origin: string): string {
    const now = this.clock.now();
    const known = this.kept.get(origin);
    const age = known ? now - known.madeAt : -1;
    if (known && age >= 0 && age < RENEW_MS) return known.authorization;
    const { subject, publicKey, privateKey } = this.credentials;
    const authorization = getVapidHeaders(
      origin,
      subject,
      publicKey,
      privateKey,
      "aes128gcm",
      Math.floor((now + LIFE_MS) / 1000),
    ).Authorization;
    this.kept.set(origin, { authorization, madeAt: now });
    return authorization;
  }
}
