import { createPublicKey, type KeyObject, verify } from "node:crypto";

/** A JWT (RFC 7519) taken apart, nothing of it believed yet. */
export interface SignedToken {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** Whether the key signed it, by the algorithm that is expected. */
  isSignedBy(key: KeyObject, algorithm: "ES256" | "RS256"): boolean;
}

const json = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, "base64url").toString("utf8"));

/** Tokens come with thousands of pushes: each is read, and its signature computed, once. */
const KEPT_MAX = 1000;
const kept = new Map<string, SignedToken | null>();

/** Reads a JWT; null where it is none. */
export function readSignedToken(text: string): SignedToken | null {
  if (!kept.has(text)) {
    if (kept.size === KEPT_MAX) kept.clear();
    kept.set(text, takeApart(text));
  }
  return kept.get(text) ?? null;
}

function takeApart(text: string): SignedToken | null {
  const parts = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(text);
  if (!parts) return null;
  const [, header = "", claims = "", signature = ""] = parts;
  try {
    const read = { header: json(header), claims: json(claims) };
    const signed = Buffer.from(`${header}.${claims}`);
    const bytes = Buffer.from(signature, "base64url");
    const results = new Map<KeyObject, boolean>();
    return {
      ...read,
      isSignedBy: (key, algorithm) => {
        if (read.header.alg !== algorithm) return false;
        // ECDSA signatures of a JWT are two numbers, not DER (RFC 7518 section 3.4).
        const by = { key, dsaEncoding: "ieee-p1363" } as const;
        const result = results.get(key) ?? verify("sha256", signed, by, bytes);
        results.set(key, result);
        return result;
      },
    };
  } catch {
    return null;
  }
}

/** An uncompressed point on P-256 as a key. */
export function pointKey(point: Buffer): KeyObject {
  const [x, y] = [point.subarray(1, 33), point.subarray(33, 65)];
  return createPublicKey({
    format: "jwk",
    key: { kty: "EC", crv: "P-256", x: x.toString("base64url"), y: y.toString("base64url") },
  });
}
