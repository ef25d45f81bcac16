import { createPublicKey, type KeyObject, verify } from "node:crypto";

/** A parsed, unverified JWT (RFC 7519). */
export interface SignedToken {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** Whether the key signed the token with the expected algorithm. */
  isSignedBy(key: KeyObject, algorithm: "ES256" | "RS256"): boolean;
}

const json = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, "base64url").toString("utf8"));

/** Cache of parsed tokens: thousands of pushes share a token, which is parsed and verified once. */
const CACHE_MAX = 1000;
const cache = new Map<string, SignedToken | null>();

/** Parses a JWT; null if it is invalid. */
export function readSignedToken(text: string): SignedToken | null {
  if (!cache.has(text)) {
    if (cache.size === CACHE_MAX) cache.clear();
    cache.set(text, parse(text));
  }
  return cache.get(text) ?? null;
}

function parse(text: string): SignedToken | null {
  const parts = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(text);
  if (!parts) return null;
  const [, header = "", claims = "", signature = ""] = parts;
  try {
    const parsed = { header: json(header), claims: json(claims) };
    const signed = Buffer.from(`${header}.${claims}`);
    const bytes = Buffer.from(signature, "base64url");
    const results = new Map<KeyObject, boolean>();
    return {
      ...parsed,
      isSignedBy: (key, algorithm) => {
        if (parsed.header.alg !== algorithm) return false;
        // JWTs encode ECDSA signatures as two numbers, not as DER (RFC 7518 section 3.4).
        const verifier = { key, dsaEncoding: "ieee-p1363" } as const;
        const result = results.get(key) ?? verify("sha256", signed, verifier, bytes);
        results.set(key, result);
        return result;
      },
    };
  } catch {
    return null;
  }
}

/** Converts an uncompressed point on P-256 to a key. */
export function pointKey(point: Buffer): KeyObject {
  const [x, y] = [point.subarray(1, 33), point.subarray(33, 65)];
  return createPublicKey({
    format: "jwk",
    key: { kty: "EC", crv: "P-256", x: x.toString("base64url"), y: y.toString("base64url") },
  });
}
