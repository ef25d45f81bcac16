import { monotonicNow } from "../../../../../core/clock";
import type { Feed, PeerMessage, PeerStatistics, PeerStream } from "../../engine";
import type { PublisherOffer } from "../sdp/client-sdp";
import { AUDIO_BITRATE, BITRATE_MIN } from "./bounds/limits";
import { MediaLimit } from "./bounds/media-limit";
import { PeerBudget } from "./bounds/peer-budget";
import { SfuConnection } from "./connection";
import { IncomingMedia } from "./incoming-media";
import type { Network } from "./native-connection";

/** What a peer reports to its room. */
export interface PeerEvents {
  up(): void;
  ended(reason: string): void;
  /** Its audio or video is dropped because it is beyond its cap, or is forwarded again. */
  limited(kind: "audio" | "video", dropped: boolean, cap: number): void;
}

/** A publishing peer. */
export class PublishingPeer {
  up = false;
  private connection: SfuConnection | null = null;
  private media: Partial<Record<"audio" | "video", IncomingMedia>> = {};
  private kinds: ReadonlySet<string> = new Set();
  private videoForbidden = false;
  private readonly enabled = { audio: true, video: true };
  private limits = { audio: new MediaLimit(), video: new MediaLimit() };
  /** What its participant was told of these. */
  private readonly told = { audio: false, video: false };
  private lastTotals = { expected: 0, lost: 0 };
  readonly budget: PeerBudget;
  /** Cap of its video in bits per second, and the share of it that the room has for now. */
  private bitrate: number;
  private share = 1;

  /**
   * @param bitrateMax what its video may have at most, in bits per second
   * @param changed called when its media must be linked again
   */
  constructor(
    readonly id: string,
    readonly feed: Feed,
    private readonly network: Network,
    private readonly bitrateMax: () => number,
    private readonly events: PeerEvents,
    private readonly changed: () => void,
  ) {
    this.bitrate = bitrateMax();
    this.budget = new PeerBudget(this.bitrate, events.ended);
  }

  /** Answers an offer with a new connection, and ends the earlier one. @throws Fault INVALID on `sdp`, UNAVAILABLE */
  async negotiate(offer: PublisherOffer): Promise<{ sdp: string; streams: PeerStream[] }> {
    const { sdp, audio, video } = offer;
    const media: Partial<Record<"audio" | "video", IncomingMedia>> = {};
    const connection = new SfuConnection(this.id, this.network, {
      up: () => {
        if (this.connection !== connection) return;
        this.up = true;
        this.events.up();
      },
      ended: (reason) => {
        if (this.connection === connection) this.events.ended(reason);
      },
      stray: (packet) => this.budget.stray(packet),
    });
    let answer: string;
    try {
      answer = await connection.answer(sdp, (mid, track) => {
        const kind = mid === audio?.mid ? "audio" : "video";
        const incoming = new IncomingMedia(track, kind, this.budget);
        incoming.enabled = this.enabled[kind];
        incoming.drop(this.limits[kind].isDropped);
        media[kind] = incoming;
      });
    } catch (error) {
      connection.close();
      throw error;
    }
    this.connection?.close();
    this.connection = connection;
    this.media = media;
    this.kinds = new Set([...(audio ? ["audio"] : []), ...(video ? ["video"] : [])]);
    this.changed();
    const sections = [
      ...(audio ? [{ ...audio, kind: "audio" as const }] : []),
      ...(video ? [{ ...video, kind: "video" as const }] : []),
    ];
    const streams = sections.map(({ mid, kind }) => ({ mid, kind, feed: this.feed }));
    return { sdp: answer, streams };
  }

  /** Whether it negotiated audio or video. */
  sends(kind: "audio" | "video"): boolean {
    return this.kinds.has(kind);
  }

  /** Its audio or video, once its track is there. */
  source(kind: "audio" | "video"): IncomingMedia | null {
    return this.media[kind] ?? null;
  }

