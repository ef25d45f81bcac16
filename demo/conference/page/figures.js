/**
 * What is received of a member: bits per second (null for oneself), percent, and the loudness from 0 to 1.
 * @typedef {{ bitrate: number | null, lost: number, level: number }} Figures
 */

/** Turns the counters of peer connections into figures since the last reading. */
export class FigureReader {
  /** @type {Map<string, { bytes: number, packets: number, lost: number, at: number }>} */
  #before = new Map();

  /**
   * Reads the statistics of a peer connection (W3C, Identifiers for WebRTC's Statistics API).
   * @param {RTCPeerConnection} connection
   * @param {(report: any) => string | null} keyOf the key of an inbound stream; null leaves it out
   * @param {Map<string, Figures>} figures receives the figures by key
   */
  async read(connection, keyOf, figures) {
    for (const report of (await connection.getStats()).values()) {
      if (report.type !== "inbound-rtp") continue;
      const key = keyOf(report);
      if (key === null) continue;
      const { bitrate, ...sum } = figures.get(key) ?? { bitrate: 0, lost: 0, level: 0 };
      const now = {
        bytes: report.bytesReceived,
        packets: report.packetsReceived,
        lost: report.packetsLost,
        at: report.timestamp,
      };
      const counted = `${key} ${report.id}`;
      const before = this.#before.get(counted) ?? now;
      this.#before.set(counted, now);
      const seconds = (now.at - before.at) / 1_000;
      const more = seconds > 0 ? ((now.bytes - before.bytes) * 8) / seconds : 0;
      const lost = Math.max(0, now.lost - before.lost);
      const expected = lost + now.packets - before.packets;
      if (expected > 0) sum.lost = Math.max(sum.lost, (100 * lost) / expected);
      sum.level = Math.max(sum.level, report.audioLevel ?? 0);
      figures.set(key, { ...sum, bitrate: (bitrate ?? 0) + more });
    }
  }

  /**
   * The loudness of the own microphone.
   * @param {RTCPeerConnection} connection a publishing one
   */
  async ownLevel(connection) {
    for (const report of (await connection.getStats()).values()) {
      if (report.type === "media-source" && report.kind === "audio") return report.audioLevel ?? 0;
    }
    return 0;
  }
}
