import type { PeerStatistics } from "../engine/engine";
import type { ParticipantStats, Peer } from "./peer";

/** What the engine has last reported of the peers that it has. */
export class ReportedStats {
  private readonly reported = new WeakMap<Peer, PeerStatistics>();

  set(peer: Peer, statistics: PeerStatistics): void {
    this.reported.set(peer, statistics);
  }

  /** The statistics of those of the peers that have any. */
  of(peers: readonly Peer[]): ParticipantStats[] {
    return peers.flatMap((peer) => {
      const statistics = this.reported.get(peer);
      const { participantId, source = null } = peer;
      return statistics ? [{ participantId, source, statistics }] : [];
    });
  }
}