  /** Drops its video for good: the room has only audio. */
  forbidVideo(): void {
    this.videoForbidden = true;
    this.enabled.video = false;
  }

  /** Applies a moderator's mute and the cap of the bitrate, and asks for the key frame that a message requests. */
  configure(settings: NonNullable<PeerMessage["publisher"]>): void {
    for (const kind of ["audio", "video"] as const) {
      const enabled = settings[kind];
      if (enabled === undefined || enabled === this.enabled[kind]) continue;
      if (kind === "video" && this.videoForbidden) continue;
      this.enabled[kind] = enabled;
      const media = this.media[kind];
      if (!media) continue;
      media.enabled = enabled;
      // What was dropped in between is missing from the video.
      if (enabled) media.restart();
    }
    if (settings.bitrate !== undefined) {
      this.bitrate = Math.min(this.bitrateMax(), Math.max(BITRATE_MIN, settings.bitrate));
      this.feedback();
    }
    if (settings.keyFrame) this.media.video?.requestKeyFrame();
  }

  /** Called every 40 ms. */
  repair(now: number): void {
    this.media.video?.repair(now);
  }

  /** Called every second. @param share of its bitrate that the room has for it, 0 to 1 */
  adapt(now: number, share: number): void {
    this.share = share;
    this.feedback(now);
    for (const kind of ["audio", "video"] as const) this.enforce(kind, now);
  }

  /** Holds its media to their caps. What the room asks for beyond that (share) is only a request. */
  private enforce(kind: "audio" | "video", now: number): void {
    const media = this.media[kind];
    if (!media) return;
    const cap = kind === "audio" ? AUDIO_BITRATE : this.bitrate;
    const limit = this.limits[kind];
    const { bitrate, seconds } = media.takeRate(now);
    if (!limit.update(bitrate, cap, seconds)) {
      this.events.ended(`too much ${kind}: more than three times its bitrate for 30 s`);
      return;
    }
    media.drop(limit.isDropped);
    if (limit.isDropped === this.told[kind]) return;
    this.told[kind] = limit.isDropped;
    this.events.limited(kind, limit.isDropped, cap);
  }

  /** Takes over the limits of the peer that it replaces, so that a new connection is no way around them. */
  replace(peer: PublishingPeer): void {
    this.limits = peer.limits;
  }

  private feedback(now = monotonicNow()): void {
    const bitrate = Math.max(BITRATE_MIN, this.bitrate * this.share);
    for (const each of this.incoming()) each.feedback(now, Math.min(this.bitrate, bitrate));
  }

  /** The statistics since the last call. */
  takeStatistics(seconds: number): PeerStatistics {
    const rate = (media: IncomingMedia | undefined) => {
      if (!media) return 0;
      const bits = (media.bytes * 8) / seconds;
      media.bytes = 0;
      return Math.round(bits);
    };
    const totals = { expected: 0, lost: 0 };
    for (const media of this.incoming()) {
      const { expected, lost } = media.totals();
      totals.expected += expected;
      totals.lost += lost;
    }
    const expected = totals.expected - this.lastTotals.expected;
    const lost = totals.lost - this.lastTotals.lost;
    this.lastTotals = totals;
    return {
      audioBitrate: rate(this.media.audio),
      videoBitrate: rate(this.media.video),
      packetLoss: expected > 0 ? Math.min(1, Math.max(0, lost / expected)) : 0,
      roundTripMs: null,
    };
  }

  /** Number of tracks that are forwarded from it. */
  get forwarded(): number {
    return this.incoming().reduce((sum, { forwarded }) => sum + forwarded, 0);
  }

  close(): void {
    this.connection?.close();
    this.connection = null;
    this.media = {};
  }

  private incoming(): IncomingMedia[] {
    const { audio, video } = this.media;
    return [...(audio ? [audio] : []), ...(video ? [video] : [])];
  }
}
