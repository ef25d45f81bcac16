import { IceServersDocument } from "../generated/operations.ts";
import type { Session } from "../session/session.ts";

/**
 * The STUN and TURN servers for the user's calls, with fresh credentials, as RTCPeerConnection takes them.
 *
 * @example
 * ```ts
 * import { iceServers } from "@signalbox/client";
 *
 * const servers = await iceServers(signalbox.session);
 * console.log(servers.map(({ urls }) => urls));
 * ```
 */
export async function iceServers(session: Session): Promise<RTCIceServer[]> {
  const { iceServers } = await session.execute(IceServersDocument, {});
  return iceServers.map(({ urls, username, credential }) => ({
    urls,
    ...(username !== null && { username }),
    ...(credential !== null && { credential }),
  }));
}
