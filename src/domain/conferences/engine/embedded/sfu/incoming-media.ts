import { monotonicNow } from "../../../../../core/clock";
import { MissingPackets } from "../rtp/missing-packets";
import { type RecentPacket, RecentPackets } from "../rtp/recent-packets";
import { readRtcp } from "../rtp/rtcp-read";
import {
  maximumBitrate,
  negativeAcknowledgement,
  pictureLoss,
  receiverReport,
} from "../rtp/rtcp-write";
import { isRtcp, newRtpHeader, type RtpHeader, readRtp } from "../rtp/rtp-packet";
import { startsVp8KeyFrame } from "../rtp/vp8";
import { KEY_FRAME_MS, SENDER_REPORT_MS } from "./bounds/limits";
import type { PeerBudget } from "./bounds/peer-budget";
import type { MediaTrack } from "./bundle";
import { guarded } from "./guarded";

/** A sender report of the publisher, as it is forwarded. */
export interface SourceReport {
  ntpHigh: number;
  ntpLow: number;
  timestamp: number;
}

/** Receives the packets of one incoming stream. Must not throw. */
export interface MediaSink {
  /** Whether it waits for a key frame. */
  readonly needsKeyFrame: boolean;
  /**
   * Called for each packet. It may change the header's fields in the packet, which are written again for every sink.
   */
  packet(packet: Buffer, header: RtpHeader, startsKeyFrame: boolean, now: number): void;
  report(report: SourceReport): void;
  /** The publisher's stream begins again under another SSRC. */
  sourceChanged(): void;
}

/** The audio or the video of a publisher: receives it, requests lost packets and key frames, and forwards to sinks. */
export class IncomingMedia {
  /** Payload bytes since the last report. */
  bytes = 0;
  /** A moderator's mute drops everything. */
  enabled = true;
  /** Whether it is dropped because it is beyond its cap. */
  private dropped = false;
  private measured = { bytes: 0, at: monotonicNow() };
  private readonly sinks: MediaSink[] = [];
  private readonly header = newRtpHeader();
  private missing = new MissingPackets();
  private ssrc: number | null = null;
  private lastKeyFrameRequest = Number.NEGATIVE_INFINITY;
  private keyFrameWanted = false;
  private lastReport = { ntp: 0, at: 0 };
  private forwardedReportAt = Number.NEGATIVE_INFINITY;
  private readonly recentPackets: RecentPackets | null;

  constructor(
    private readonly track: MediaTrack,
    readonly kind: "audio" | "video",
    private readonly budget: PeerBudget,
  ) {
    this.recentPackets = kind === "video" ? new RecentPackets() : null;
    track.onMessage(guarded((packet: Buffer) => this.receive(packet)));
  }

  add(sink: MediaSink): void {
    if (!this.sinks.includes(sink)) this.sinks.push(sink);
    if (sink.needsKeyFrame) this.requestKeyFrame();
  }

  remove(sink: MediaSink): void {
    const index = this.sinks.indexOf(sink);
    if (index >= 0) this.sinks.splice(index, 1);
  }

  /** Requests a key frame now, or as soon as the last request is long enough ago. */
  requestKeyFrame(): void {
    if (this.kind !== "video") return;
    this.keyFrameWanted = true;
    this.sendKeyFrameRequest(monotonicNow());
  }

  /** A packet of video to send again, by the sequence number of its source; null if it is not kept, and while muted. */
  recent(sequence: number): RecentPacket | null {
    if (!this.enabled || this.dropped) return null;
    return this.recentPackets?.find(sequence) ?? null;
  }

  /** Requests lost packets, and a key frame while a sink waits for one. Called every 40 ms. */
  repair(now: number): void {
    if (this.kind !== "video" || this.ssrc === null || !this.enabled || this.dropped) return;
    const due = this.missing.due(now);
    if (due.length > 0) this.send(negativeAcknowledgement(this.ssrc, due));
    for (const sink of this.sinks) {
      if (sink.needsKeyFrame) this.keyFrameWanted = true;
    }
    if (this.keyFrameWanted) this.sendKeyFrameRequest(now);
  }

