import { Fault } from "../../../../../core/errors";
import { newId } from "../../../../../core/random";
import type {
  ConnectedPeer,
  ConnectRequest,
  EngineEvent,
  EngineRoom,
  Feed,
  PeerMessage,
  PeerResponse,
} from "../../engine";
import { readPublisherOffer } from "../sdp/client-sdp";
import type { PeerPlaces } from "./bounds/peer-places";
import { RoomBudget } from "./bounds/room-budget";
import type { Network } from "./native-connection";
import type { OfferTransport } from "./offer-transport";
import { type PeerEvents, PublishingPeer } from "./publishing-peer";
import { RoomPeers } from "./room-peers";
import { allSlots, type Slot } from "./slots";
import { WatchingPeer } from "./watching-peer";

const notFound = (what: string) => new Fault("NOT_FOUND", `The ${what} does not exist`);

/** An open room: its peers, and which feed goes where. */
export class Room {
  private readonly peers: RoomPeers;
  private readonly budget = new RoomBudget();

  constructor(
    private room: EngineRoom,
    private readonly network: Network,
    private readonly transport: OfferTransport,
    places: PeerPlaces,
    private readonly emit: (event: EngineEvent) => void,
  ) {
    this.peers = new RoomPeers(this.application, places, (id, reason) => this.ended(id, reason));
  }

  get generation(): number {
    return this.room.generation;
  }

  /** The application whose shares it uses; rooms without one count as those of one application. */
  get application(): number {
    return this.room.application ?? 0;
  }

  get peerIds(): string[] {
    return this.peers.list().map(({ id }) => id);
  }

  has(peer: string): boolean {
    return this.peers.get(peer) !== undefined;
  }

  /** Number of forwarded tracks. */
  get tracks(): number {
    return this.peers.publishing().reduce((sum, { forwarded }) => sum + forwarded, 0);
  }

  /** Takes changed settings; what is published keeps its bitrate until its participant sets another. */
  update(room: EngineRoom): void {
    this.room = room;
  }

