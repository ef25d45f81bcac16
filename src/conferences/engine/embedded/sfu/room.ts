import { Fault } from "../../../../core/errors";
import { newId } from "../../../../core/random";
import type {
  ConnectedPeer,
  ConnectRequest,
  EngineEvent,
  EngineRoom,
  Feed,
  PeerMessage,
  PeerResponse,
} from "../../engine";
import type { Network } from "./connection";
import { CONNECT_MS, MEMBER_PEERS_MAX } from "./limits";
import { type PeerEvents, PublishingPeer } from "./publishing-peer";
import { RoomBudget } from "./room-budget";
import { allSlots, feedKey, type Slot } from "./slots";
import { WatchingPeer } from "./watching-peer";

type Peer = PublishingPeer | WatchingPeer;

const notFound = (what: string) => new Fault("NOT_FOUND", `The ${what} does not exist`);

const memberOf = (peer: Peer) => (peer instanceof PublishingPeer ? peer.feed.member : peer.member);

/** An open room: its peers, and which feed goes where. */
export class Room {
  private readonly peers = new Map<string, Peer>();
  private readonly publishers = new Map<string, PublishingPeer>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly budget = new RoomBudget();

  constructor(
    private room: EngineRoom,
    private readonly network: Network,
    private readonly emit: (event: EngineEvent) => void,
  ) {}

  get generation(): number {
    return this.room.generation;
  }

  get peerIds(): string[] {
    return [...this.peers.keys()];
  }

  has(peer: string): boolean {
    return this.peers.has(peer);
  }

  /** Number of forwarded tracks. */
  get tracks(): number {
    return this.all(PublishingPeer).reduce((sum, { forwarded }) => sum + forwarded, 0);
  }

  /** Takes changed settings; what is published keeps its bitrate until its member sets another. */
  update(room: EngineRoom): void {
    this.room = room;
  }

  /** @throws Fault INVALID on `sdp` or `feeds`, NOT_FOUND for a feed, UNAVAILABLE */
  async connect(request: ConnectRequest): Promise<ConnectedPeer> {
    const own = [...this.peers.values()].filter((peer) => memberOf(peer) === request.member);
    if (own.length >= MEMBER_PEERS_MAX) {
      throw new Fault("UNAVAILABLE", "The member has too many peer connections");
    }
    if (request.publish) return this.publish(request.member, request.publish);
    if (request.watch) return this.watch(request.member, request.watch);
    throw Fault.base("The request neither publishes nor watches");
  }

  /** @throws Fault NOT_FOUND, INVALID, UNAVAILABLE, UNSUPPORTED */
  async signal(id: string, message: PeerMessage): Promise<PeerResponse> {
    const peer = this.peers.get(id);
    if (!peer) throw notFound("peer");
    // The SFU needs no candidates of clients: it learns their addresses from their checks.
    if (message.candidate) return {};
    return peer instanceof PublishingPeer
      ? this.signalPublisher(peer, message)
      : this.signalWatcher(peer, message);
  }

  /** Closes a peer, the peers of a member, or all. */
  close(which: { peer?: string; member?: number } = {}): void {
    const closing = [...this.peers.values()].filter(
      (peer) =>
        (which.peer === undefined || peer.id === which.peer) &&
        (which.member === undefined || memberOf(peer) === which.member),
    );
    for (const peer of closing) this.remove(peer);
    this.releaseEnded();
  }

  /** Called every 40 ms. */
  repair(now: number): void {
    for (const publisher of this.publishers.values()) publisher.repair(now);
  }

  /** Called every second. */
  adapt(now: number): void {
    const costs = [...this.peers].map(([id, { budget }]) => ({
      packets: budget.takePackets(),
      end: () => this.ended(id, "the conference costs the media server too much"),
    }));
    this.budget.update(costs);
    for (const publisher of this.publishers.values()) publisher.adapt(now, this.budget.share);
    for (const watcher of this.all(WatchingPeer)) watcher.adapt();
  }

  /** Reports the figures of all peers. */
  report(seconds: number): void {
    const { room } = this.room;
    for (const [peer, each] of this.peers) {
      if (!each.up) continue;
      this.emit({ type: "statistics", room, peer, statistics: each.takeStatistics(seconds) });
    }
  }

  private async publish(
    member: number,
    { source, offer }: NonNullable<ConnectRequest["publish"]>,
  ): Promise<ConnectedPeer> {
    const id = this.newPeerId();
    const feed = { member, source };
    const publisher: PublishingPeer = new PublishingPeer(
      id,
      feed,
      this.network,
      () => this.room.bitrate,
      this.eventsOf(id),
      () => this.link(publisher),
    );
    if (!this.room.video) publisher.forbidVideo();
    const { sdp, streams } = await publisher.negotiate(offer);
    const replaced = this.publishers.get(feedKey(feed));
    if (replaced) this.remove(replaced);
    this.add(publisher);
    this.publishers.set(feedKey(feed), publisher);
    // Who watched the replaced peer watches this one, unless it sends other media.
    this.link(publisher);
    if (replaced) this.reportStreams((watcher) => watcher.watches(feed));
    return { peer: id, sdp, streams };
  }

