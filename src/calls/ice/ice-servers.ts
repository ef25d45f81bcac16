import { createHmac } from "node:crypto";
import type { Config } from "../../core/config";
import type { UserViewer } from "../../core/viewer";
import type { IceServerType } from "./ice-server.type";

type TurnConfig = Pick<Config, "TURN_URLS" | "TURN_SECRET" | "TURN_TTL_SECONDS" | "TURN_HOST">;

/** The port of STUN and TURN (RFC 8489 section 18.6, RFC 8656 section 16.5). */
const PORT = 3478;

/**
 * The servers that a user's client finds its way through NAT with, as RTCPeerConnection takes them:
 * one entry with credentials where there is a secret, else one of the STUN servers alone, else none.
 * @param now milliseconds since the Unix epoch
 */
export function iceServers(config: TurnConfig, viewer: UserViewer, now: number): IceServerType[] {
  const [secret] = config.TURN_SECRET ?? [];
  if (secret === undefined) {
    const urls = config.TURN_URLS.filter((url) => url.startsWith("stun"));
    return urls.length > 0 ? [{ urls, username: null, credential: null, expiresAt: null }] : [];
  }
  const urls = config.TURN_URLS.length > 0 ? config.TURN_URLS : defaultUrls(turnHost(config));
  const expiry = Math.floor(now / 1000) + config.TURN_TTL_SECONDS;
  const credentials = turnCredentials(secret, viewer, expiry);
  return [{ urls, ...credentials, expiresAt: new Date(expiry * 1000) }];
}

/**
 * Credentials that a TURN server which knows the secret takes until they expire
 * (draft-uberti-behave-turn-rest-00 section 2.2). The user is `{user_id}-{application_id}`, as in the
 * JID: it tells the server's operator whose relay it is, and nothing about the person.
 * @param expiry Unix time in seconds
 */
export function turnCredentials(
  secret: string,
  { userId, applicationId }: Pick<UserViewer, "userId" | "applicationId">,
  expiry: number,
): { username: string; credential: string } {
  const username = `${expiry}:${userId}-${applicationId}`;
  // SHA-1 is what the draft names and what TURN servers check.
  return { username, credential: createHmac("sha1", secret).update(username).digest("base64") };
}

/** The STUN and TURN server's host by itself: the one that is set, or that of the first URL. */
export function turnHost({
  TURN_HOST,
  TURN_URLS,
}: Pick<Config, "TURN_HOST" | "TURN_URLS">): string {
  if (TURN_HOST !== undefined) return TURN_HOST;
  const [, bracketed, plain] = /^[a-z]+:(?:\[([^\]]+)\]|([^:?]+))/.exec(TURN_URLS[0] ?? "") ?? [];
  return bracketed ?? plain ?? "localhost";
}

function defaultUrls(host: string): string[] {
  const place = `${host.includes(":") ? `[${host}]` : host}:${PORT}`;
  // UDP first: media over TCP waits for what was lost.
  return [`stun:${place}`, `turn:${place}?transport=udp`, `turn:${place}?transport=tcp`];
}
