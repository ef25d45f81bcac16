import { Fault } from "../../../../core/errors";
import { newId } from "../../../../core/random";
import type { Feed, PeerMessage, PeerResponse, PeerStream } from "../engine";
import { pauseOrder } from "../quality/poor-network";
import { notFound } from "./connection/janus-faults";
import type { VideoRoomResponse, VideoRoomSession } from "./connection/janus-session";
import { feedIdOf, feedOfId } from "./feed-id";
import { type JanusPeer, streamRecord } from "./janus-peer";
import { checkAnswer } from "./offered-sdp";
import type { JanusPublisher } from "./publisher";
import type { PublisherIndex } from "./publisher-index";
import type { PeerRecord } from "./room-record";
import { readWatched, type WatchedStream } from "./watched-stream";

/** What a watching peer needs of its room. */
export interface WatcherRoom {
  readonly room: string;
  readonly session: VideoRoomSession;
  /** Private id of the gateway's own participant: rooms refuse subscriptions without one. */
  readonly privateId: number;
  readonly publishers: PublisherIndex;
  /** Opens a handle whose events go to a peer. */
  attach(peer: JanusPeer): Promise<number>;
  detach(handle: number): Promise<void>;
}

/** Number of simulcast layers of the plugin. */
const LAYERS = 3;

/**
 * A watching peer: one subscription with media sections for several feeds. Janus needs a feed to make an offer, so a
 * peer without feeds has no handle until it watches the first one.
 */
export class JanusWatcher implements JanusPeer {
  up = false;
  handle: number | undefined;
  private watched: WatchedStream[] = [];
  /** Whether the client owes an answer. Until then Janus makes no other offer. */
  private awaiting = false;
  /** Whether Janus may wait for the answer to an offer of a former gateway, which has told nobody of it. */
  private resumed = false;
  /** The feeds to watch after the answer; undefined for the same. */
  private next: Feed[] | undefined;
  private last: Promise<unknown> = Promise.resolve();
  /** The publishers that the last update has added. */
  private added: JanusPublisher[] = [];

  constructor(
    private readonly room: WatcherRoom,
    readonly participant: number,
    readonly sections: "all" | "one",
    readonly id: string = newId(),
  ) {}

  /** Resumes a subscription whose handle still exists. */
  static resume(room: WatcherRoom, record: PeerRecord, sections: "all" | "one"): JanusWatcher {
    const peer = new JanusWatcher(room, record.participant, sections, record.peer);
    peer.handle = record.handle;
    peer.up = true;
    peer.awaiting = record.awaiting ?? false;
    peer.resumed = true;
    peer.watched = record.streams.map(([mid, kind, feedId]) => ({
      mid,
      kind,
      feedId,
      publisher: feedId === null ? null : (room.publishers.find(feedId)?.id ?? null),
      wanted: !record.unwanted?.includes(mid),
      allowed: !record.disallowed?.includes(mid),
    }));
    return peer;
  }

  /** The media sections. */
  get streams(): PeerStream[] {
    return this.watched.map(({ mid, kind, feedId, publisher }) => ({
      mid,
      kind,
      feed: publisher !== null && feedId !== null ? feedOfId(feedId) : null,
    }));
  }

  /** Number of tracks that Janus forwards to it. */
  get tracks(): number {
    return this.watched.filter(({ publisher }) => publisher !== null).length;
  }

  /** The videos that could be sent, whatever the network allows. */
  get videos(): WatchedStream[] {
    return this.watched.filter(
      ({ kind, wanted, publisher }) => kind === "video" && wanted && publisher !== null,
    );
  }

  /** Pauses so many videos, because the network is poor, and resumes the others. @returns whether any changed */
  pauseVideos(count: number): Promise<boolean> {
    return this.inOrder(async () => {
      const order = pauseOrder(this.videos, ({ feedId }) => isScreen(feedId));
      const changed = order.filter(({ allowed }, index) => allowed !== index >= count);
      if (this.handle === undefined || changed.length === 0) return false;
      const streams = changed.map(({ mid, allowed }) => ({ mid, send: !allowed }));
      await this.room.session.send(this.handle, { request: "configure", streams });
      for (const stream of changed) stream.allowed = !stream.allowed;
      return true;
    });
  }