  private async watch(
    member: number,
    { feeds, sections }: NonNullable<ConnectRequest["watch"]>,
  ): Promise<ConnectedPeer> {
    const id = this.newPeerId();
    const slots = sections === "all" ? allSlots(this.room.video) : this.singleSlot(feeds);
    const watcher = new WatchingPeer(
      id,
      member,
      this.network,
      slots,
      (feed) => this.publishers.get(feedKey(feed)),
      this.eventsOf(id),
    );
    watcher.watch(this.flowing(feeds));
    const sdp = await watcher.negotiate();
    this.add(watcher);
    // A feed may have ended meanwhile.
    watcher.release((feed) => !this.publishers.has(feedKey(feed)));
    return { peer: id, sdp, streams: watcher.streams() };
  }

  private async signalPublisher(peer: PublishingPeer, message: PeerMessage): Promise<PeerResponse> {
    if (message.publisher) {
      peer.configure(message.publisher);
      return {};
    }
    if (message.restart?.offer === undefined) throw Fault.field("offer", "is required");
    const { sdp } = await peer.negotiate(message.restart.offer);
    this.expectConnection(peer);
    return { sdp, replaced: true };
  }

  private async signalWatcher(peer: WatchingPeer, message: PeerMessage): Promise<PeerResponse> {
    if (message.answer !== undefined) peer.answer(message.answer);
    else if (message.stream) peer.configure(message.stream);
    else if (message.watch) {
      return { streams: peer.watch(this.flowing(message.watch)) };
    } else if (message.restart) {
      const sdp = await peer.negotiate();
      this.expectConnection(peer);
      return { sdp, streams: peer.streams(), replaced: true };
    } else throw Fault.base("The message does not fit a watching peer");
    return {};
  }

  /** The feeds whose media flows. */
  private flowing(feeds: readonly Feed[]): Feed[] {
    return feeds.filter((feed) => this.publishers.get(feedKey(feed))?.up);
  }

  /** The sections of a single feed. @throws Fault NOT_FOUND if no media of it flows, INVALID on `feeds` */
  private singleSlot(feeds: readonly Feed[]): Slot[] {
    const [feed] = feeds;
    if (!feed || feeds.length > 1) throw Fault.field("feeds", "must have one feed");
    const publisher = this.publishers.get(feedKey(feed));
    if (!publisher?.up) throw notFound("feed");
    const audio = publisher.sends("audio") ? "0" : null;
    const video = publisher.sends("video") ? (audio === null ? "0" : "1") : null;
    if (audio === null && video === null) throw notFound("feed");
    return [{ audio, video }];
  }

  /** The engine finds the process of a peer by the port in its id. */
  private newPeerId(): string {
    return `${this.network.port}-${newId()}`;
  }

  private add(peer: Peer): void {
    this.peers.set(peer.id, peer);
    this.expectConnection(peer);
  }

  /** Ends a peer that does not connect in time. */
  private expectConnection(peer: Peer): void {
    if (this.peers.get(peer.id) !== peer) {
      // It has ended while it was negotiated again.
      peer.close();
      throw notFound("peer");
    }
    peer.up = false;
    clearTimeout(this.timers.get(peer.id));
    this.timers.set(
      peer.id,
      setTimeout(() => {
        if (!peer.up) this.ended(peer.id, "not connected in time");
      }, CONNECT_MS),
    );
  }

  private remove(peer: Peer): void {
    clearTimeout(this.timers.get(peer.id));
    this.timers.delete(peer.id);
    this.peers.delete(peer.id);
    if (peer instanceof PublishingPeer) {
      const key = feedKey(peer.feed);
      if (this.publishers.get(key) === peer) this.publishers.delete(key);
    }
    peer.close();
  }

  private eventsOf(peer: string): PeerEvents {
    return {
      up: () => this.emit({ type: "up", room: this.room.room, peer }),
      ended: (reason) => this.ended(peer, reason),
    };
  }

  private ended(id: string, reason: string): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    this.remove(peer);
    this.emit({ type: "gone", room: this.room.room, peer: id, reason });
    this.releaseEnded();
  }

  /** Frees the sections of feeds that have ended, and reports it. */
  private releaseEnded(): void {
    const ended = (feed: Feed) => !this.publishers.has(feedKey(feed));
    this.reportStreams((watcher) => watcher.release(ended));
  }

  private reportStreams(changed: (watcher: WatchingPeer) => boolean): void {
    const { room } = this.room;
    for (const watcher of this.all(WatchingPeer)) {
      if (!changed(watcher)) continue;
      this.emit({ type: "streams", room, peer: watcher.id, streams: watcher.streams() });
    }
  }

  /** Connects watching peers to the media of a publisher that has changed. */
  private link(publisher: PublishingPeer): void {
    if (this.publishers.get(feedKey(publisher.feed)) !== publisher) return;
    for (const watcher of this.all(WatchingPeer)) watcher.link();
  }

  private all<T extends Peer>(type: abstract new (...args: never[]) => T): T[] {
    return [...this.peers.values()].filter((peer): peer is T => peer instanceof type);
  }
}
