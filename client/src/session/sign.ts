/** An application's keys, from `npx signalbox app` or .data/credentials.json. */
export interface ApplicationKeys {
  readonly applicationId: number;
  readonly authKey: string;
  /** Signs sessions. Anyone who has it can create sessions, so it belongs in a backend. */
  readonly authSecret: string;
}

/** The signed parameters of a new session. */
export interface SignedParameters {
  readonly applicationId: number;
  readonly authKey: string;
  readonly nonce: number;
  /** Unix time in seconds. */
  readonly timestamp: number;
  readonly signature: string;
}

/** Signs the parameters of a new session: HMAC-SHA1 over the names in alphabetical order with their raw values. */
export async function signParameters({
  applicationId,
  authKey,
  authSecret,
}: ApplicationKeys): Promise<SignedParameters> {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const nonce = random % 2 ** 31;
  const timestamp = Math.floor(Date.now() / 1000);
  const line = `application_id=${applicationId}&auth_key=${authKey}&nonce=${nonce}&timestamp=${timestamp}`;
  const encode = (text: string) => new TextEncoder().encode(text);
  const algorithm = { name: "HMAC", hash: "SHA-1" };
  const key = await crypto.subtle.importKey("raw", encode(authSecret), algorithm, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, encode(line)));
  const signature = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { applicationId, authKey, nonce, timestamp, signature };
}
