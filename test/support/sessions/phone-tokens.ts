import { createHmac, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";

/** A key that signs ID tokens, and its published public key. */
export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  jwk: Record<string, unknown>;
}

/** Generates an RSA key. */
export function signingKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" };
  return { kid, privateKey, publicKey, jwk };
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Claims of a Firebase ID token for a phone sign-in; undefined omits a claim. */
export function phoneClaims(
  projectId: string,
  person: { sub: string; phone: string },
  now = Date.now(),
): Record<string, unknown> {
  const seconds = Math.floor(now / 1000);
  return {
    iss: `https://securetoken.google.com/${projectId}`,
    aud: projectId,
    auth_time: seconds - 10,
    user_id: person.sub,
    sub: person.sub,
    iat: seconds - 10,
    exp: seconds + 3600,
    phone_number: person.phone,
    firebase: { identities: { phone: [person.phone] }, sign_in_provider: "phone" },
  };
}

/** A token signed like Firebase's. */
export function phoneToken(
  key: SigningKey,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): string {
  const text = `${part({ alg: "RS256", kid: key.kid, typ: "JWT", ...header })}.${part(claims)}`;
  const signature = createSign("RSA-SHA256").update(text).sign(key.privateKey, "base64url");
  return `${text}.${signature}`;
}

/** A token without a signature. */
export function unsignedToken(key: SigningKey, claims: Record<string, unknown>): string {
  return `${part({ alg: "none", kid: key.kid, typ: "JWT" })}.${part(claims)}.`;
}

/** A token signed by HMAC with the public key as the secret (algorithm confusion). */
export function confusedToken(key: SigningKey, claims: Record<string, unknown>): string {
  const text = `${part({ alg: "HS256", kid: key.kid, typ: "JWT" })}.${part(claims)}`;
  const secret = key.publicKey.export({ format: "pem", type: "spki" });
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}
