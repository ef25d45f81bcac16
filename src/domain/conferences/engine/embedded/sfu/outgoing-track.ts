import { monotonicNow } from "../../../../../core/clock";
import { randomInteger } from "../../../../../core/random";
import { TokenBucket } from "../../../../../platform/limits/token-bucket";
import { ResendLimits } from "../rtp/resend-limits";
import { readRtcp } from "../rtp/rtcp-read";
import { senderReport } from "../rtp/rtcp-write";
import type { RtpHeader } from "../rtp/rtp-packet";
import { RtpRewriter } from "../rtp/rtp-rewriter";
import { WATCHER_KEY_FRAME } from "./bounds/limits";
import type { PeerBudget } from "./bounds/peer-budget";
import type { MediaTrack } from "./bundle";
import { guarded } from "./guarded";
import type { IncomingMedia, MediaSink, SourceReport } from "./incoming-media";

/** Payload types and clocks of the sections that the SFU offers. */
export const OUTGOING_CODECS = {
  audio: { payloadType: 111, clockRate: 48_000 },
  video: { payloadType: 96, clockRate: 90_000 },
};

/** What a client reported on a track since it was last read. */
export interface TrackFeedback {
  loss: number | null;
  roundTripMs: number | null;
}

/** One media section of a watching peer: sends one source after another as a single stream. */
export class OutgoingTrack implements MediaSink {
  /** Payload bytes since the last report. */
  bytes = 0;
  private source: IncomingMedia | null = null;
  private open = false;
  /** Whether the client wants it, and whether its network allows it. */
  private wanted = true;
  private allowed = true;
  private readonly rewriter: RtpRewriter;
  private loss: number | null = null;
  private roundTripMs: number | null = null;
  private lastReport = { ntp: 0, at: 0 };
  private readonly resends = new ResendLimits();
  private readonly keyFrames = new TokenBucket(
    1 / WATCHER_KEY_FRAME.seconds,
    WATCHER_KEY_FRAME.burst * WATCHER_KEY_FRAME.seconds,
  );

  /** @param estimated called with the bitrate that the client expects to receive at most */
  constructor(
    private readonly track: MediaTrack,
    readonly kind: "audio" | "video",
    private readonly ssrc: number,
    private readonly budget: PeerBudget,
    estimated: (bitsPerSecond: number) => void,
  ) {
    const codec = OUTGOING_CODECS[kind];
    this.rewriter = new RtpRewriter(
      { ssrc, ...codec },
      { sequence: randomInteger(0, 0xffff), timestamp: randomInteger(0, 0xffff_ffff) },
    );
    track.onOpen(
      guarded(() => {
        this.open = true;
        this.source?.add(this);
      }),
    );
    track.onClosed(() => {
      this.open = false;
    });
    track.onMessage(guarded((packet: Buffer) => this.receive(packet, estimated)));
  }

  get needsKeyFrame(): boolean {
    return this.kind === "video" && this.sending && !this.rewriter.attached;
  }

  /** Whether packets are passed on. */
  get sending(): boolean {
    return this.open && this.wanted && this.allowed && this.source !== null;
  }

  /** Whether the client wants the track and it has a source, whatever the network allows. */
  get active(): boolean {
    return this.open && this.wanted && this.source !== null;
  }

  /** Sends another source from now on, or none. Video begins with a key frame. */
  attach(source: IncomingMedia | null): void {
    if (source === this.source) return;
    this.source?.remove(this);
    this.rewriter.release();
    this.source = source;
    source?.add(this);
  }

  /** Pauses or resumes by the client's wish (`wanted`) or for its network (`allowed`). */
  set(state: { wanted?: boolean; allowed?: boolean }): void {
    const before = this.sending;
    this.wanted = state.wanted ?? this.wanted;
    this.allowed = state.allowed ?? this.allowed;
    if (this.sending === before) return;
    this.rewriter.release();
    if (this.sending) this.source?.add(this);
  }

  packet(packet: Buffer, header: RtpHeader, startsKeyFrame: boolean, now: number): void {
    if (!this.sending || (this.needsKeyFrame && !startsKeyFrame)) return;
    if (!this.rewriter.rewrite(packet, header, now)) return;
    this.bytes += header.payloadEnd - header.payloadStart;
    this.resends.sent(packet.length);
    this.budget.sent(packet.length);
    this.send(packet);
  }

  report(report: SourceReport): void {
    const { rewriter } = this;
    if (!this.sending || !rewriter.attached) return;
    this.lastReport = {
      ntp: (((report.ntpHigh & 0xffff) << 16) | (report.ntpLow >>> 16)) >>> 0,
      at: monotonicNow(),
    };
    const timestamp = rewriter.mapTimestamp(report.timestamp);
    const { ntpHigh, ntpLow } = report;
    const { packets, bytes } = rewriter;
    this.send(senderReport({ ssrc: this.ssrc, ntpHigh, ntpLow, timestamp, packets, bytes }));
  }

  sourceChanged(): void {
    this.rewriter.release();
  }

  /** What the client reported since the last call. */
  takeFeedback(): TrackFeedback {
    const feedback = { loss: this.loss, roundTripMs: this.roundTripMs };
    this.loss = null;
    return feedback;
  }

  private receive(packet: Buffer, estimated: (bitsPerSecond: number) => void): void {
    if (!this.budget.control(packet.length)) return;
    for (const item of readRtcp(packet)) {
      if (item.type === "bitrate-estimate") estimated(item.bitsPerSecond);
      // The library gives a packet to every track that it names.
      if (!("ssrc" in item) || item.ssrc !== this.ssrc) continue;
      if (item.type === "key-frame-request") this.requestKeyFrame();
      else if (item.type === "missing-packets") this.resend(item.sequences);
      else if (item.type === "report") {
        this.loss = Math.max(this.loss ?? 0, item.fractionLost);
        if (item.lastSenderReport !== 0 && item.lastSenderReport === this.lastReport.ntp) {
          const elapsed = monotonicNow() - this.lastReport.at;
          this.roundTripMs = Math.max(0, elapsed - item.delaySinceLast / 65.536);
        }
      }
    }
  }

  private requestKeyFrame(): void {
    if (this.source && this.keyFrames.take()) this.source.requestKeyFrame();
  }

  /** Sends packets of video again, under their sequence numbers. Others are not kept. */
  private resend(sequences: readonly number[]): void {
    if (!this.sending) return;
    const now = monotonicNow();
    for (const sequence of sequences) {
      const original = this.rewriter.sourceOf(sequence);
      const kept = original === null ? null : this.source?.recent(original);
      if (!kept) continue;
      const { packet, timestamp } = kept;
      if (!this.resends.allow(sequence, packet.length, now, this.roundTripMs)) continue;
      this.rewriter.repeat(packet, timestamp, sequence);
      this.budget.caused(1);
      this.send(packet);
    }
  }

  private send(packet: Buffer): void {
    try {
      this.track.sendMessageBinary(packet);
    } catch {
      // The connection has just ended; its state follows.
      this.open = false;
    }
  }
}
