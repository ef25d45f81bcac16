import { createHmac, randomInt } from "node:crypto";

/** The application's signing credentials. `authSecret` is never sent. */
export interface Application {
  id: number;
  authKey: string;
  authSecret: string;
}

/** The signed part of the body of `POST /session`. */
export interface SignedParameters {
  application_id: number;
  auth_key: string;
  /** A number that was not used with the same timestamp before. */
  nonce: number;
  /** Unix time in seconds, within one hour of the server's. */
  timestamp: number;
  /** 40 hexadecimal digits. */
  signature: string;
}

/**
 * Signs `POST /session`. The signed string consists of the four parameters as `name=value`, sorted by name
 * and joined by `&`, with raw values (not URL-encoded). For a user session, add the user's credentials to the
 * body.
 */
export function signSession({ id, authKey, authSecret }: Application): SignedParameters {
  const parameters = {
    application_id: id,
    auth_key: authKey,
    nonce: randomInt(1, 2 ** 31),
    timestamp: Math.floor(Date.now() / 1000),
  };
  const line = Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  const signature = createHmac("sha1", authSecret).update(line).digest("hex");
  return { ...parameters, signature };
}
