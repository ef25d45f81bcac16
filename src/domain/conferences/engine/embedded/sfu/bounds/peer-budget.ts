import { monotonicNow } from "../../../../../../core/clock";
import { TokenBucket } from "../../../../../../platform/limits/token-bucket";
import { isRtcp } from "../../rtp/rtp-packet";
import {
  CONTROL_BURST_SECONDS,
  CONTROL_BYTES_PER_SECOND,
  CONTROL_BYTES_SHARE,
  CONTROL_PACKETS_PER_SECOND,
  CONTROL_PACKETS_SHARE,
  MEDIA_BITRATE_FACTOR,
  MEDIA_BURST_SECONDS,
  MEDIA_BYTES_PER_SECOND,
  MEDIA_PACKET_BYTES,
  MEDIA_PACKETS_PER_SECOND,
} from "./limits";

/** Limits packets and their bytes at once. */
class PacketBudget {
  private readonly packets: TokenBucket;
  private readonly bytes: TokenBucket;

  constructor(
    perSecond: { packets: number; bytes: number },
    burstSeconds: number,
    now: () => number,
  ) {
    this.packets = new TokenBucket(perSecond.packets, burstSeconds, now);
    this.bytes = new TokenBucket(perSecond.bytes, burstSeconds, now);
  }

  take(bytes: number): boolean {
    return this.packets.take() && this.bytes.take(bytes);
  }

  add(packets: number, bytes: number): void {
    this.packets.add(packets);
    this.bytes.add(bytes);
  }
}

/**
 * What one peer may send to the SFU, far above what an honest client needs, and what the SFU does for it. A packet
 * beyond the budget ends the peer. Media feedback may grow with what the peer receives (RFC 3550 section 6.2 plans 5 %
 * of a session's bandwidth for RTCP).
 */
export class PeerBudget {
  private readonly controls: PacketBudget;
  private readonly mediaPackets: PacketBudget;
  private packets = 0;
  private over = false;

  /**
   * @param bitrate cap of the video that it publishes, in bits per second; 0 for a peer that watches
   * @param exceeded called once
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    bitrate: number,
    private readonly exceeded: (reason: string) => void,
    now: () => number = monotonicNow,
  ) {
    const control = { packets: CONTROL_PACKETS_PER_SECOND, bytes: CONTROL_BYTES_PER_SECOND };
    this.controls = new PacketBudget(control, CONTROL_BURST_SECONDS, now);
    const bytes = Math.max(MEDIA_BYTES_PER_SECOND, (MEDIA_BITRATE_FACTOR * bitrate) / 8);
    const packets = Math.max(MEDIA_PACKETS_PER_SECOND, bytes / MEDIA_PACKET_BYTES);
    this.mediaPackets = new PacketBudget({ packets, bytes }, MEDIA_BURST_SECONDS, now);
  }

  /** Counts an RTCP packet that it sent. @returns false if it must not be handled */
  control(bytes: number): boolean {
    return this.received(this.controls, bytes, "too many RTCP packets");
  }

  /** Counts an RTP packet that it sent. @returns false if it must not be handled */
  media(bytes: number): boolean {
    return this.received(this.mediaPackets, bytes, "too much media");
  }

  /** Counts a packet that belongs to none of its media sections. */
  stray(packet: Buffer): void {
    if (isRtcp(packet)) this.control(packet.length);
    else this.media(packet.length);
  }

  /** Counts packets that the SFU sends because of it: copies of its media, and what it has requested again. */
  caused(packets: number): void {
    this.packets += packets;
  }

  /** Records a packet that is sent to it, for which it may send feedback. */
  sent(bytes: number): void {
    this.controls.add(CONTROL_PACKETS_SHARE, bytes * CONTROL_BYTES_SHARE);
  }

  /** Packets that it has sent and caused since the last call. */
  takePackets(): number {
    const packets = this.packets;
    this.packets = 0;
    return packets;
  }

  private received(budget: PacketBudget, bytes: number, reason: string): boolean {
    if (this.over) return false;
    this.packets += 1;
    if (budget.take(bytes)) return true;
    this.over = true;
    this.exceeded(reason);
    return false;
  }
}