  /** Reports what was received, and caps the bitrate of video. Called every second. */
  feedback(now: number, bitrate: number): void {
    if (this.ssrc === null) return;
    const { highest, lost } = this.missing.totals();
    const report = receiverReport({
      ssrc: this.ssrc,
      fractionLost: this.missing.takeLoss(),
      lost,
      highestSequence: highest,
      jitter: 0,
      lastSenderReport: this.lastReport.ntp,
      delaySinceLast: this.lastReport.ntp === 0 ? 0 : (now - this.lastReport.at) * 65.536,
    });
    const cap = this.kind === "video" ? [maximumBitrate(this.ssrc, bitrate)] : [];
    this.send(Buffer.concat([report, ...cap]));
  }

  /** What has arrived since the last call: bits per second, and the seconds. */
  takeRate(now: number): { bitrate: number; seconds: number } {
    const seconds = Math.max(0.001, (now - this.measured.at) / 1000);
    const bitrate = (this.measured.bytes * 8) / seconds;
    this.measured = { bytes: 0, at: now };
    return { bitrate, seconds };
  }

  /** Drops what arrives, or forwards it again. */
  drop(dropped: boolean): void {
    if (dropped === this.dropped) return;
    this.dropped = dropped;
    if (!dropped) this.restart();
  }

  /** Begins again after packets were dropped: sinks continue without a gap, video with a key frame. */
  restart(): void {
    for (const sink of this.sinks) sink.sourceChanged();
    this.requestKeyFrame();
  }

  /** Packets of the current source that were expected, and that were lost. */
  totals(): { expected: number; lost: number } {
    return this.missing.totals();
  }

  /** Number of sinks, which is the number of forwarded tracks. */
  get forwarded(): number {
    return this.sinks.length;
  }

  private receive(packet: Buffer): void {
    const now = monotonicNow();
    if (isRtcp(packet)) {
      if (this.budget.control(packet.length)) this.receiveReports(packet, now);
      return;
    }
    const header = this.header;
    if (!this.budget.media(packet.length) || !readRtp(packet, header)) return;
    if (header.ssrc !== this.ssrc) this.changeSource(header.ssrc);
    this.missing.receive(header.sequence, now);
    this.bytes += header.payloadEnd - header.payloadStart;
    this.measured.bytes += packet.length;
    if (!this.enabled || this.dropped) return;
    const keyFrame =
      this.kind === "video" && startsVp8KeyFrame(packet, header.payloadStart, header.payloadEnd);
    if (this.sinks.length === 0) return;
    this.budget.caused(this.sinks.length);
    this.recentPackets?.store(packet, header);
    for (const sink of this.sinks) sink.packet(packet, header, keyFrame, now);
  }

  private receiveReports(packet: Buffer, now: number): void {
    for (const item of readRtcp(packet)) {
      if (item.type !== "sender-report" || item.ssrc !== this.ssrc) continue;
      this.lastReport = {
        ntp: (((item.ntpHigh & 0xffff) << 16) | (item.ntpLow >>> 16)) >>> 0,
        at: now,
      };
      // One packet may hold dozens of reports, and each is sent to every watcher.
      if (!this.enabled || now - this.forwardedReportAt < SENDER_REPORT_MS) continue;
      this.forwardedReportAt = now;
      for (const sink of this.sinks) sink.report(item);
    }
  }

  private changeSource(ssrc: number): void {
    const changed = this.ssrc !== null;
    this.ssrc = ssrc;
    this.missing = new MissingPackets();
    this.recentPackets?.clear();
    if (changed) for (const sink of this.sinks) sink.sourceChanged();
    if (this.kind === "video" && this.sinks.length > 0) this.requestKeyFrame();
  }

  private sendKeyFrameRequest(now: number): void {
    if (this.ssrc === null || now - this.lastKeyFrameRequest < KEY_FRAME_MS) return;
    this.lastKeyFrameRequest = now;
    this.keyFrameWanted = false;
    this.send(pictureLoss(this.ssrc));
  }

  private send(packet: Buffer): void {
    try {
      this.track.sendMessageBinary(packet);
    } catch {
      // The connection has just ended, or is not up yet; all feedback is repeated.
    }
  }
}
