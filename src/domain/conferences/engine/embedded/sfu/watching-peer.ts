import { Audio, Video } from "node-datachannel";
import { Fault } from "../../../../../core/errors";
import { randomInteger } from "../../../../../core/random";
import type { Feed, PeerMessage, PeerStatistics, PeerStream } from "../../engine";
import { PoorNetworkPolicy, pauseOrder } from "../../quality/poor-network";
import { readWatcherAnswer } from "../sdp/client-sdp";
import { PeerBudget } from "./bounds/peer-budget";
import { SfuConnection } from "./connection";
import type { Network } from "./native-connection";
import type { OfferTransport } from "./offer-transport";
import { OUTGOING_CODECS, OutgoingTrack } from "./outgoing-track";
import type { PeerEvents, PublishingPeer } from "./publishing-peer";
import { assignSlots, type FeedSends, feedKey, type Slot, streamsOf } from "./slots";

/** The publisher of a feed, or undefined when it has gone. */
export type FindPublisher = (feed: Feed) => PublishingPeer | undefined;

interface Section {
  mid: string;
  kind: "audio" | "video";
  payloadType: number;
  slot: number;
  track: OutgoingTrack;
}

/** A watching peer: one connection with fixed media sections, which carry changing feeds. */
export class WatchingPeer {
  up = false;
  readonly budget: PeerBudget;
  private connection: SfuConnection | null = null;
  private sections: Section[] = [];
  private feeds: Array<Feed | null>;
  private answered = false;
  private readonly paused = new Set<string>();
  private policy = new PoorNetworkPolicy();
  /** The client's estimate of what it can receive, which it repeats at least every second while it has one. */
  private estimate: number | null = null;
  private statistics = { audio: 0, video: 0, loss: 0, roundTripMs: null as number | null };

  /** @param watchesAll whether it has sections for all participants, rather than for a single feed */
  constructor(
    readonly id: string,
    readonly participant: number,
    readonly watchesAll: boolean,
    private readonly network: Network,
    private readonly transport: OfferTransport,
    private readonly slots: readonly Slot[],
    private readonly find: FindPublisher,
    private readonly events: PeerEvents,
  ) {
    this.feeds = slots.map(() => null);
    this.budget = new PeerBudget(0, events.ended);
  }

  /** Offers all sections on a new connection, and ends the earlier one. @throws Fault UNAVAILABLE */
  async negotiate(): Promise<string> {
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
    let sections: Section[];
    let offer: string;
    try {
      sections = this.slots.flatMap((slot, index) => this.addSlot(connection, slot, index));
      offer = await connection.offer(this.transport);
    } catch (error) {
      connection.close();
      throw error;
    }
    this.close();
    this.connection = connection;
    this.sections = sections;
    this.answered = false;
    this.policy = new PoorNetworkPolicy();
    this.estimate = null;
    this.link();
    return offer;
  }

  /** Accepts the client's answer. A repeated one is ignored. @throws Fault INVALID on `sdp` */
  answer(text: string): void {
    const answer = readWatcherAnswer(text, this.sections);
    if (this.answered) return;
    this.connection?.accept(answer);
    this.answered = true;
  }

  /** Changes the feeds. @throws Fault INVALID on `feeds` if there are more than sections */
  watch(feeds: readonly Feed[]): PeerStream[] {
    const assigned = assignSlots(this.slots, this.feeds, feeds, this.sends);
    if (!assigned) throw Fault.field("feeds", "are more than a conference can have");
    this.feeds = assigned;
    this.link();
    return this.streams();
  }

  /** Connects every section to what its feed sends now. */
  link(): void {
    for (const { slot, kind, track } of this.sections) {
      const feed = this.feeds[slot] ?? null;
      track.attach((feed && this.find(feed)?.source(kind)) ?? null);
    }
  }

