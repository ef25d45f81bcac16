import { PeerConnection, type RtcConfig, Video } from "node-datachannel";
import { Fault } from "../../../../../core/errors";
import type { NetworkMessage } from "../ipc/messages";
import { GATHERING_MS } from "./bounds/limits";

/** Where the SFU receives media. */
export type Network = NetworkMessage;

/** Payload type and SSRC of the library's section that carries all, which nobody reads. */
const CARRIER = { payloadType: 96, ssrc: 1 };

/**
 * Opens a connection of the library at the port of the SFU.
 * @throws Fault UNAVAILABLE
 */
export function openPeerConnection(
  name: string,
  { bindAddress, port }: Network,
  options: Partial<RtcConfig>,
): PeerConnection {
  try {
    return new PeerConnection(name, {
      iceServers: [],
      bindAddress,
      enableIceUdpMux: true,
      portRangeBegin: port,
      portRangeEnd: port,
      forceMediaTransport: true,
      maxMessageSize: 16_384,
      ...options,
    });
  } catch (error) {
    throw cannotOpen(error instanceof Error ? error.message : String(error));
  }
}

/** The library's media section that carries all sections of an offer of the SFU (carried-sdp.ts). */
export function carrierSection(mid: string): Video {
  const carrier = new Video(mid, "SendOnly");
  carrier.addVP8Codec(CARRIER.payloadType);
  carrier.addSSRC(CARRIER.ssrc, "carrier", "carrier", "carrier");
  return carrier;
}

/**
 * Starts an exchange, and resolves with the local SDP once it has all candidates.
 * @throws Fault UNAVAILABLE, errors of `start`
 */
export async function gathered(native: PeerConnection, start: () => void): Promise<string> {
  const complete = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(cannotOpen("no candidates")), GATHERING_MS);
    native.onGatheringStateChange((state) => {
      if (state !== "complete") return;
      clearTimeout(timer);
      resolve();
    });
  });
  // It is awaited only if `start` succeeds.
  complete.catch(() => {});
  start();
  await complete;
  const description = native.localDescription();
  if (!description?.sdp.includes("a=candidate:")) throw cannotOpen("no address to offer");
  return description.sdp;
}

/** Closes a connection, whatever its state. */
export function closePeerConnection(native: PeerConnection): void {
  try {
    native.close();
  } catch {
    // The library has released it already.
  }
}

/** The fault of a connection that cannot be opened. */
export function cannotOpen(reason: string): Fault {
  return new Fault("UNAVAILABLE", `The media server cannot open a connection: ${reason}`);
}