  /** Subscribes to the first feeds; without feeds there is nothing to offer yet. */
  async open(feeds: Feed[]): Promise<{ sdp: string; streams: PeerStream[] }> {
    if (this.sections === "one" && feeds.length !== 1) {
      throw Fault.field("feeds", "must be one feed");
    }
    const { publishers } = this.room;
    const opened =
      this.sections === "one" ? feeds.map((feed) => publishers.require(feed)) : this.flowing(feeds);
    if (opened.length === 0) return { sdp: "", streams: [] };
    const streams = opened.flatMap(sectionsOf);
    this.handle = await this.room.attach(this);
    const response = await this.room.session.send(this.handle, {
      request: "join",
      ptype: "subscriber",
      room: this.room.room,
      private_id: this.room.privateId,
      use_msid: true,
      autoupdate: false,
      streams,
    });
    const sdp = this.offered(response);
    if (sdp === undefined) throw notFound("feed");
    return { sdp, streams: this.streams };
  }

  /** Notes that a publisher has ended. @returns whether it was watched */
  publisherEnded(publisher: string): boolean {
    const affected = this.watched.filter((each) => each.publisher === publisher);
    for (const each of affected) each.publisher = null;
    return affected.length > 0;
  }

  signal(message: PeerMessage): Promise<PeerResponse> {
    return this.inOrder(() => this.handleMessage(message));
  }

  private async handleMessage(message: PeerMessage): Promise<PeerResponse> {
    const { answer, candidate, watch, stream, restart } = message;
    if (answer !== undefined) return this.answer(answer);
    // The client's checks show its address.
    if (candidate) return {};
    if (watch) return this.watch(watch);
    if (stream) return this.configure(stream);
    if (restart) return this.restart();
    throw new Fault("UNSUPPORTED", "A watching peer does not take this message");
  }

  record(): PeerRecord | undefined {
    const { id, handle, participant, sections, awaiting } = this;
    if (handle === undefined) return undefined;
    const streams = this.watched.map((each) => streamRecord(each, each.feedId));
    const mids = (paused: (stream: WatchedStream) => boolean) =>
      this.watched.filter(paused).map(({ mid }) => mid);
    const unwanted = mids(({ wanted }) => !wanted);
    const disallowed = mids(({ allowed }) => !allowed);
    return { peer: id, handle, participant, sections, awaiting, unwanted, disallowed, streams };
  }

