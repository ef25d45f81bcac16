import { createHmac, randomInt } from "node:crypto";

/** What an application signs with; `authSecret` stays with whoever signs and is never sent. */
export interface Application {
  id: number;
  authKey: string;
  authSecret: string;
}

/** The signed part of the body of `POST /session`. */
export interface SignedParameters {
  application_id: number;
  auth_key: string;
  /** A number that was not used before with the same timestamp. */
  nonce: number;
  /** Unix time in seconds; at most an hour away from the server's. */
  timestamp: number;
  /** 40 hexadecimal digits. */
  signature: string;
}

/**
 * Signs `POST /session`. The signed line is the four parameters as `name=value`, in alphabetical
 * order of the names, joined by `&`, with raw values: nothing is URL-encoded. User data, if the
 * session is to be a user's, goes into the body beside them.
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