  /** @throws Fault INVALID on `sdp` or `feeds`, NOT_FOUND for a feed, UNAVAILABLE */
  async connect(request: ConnectRequest): Promise<ConnectedPeer> {
    if (request.publish) return this.publish(request.participant, request.publish);
    if (request.watch) return this.watch(request.participant, request.watch);
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

  /** Closes a peer, the peers of a participant, or all. */
  close(which: { peer?: string; participant?: number } = {}): void {
    const { participant } = which;
    const closing = (
      participant === undefined ? this.peers.list() : this.peers.of(participant)
    ).filter(({ id }) => which.peer === undefined || id === which.peer);
    for (const peer of closing) this.peers.remove(peer);
    this.releaseEnded();
  }

  /** Called every 40 ms. */
  repair(now: number): void {
    for (const publisher of this.peers.publishing()) publisher.repair(now);
  }

  /** Called every second. */
  adapt(now: number): void {
    const costs = this.peers.list().map(({ id, budget }) => ({
      packets: budget.takePackets(),
      end: () => this.ended(id, "the conference costs the media server too much"),
    }));
    this.budget.update(costs);
    for (const publisher of this.peers.publishing()) publisher.adapt(now, this.budget.share);
    for (const watcher of this.peers.watching()) watcher.adapt();
  }

  /** Reports the statistics of all peers. */
  report(seconds: number): void {
    const { room } = this.room;
    for (const peer of this.peers.list()) {
      if (!peer.up) continue;
      const statistics = peer.takeStatistics(seconds);
      this.emit({ type: "statistics", room, peer: peer.id, statistics });
    }
  }

  private async publish(
    participant: number,
    { source, offer }: NonNullable<ConnectRequest["publish"]>,
  ): Promise<ConnectedPeer> {
    // Before it takes a place, for which another peer may have to end.
    const read = readPublisherOffer(offer);
    const id = this.newPeerId();
    const feed = { participant, source };
    const publisher: PublishingPeer = new PublishingPeer(
      id,
      feed,
      this.network,
      () => this.room.bitrate,
      this.eventsOf(id),
      () => this.link(publisher),
    );
    if (!this.room.video) publisher.forbidVideo();
    const { sdp, streams } = await this.peers.open(publisher, () => publisher.negotiate(read));
    const replaced = this.peers.publisher(feed);
    if (replaced) {
      publisher.replace(replaced);
      this.peers.remove(replaced);
    }
    this.peers.add(publisher);
    // Who watched the replaced peer watches this one, unless it sends other media.
    this.link(publisher);
    if (replaced) this.reportStreams((watcher) => watcher.watches(feed));
    return { peer: id, sdp, streams };
  }

  private async watch(
    participant: number,
    { feeds, sections }: NonNullable<ConnectRequest["watch"]>,
  ): Promise<ConnectedPeer> {
    const id = this.newPeerId();
    const slots = sections === "all" ? allSlots(this.room.video) : this.singleSlot(feeds);
    const watcher = new WatchingPeer(
      id,
      participant,
      sections === "all",
      this.network,
      this.transport,
      slots,
      (feed) => this.peers.publisher(feed),
      this.eventsOf(id),
    );
    watcher.watch(this.flowing(feeds));
    const sdp = await this.peers.open(watcher, () => watcher.negotiate());
    this.peers.add(watcher);
    // A feed may have ended by now.
    watcher.release((feed) => !this.peers.publisher(feed));
    return { peer: id, sdp, streams: watcher.streams() };
  }

  private async signalPublisher(peer: PublishingPeer, message: PeerMessage): Promise<PeerResponse> {
    if (message.publisher) {
      peer.configure(message.publisher);
      return {};
    }
    if (message.restart?.offer === undefined) throw Fault.field("offer", "is required");
    const { sdp } = await peer.negotiate(readPublisherOffer(message.restart.offer));
    this.peers.expectConnection(peer);
    return { sdp, replaced: true };
  }

  private async signalWatcher(peer: WatchingPeer, message: PeerMessage): Promise<PeerResponse> {
    if (message.answer !== undefined) peer.answer(message.answer);
    else if (message.stream) peer.configure(message.stream);
    else if (message.watch) {
      return { streams: peer.watch(this.flowing(message.watch)) };
    } else if (message.restart) {
      const sdp = await peer.negotiate();
      this.peers.expectConnection(peer);
      return { sdp, streams: peer.streams(), replaced: true };
    } else throw Fault.base("The message does not fit a watching peer");
    return {};
  }

  /** The feeds whose media flows. */
  private flowing(feeds: readonly Feed[]): Feed[] {
    return feeds.filter((feed) => this.peers.publisher(feed)?.up);
  }

  /** The sections of a single feed. @throws Fault NOT_FOUND if no media of it flows, INVALID on `feeds` */
  private singleSlot(feeds: readonly Feed[]): Slot[] {
    const [feed] = feeds;
    if (!feed || feeds.length > 1) throw Fault.field("feeds", "must have one feed");
    const publisher = this.peers.publisher(feed);
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

  private eventsOf(peer: string): PeerEvents {
    return {
      up: () => {
        this.peers.connected(peer);
        this.emit({ type: "up", room: this.room.room, peer });
      },
      ended: (reason) => this.ended(peer, reason),
      limited: (kind, dropped, bitrate) =>
        this.emit({ type: "limited", room: this.room.room, peer, kind, dropped, bitrate }),
    };
  }

  private ended(id: string, reason: string): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    this.peers.remove(peer);
    this.emit({ type: "gone", room: this.room.room, peer: id, reason });
    this.releaseEnded();
  }

  /** Frees the sections of feeds that have ended, and reports it. */
  private releaseEnded(): void {
    const ended = (feed: Feed) => !this.peers.publisher(feed);
    this.reportStreams((watcher) => watcher.release(ended));
  }

  private reportStreams(changed: (watcher: WatchingPeer) => boolean): void {
    const { room } = this.room;
    for (const watcher of this.peers.watching()) {
      if (!changed(watcher)) continue;
      this.emit({ type: "streams", room, peer: watcher.id, streams: watcher.streams() });
    }
  }

  /** Connects watching peers to the media of a publisher that has changed. */
  private link(publisher: PublishingPeer): void {
    if (this.peers.publisher(publisher.feed) !== publisher) return;
    for (const watcher of this.peers.watching()) watcher.link();
  }
}
