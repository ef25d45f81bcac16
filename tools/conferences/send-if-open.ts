import type { Track } from "node-datachannel";

/** Sends a packet (RTP or RTCP), or drops it while the track is not open. Returns true if it was sent. */
export function sendIfOpen(track: Track | undefined, packet: Buffer): boolean {
  if (!track?.isOpen()) return false;
  try {
    return track.sendMessageBinary(packet);
  } catch {
    // Another thread may close the track after the check.
    return false;
  }
}