  /** Requests to Janus about one subscription run one after the other. */
  private inOrder<T>(act: () => Promise<T>): Promise<T> {
    const result = this.last.then(act);
    this.last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  private async answer(sdp: string): Promise<PeerResponse> {
    if (this.handle === undefined || !this.awaiting) throw Fault.field("sdp", "answers no offer");
    checkAnswer(sdp);
    await this.room.session.send(this.handle, { request: "start" }, { type: "answer", sdp });
    this.awaiting = false;
    this.resumed = false;
    // Janus itself requests key frames when a subscription begins, not when it gets more feeds.
    for (const publisher of this.added.splice(0)) publisher.requestKeyFrame();
    const { next } = this;
    this.next = undefined;
    return next ? this.watch(next) : {};
  }

  /** Janus reuses the sections of feeds that are no longer watched. */
  private async watch(feeds: Feed[]): Promise<PeerResponse> {
    if (this.sections === "one") {
      throw new Fault("UNSUPPORTED", "The feed of this peer does not change");
    }
    const publishers = this.flowing(feeds);
    if (this.handle === undefined)
      return publishers.length > 0 ? this.open(feeds) : { streams: [] };
    if (this.awaiting) {
      // Otherwise it could wait forever.
      if (this.resumed) throw lostOffer();
      this.next = feeds;
      return { streams: this.streams };
    }
    const wanted = new Set(publishers.map(({ id }) => id));
    const received = new Set(this.watched.map(({ publisher }) => publisher));
    const added = publishers.filter(({ id }) => !received.has(id));
    const subscribe = added.flatMap(sectionsOf);
    const unsubscribe = this.watched
      .filter(({ feedId, publisher }) => feedId !== null && !wanted.has(publisher ?? ""))
      .map(({ mid }) => ({ sub_mid: mid }));
    if (subscribe.length + unsubscribe.length === 0) return { streams: this.streams };
    const body = {
      request: "update",
      ...(subscribe.length > 0 && { subscribe }),
      ...(unsubscribe.length > 0 && { unsubscribe }),
    };
    const response = await this.room.session.send(this.handle, body);
    // The former gateway has ended before it recorded its offer.
    if (response.data.videoroom === "updating") throw lostOffer();
    this.resumed = false;
    this.added = added;
    return { sdp: this.offered(response), streams: this.streams };
  }

  private async configure({ mid, send, layer }: NonNullable<PeerMessage["stream"]>) {
    const watched = this.watched.find((each) => each.mid === mid);
    if (this.handle === undefined || !watched) throw notFound("stream");
    if (layer !== undefined && !(Number.isInteger(layer) && layer >= 0 && layer < LAYERS)) {
      throw Fault.field("layer", `must be from 0 to ${LAYERS - 1}`);
    }
    const layers = layer === undefined ? {} : { substream: layer, temporal: LAYERS - 1 };
    // What a poor network has paused stays paused.
    const streams = [{ mid, send: send && watched.allowed, ...layers }];
    await this.room.session.send(this.handle, { request: "configure", streams });
    watched.wanted = send ?? watched.wanted;
    return {};
  }

  private async restart(): Promise<PeerResponse> {
    if (this.handle === undefined) return { streams: [] };
    // While it waits for an answer, Janus does not respond.
    if (this.awaiting || this.resumed) return this.replace(this.wantedFeeds());
    const body = { request: "configure", restart: true };
    const sdp = this.offered(await this.room.session.send(this.handle, body));
    return { sdp, streams: this.streams };
  }

  /** Opens another subscription: Janus makes no offer while an answer is missing. */
  private async replace(feeds: Feed[]): Promise<PeerResponse> {
    const { handle } = this;
    this.handle = undefined;
    this.up = false;
    this.watched = [];
    this.next = undefined;
    this.awaiting = false;
    this.resumed = false;
    if (handle !== undefined) await this.room.detach(handle);
    return { ...(await this.open(feeds)), replaced: true };
  }

  private wantedFeeds(): Feed[] {
    const feeds = this.next ?? this.streams.map(({ feed }) => feed).filter((feed) => feed !== null);
    const byId = new Map(feeds.map((feed) => [feedIdOf(feed), feed]));
    return [...byId].filter(([id]) => this.room.publishers.find(id)).map(([, feed]) => feed);
  }

  /** The publishers of feeds whose media flows; the others are the subject of a later message. */
  private flowing(feeds: Feed[]): JanusPublisher[] {
    return feeds.flatMap((feed) => this.room.publishers.find(feedIdOf(feed)) ?? []);
  }

  /** Takes the streams and the offer of a response. */
  private offered({ data, jsep }: VideoRoomResponse): string | undefined {
    const { publishers } = this.room;
    if (data.streams) this.watched = readWatched(data.streams, publishers, this.watched);
    if (!jsep) return undefined;
    this.awaiting = true;
    return jsep.sdp;
  }
}

/** CONFLICT while Janus waits for an answer that may never come: the peer must be closed. */
const lostOffer = () => new Fault("CONFLICT", "The last offer may be lost");

const isScreen = (feedId: string | null) =>
  feedId !== null && feedOfId(feedId)?.source === "screen";

/** What to subscribe to of a feed: its audio and video, without sections that were rejected or carry data. */
function sectionsOf({ feedId, streams }: JanusPublisher): { feed: string; mid: string }[] {
  return streams.filter(({ feed }) => feed).map(({ mid }) => ({ feed: feedId, mid }));
}
