import { createHmac } from "node:crypto";
import type { Config } from "../../../core/config";
import type { UserViewer } from "../../../core/viewer";
import type { IceServerType } from "./ice-server.type";

type TurnConfig = Pick<Config, "TURN_URLS" | "TURN_SECRET" | "TURN_TTL_SECONDS" | "TURN_HOST">;

/** The user, or the guest by its number, that credentials are for. */
export type TurnUser = Pick<UserViewer, "userId" | "applicationId">;

/** Default port of STUN and TURN (RFC 8489 section 18.6, RFC 8656 section 16.5). */
const PORT = 3478;

/**
 * Returns the ICE servers for a user's client, in the form of RTCIceServer: one entry with credentials if a
 * TURN secret is configured, otherwise one with the STUN servers, if any.
 * @param now milliseconds since the Unix epoch
 */
export function iceServers(config: TurnConfig, viewer: TurnUser, now: number): IceServerType[] {
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
 * Creates time-limited credentials for a TURN server with a shared secret (draft-uberti-behave-turn-rest-00
 * section 2.2). The user is `{user_id}-{application_id}`, as in the JID, so that the server's operator can
 * attribute a relay to a user without personal data.
 * @param expiry Unix time in seconds
 */
export function turnCredentials(
  secret: string,
  { userId, applicationId }: TurnUser,
  expiry: number,
): { username: string; credential: string } {
  const username = `${expiry}:${userId}-${applicationId}`;
  // The draft and TURN servers require SHA-1.
  return { username, credential: createHmac("sha1", secret).update(username).digest("base64") };
}

/** The host of the STUN and TURN server: TURN_HOST if set, otherwise the host of the first URL. */
export function turnHost({
  TURN_HOST,
  TURN_URLS,
}: Pick<Config, "TURN_HOST" | "TURN_URLS">): string {
  if (TURN_HOST !== undefined) return TURN_HOST;
  const [, bracketed, plain] = /^[a-z]+:(?:\[([^\]]+)\]|([^:?]+))/.exec(TURN_URLS[0] ?? "") ?? [];
  return bracketed ?? plain ?? "localhost";
}

function defaultUrls(host: string): string[] {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${PORT}`;
  // UDP first, since packet loss delays media over TCP.
  const turn = `turn:${authority}`;
  return [`stun:${authority}`, `${turn}?transport=udp`, `${turn}?transport=tcp`];
}
