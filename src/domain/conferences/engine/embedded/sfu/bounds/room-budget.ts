import { monotonicNow } from "../../../../../../core/clock";
import { TokenBucket } from "../../../../../../platform/limits/token-bucket";
import { ROOM_BURST_SECONDS, ROOM_PACKETS_PER_SECOND, ROOM_SHARE_MIN } from "./limits";

/** A peer, by what the SFU has done for it. */
export interface PeerCost {
  /** Packets that it has sent and caused since the last update. */
  packets: number;
  /** Ends the peer. */
  end(): void;
}

/**
 * What the process spends on one room, in packets: received, forwarded and sent again. A room that comes near the limit
 * asks its publishers for less video, to which honest clients respond within a second or two. One that stays beyond it
 * loses the peers that cost most.
 */
export class RoomBudget {
  /** Share of the bitrate that publishers are allowed now, 0 to 1. */
  share = 1;
  private readonly packets: TokenBucket;
  private updatedAt: number;

  /** @param now milliseconds of a monotonic clock */
  constructor(private readonly now: () => number = monotonicNow) {
    this.packets = new TokenBucket(ROOM_PACKETS_PER_SECOND, ROOM_BURST_SECONDS, now);
    this.updatedAt = now();
  }

  /** Takes the costs since the last update, and ends peers if they are too high. Called about every second. */
  update(costs: readonly PeerCost[]): void {
    const now = this.now();
    const seconds = Math.max(0.001, (now - this.updatedAt) / 1000);
    this.updatedAt = now;
    let total = costs.reduce((sum, { packets }) => sum + packets, 0);
    const isHigh = total / seconds > 0.9 * ROOM_PACKETS_PER_SECOND;
    this.share = isHigh
      ? Math.max(ROOM_SHARE_MIN, this.share * 0.8)
      : Math.min(1, this.share * 1.05);
    const dearest = [...costs].sort((a, b) => b.packets - a.packets);
    while (!this.packets.take(total)) {
      const next = dearest.shift();
      if (!next) return;
      total -= next.packets;
      next.end();
    }
  }
}
