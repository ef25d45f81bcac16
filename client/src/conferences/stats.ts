import { type MediaStatistics, StatisticsReader } from "../media/statistics.ts";
import type { ParticipantStatistics } from "./conference-types.ts";
import type { MediaPeer } from "./media-peer.ts";
import { streamKey } from "./watcher.ts";

/** A peer connection, and whose media its sections carry, by {@link streamKey}. */
export interface MeasuredPeer {
  readonly media: MediaPeer;
  keyOf(mid: string | null): string | null;
}

/** Reads the statistics of all participants. */
export class StatsReader {
  readonly #readers = new Map<MediaPeer, StatisticsReader>();

  /** @returns the statistics since the last call, by participant */
  async read(peers: readonly MeasuredPeer[]): Promise<Map<string, ParticipantStatistics>> {
    const streams = new Map<string, MediaStatistics>();
    for (const known of this.#readers.keys()) {
      if (!peers.some(({ media }) => media === known)) this.#readers.delete(known);
    }
    for (const { media, keyOf } of peers) {
      const connection = media.peer?.connection;
      if (!connection) continue;
      const reader = this.#readers.get(media) ?? new StatisticsReader();
      this.#readers.set(media, reader);
      for (const [key, stats] of await reader.readEach(connection, keyOf)) {
        streams.set(key, stats);
      }
    }
    const participants = new Map<string, ParticipantStatistics>();
    for (const [key, stats] of streams) {
      const [participantId = "", source] = key.split("/");
      if (source === "SCREEN") continue;
      participants.set(participantId, {
        ...stats,
        screen: streams.get(streamKey(participantId, "SCREEN")) ?? null,
      });
    }
    return participants;
  }
}