  /** Removes feeds that have ended. @returns whether one of them was watched */
  release(ended: (feed: Feed) => boolean): boolean {
    const before = this.feeds.filter(Boolean).length;
    this.feeds = this.feeds.map((feed) => (feed && ended(feed) ? null : feed));
    this.link();
    return this.feeds.filter(Boolean).length < before;
  }

  /** Whether a section carries a feed. */
  watches(feed: Feed): boolean {
    return this.feeds.some((each) => each !== null && feedKey(each) === feedKey(feed));
  }

  /** Its media sections and what they carry. */
  streams(): PeerStream[] {
    return streamsOf(this.slots, this.feeds, this.sends);
  }

  /** Pauses or resumes a stream. @throws Fault NOT_FOUND for an unknown section */
  configure({ mid, send }: NonNullable<PeerMessage["stream"]>): void {
    const section = this.sections.find((each) => each.mid === mid);
    if (!section) throw new Fault("NOT_FOUND", "The stream does not exist");
    if (send === undefined) return;
    if (send) this.paused.delete(mid);
    else this.paused.add(mid);
    section.track.set({ wanted: send });
  }

  /** Pauses videos on a poor network. Called every second. */
  adapt(): void {
    let loss: number | null = null;
    let sent = 0;
    for (const { kind, track } of this.sections) {
      const feedback = track.takeFeedback();
      this.statistics[kind] += track.bytes;
      sent += track.bytes * 8;
      track.bytes = 0;
      this.statistics.roundTripMs = feedback.roundTripMs ?? this.statistics.roundTripMs;
      if (feedback.loss === null) continue;
      this.statistics.loss = Math.max(this.statistics.loss, feedback.loss);
      if (kind === "video") loss = Math.max(loss ?? 0, feedback.loss);
    }
    const videos = this.sections.filter(({ kind, track }) => kind === "video" && track.active);
    const pause = this.policy.update(
      { videoLoss: loss, estimate: this.estimate, sent },
      videos.length,
    );
    const order = pauseOrder(videos, ({ slot }) => this.feeds[slot]?.source === "screen");
    for (const [index, { track }] of order.entries()) track.set({ allowed: index >= pause });
    this.estimate = null;
  }

  /** The statistics since the last call. */
  takeStatistics(seconds: number): PeerStatistics {
    const { audio, video, loss, roundTripMs } = this.statistics;
    this.statistics = { audio: 0, video: 0, loss: 0, roundTripMs: null };
    return {
      audioBitrate: Math.round((audio * 8) / seconds),
      videoBitrate: Math.round((video * 8) / seconds),
      packetLoss: loss,
      roundTripMs: roundTripMs === null ? null : Math.round(roundTripMs),
    };
  }

  /** Ends it without an event. */
  close(): void {
    for (const { track } of this.sections) track.attach(null);
    this.connection?.close();
    this.connection = null;
    this.sections = [];
  }

  private readonly sends: FeedSends = (feed, kind) => this.find(feed)?.sends(kind) ?? false;

  private addSlot(connection: SfuConnection, slot: Slot, index: number): Section[] {
    return (["audio", "video"] as const).flatMap((kind) => {
      const mid = slot[kind];
      if (mid === null) return [];
      const { payloadType } = OUTGOING_CODECS[kind];
      const ssrc = randomInteger(1, 0xffff_ffff);
      const media = kind === "audio" ? new Audio(mid, "SendOnly") : new Video(mid, "SendOnly");
      if (media instanceof Video) media.addVP8Codec(payloadType);
      else media.addOpusCodec(payloadType);
      media.addSSRC(ssrc, `participant${index}`, `feed${index}`, `${kind}${index}`);
      const section = connection.addTrack(media, ssrc);
      const track = new OutgoingTrack(section, kind, ssrc, this.budget, (estimate) => {
        this.estimate = estimate;
      });
      track.set({ wanted: !this.paused.has(mid) });
      return [{ mid, kind, payloadType, slot: index, track }];
    });
  }
}
