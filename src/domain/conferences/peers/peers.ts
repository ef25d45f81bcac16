import { Fault } from "../../../core/errors";
import {
  type ConferenceEngine,
  type ConnectedPeer,
  type ConnectRequest,
  type Feed,
  type MediaSource,
  type PeerMessage,
  type PeerResponse,
  type PeerStream,
  SCREENS_MAX,
} from "../engine/engine";
import { OpeningCounts } from "./opening-counts";
import {
  isSameFeed,
  type MuteChange,
  type Peer,
  type PeerListener,
  type PeerOwner,
  watchesSame,
} from "./peer";
import { StreamUpdates } from "./stream-updates";

/** Maximum number of watching peers of one participant: one for all feeds, or one for each. */
const WATCHING_MAX = 14;

/**
 * The peers of one conference, and what the watching ones receive. A watching peer gets one update at a time; feeds
 * that change during an update are taken together.
 */
export class Peers {
  private readonly peers = new Map<string, Peer>();
  /** Of the peers that receive all feeds. */
  private readonly updates = new Map<string, StreamUpdates>();
  private readonly openingScreens = new OpeningCounts();
  private readonly openingWatching = new OpeningCounts();

  constructor(
    private readonly engine: ConferenceEngine,
    private readonly room: () => Pick<ConnectRequest, "room" | "generation">,
    private readonly listener: PeerListener,
    private readonly now: () => number,
  ) {}

  /** All peers, to be stored. */
  list(): Peer[] {
    return [...this.peers.values()];
  }

  /** Takes peers over that the engine has resumed. Their media flows, even if the former host did not learn of it. */
  restore(peers: Peer[]): void {
    for (const peer of peers) {
      this.add(peer);
      if (!peer.source && !peer.feed) this.follow(peer, []);
    }
    for (const { id } of peers) this.onUp(id);
    this.refreshWatching();
  }

  /** The feeds that media flows in. */
  feeds(): Feed[] {
    return this.list().flatMap(({ number, source, up }) =>
      up && source ? [{ participant: number, source }] : [],
    );
  }

  /**
   * Opens a publishing peer, which replaces the participant's earlier one of this source.
   * @throws Fault FULL if as many others share a screen as may, and those of the engine
   */
  async publish(owner: PeerOwner, source: MediaSource, offer: string): Promise<ConnectedPeer> {
    if (source === "main") return this.connectPublisher(owner, source, offer);
    const { participantId } = owner;
    const screens = this.list().filter((peer) => peer.source === "screen");
    const open = screens.map((peer) => peer.participantId);
    const sharing = new Set([...open, ...this.openingScreens.participants()]);
    sharing.delete(participantId);
    if (sharing.size >= SCREENS_MAX) {
      throw new Fault("FULL", `At most ${SCREENS_MAX} participants share a screen at a time`);
    }
    return this.openingScreens.during(participantId, () =>
      this.connectPublisher(owner, source, offer),
    );
  }

  private async connectPublisher(
    owner: PeerOwner,
    source: MediaSource,
    offer: string,
  ): Promise<ConnectedPeer> {
    const { number: participant } = owner;
    const connected = await this.engine.connect({
      ...this.room(),
      participant,
      publish: { source, offer },
    });
    for (const peer of this.of(owner.participantId)) {
      if (peer.source === source) this.forget(peer);
    }
    this.add({ ...owner, id: connected.peer, source, up: false });
    return connected;
  }

  /**
   * Opens a watching peer for one feed, or for all feeds of others, which replaces the participant's earlier one for
   * the same.
   * @throws Fault NOT_FOUND, LIMITED
   */
  async watch(owner: PeerOwner, feed: Feed | undefined): Promise<ConnectedPeer> {
    if (feed && !this.feeds().some((up) => isSameFeed(up, feed))) {
      throw new Fault("NOT_FOUND", "Nobody publishes this feed");
    }
    const { participantId } = owner;
    const kept = this.watching(participantId).filter((peer) => !watchesSame(peer, feed));
    if (kept.length + this.openingWatching.of(participantId) >= WATCHING_MAX) {
      const message = `A participant may have at most ${WATCHING_MAX} watching peer connections`;
      throw new Fault("LIMITED", message, undefined, 1);
    }
    return this.openingWatching.during(participantId, () => this.connectWatcher(owner, feed));
  }

  private async connectWatcher(owner: PeerOwner, feed: Feed | undefined): Promise<ConnectedPeer> {
    const feeds = feed ? [feed] : this.feedsFor(owner.number);
    const watch = { feeds, sections: feed ? ("one" as const) : ("all" as const) };
    const connected = await this.engine.connect({
      ...this.room(),
      participant: owner.number,
      watch,
    });
    const replaced = this.watching(owner.participantId).filter((peer) => watchesSame(peer, feed));
    const peer = this.add({ ...owner, id: connected.peer, ...(feed && { feed }), up: false });
    const updates = feed ? undefined : this.follow(peer, connected.streams);
    if (connected.sdp !== "") updates?.offered(connected.sdp);
    // One that the engine does not close now is closed with the participant.
    await Promise.allSettled(replaced.map(({ id }) => this.close(id)));
    // What has changed while it was opened.
    updates?.update();
    return connected;
  }

  /** Passes a message to a peer of this membership. @throws Fault NOT_FOUND, INVALID */
  async signal(owner: PeerOwner, id: string, message: PeerMessage): Promise<PeerResponse> {
    const peer = this.owned(owner, id);
    const isWatching = peer.source === undefined;
    if (isWatching && message.publisher) {
      throw new Fault("INVALID", "This peer connection does not publish");
    }
    if (!isWatching && (message.answer !== undefined || message.stream || message.watch)) {
      throw new Fault("INVALID", "This peer connection publishes");
    }
    const response = await this.engine.signal(id, message);
    const updates = this.updates.get(id);
    if (message.answer !== undefined) updates?.answered(response);
    if (message.restart) updates?.offered(response.sdp);
    return response;
  }

  /**
   * Drops or admits what a participant publishes, from any source (a moderator's mute).
   * @param blocked what is dropped now; read for each peer, since it may change in between
   */
  async block(participantId: number, blocked: () => MuteChange): Promise<void> {
    for (const { id, source } of this.of(participantId)) {
      // It may have been closed or replaced by now.
      if (!source || !this.peers.has(id)) continue;
      const { audio, video } = blocked();
      const publisher = {
        ...(audio !== undefined && { audio: !audio }),
        ...(video !== undefined && { video: !video }),
      };
      if (Object.keys(publisher).length > 0) await this.engine.signal(id, { publisher });
    }
  }

  /** Closes a peer of this membership; no error if it is gone. */
  async closeOwned(owner: PeerOwner, id: string): Promise<void> {
    const peer = this.peers.get(id);
    if (peer?.participantId === owner.participantId && peer.generation === owner.generation)
      await this.close(id);
  }

  /**
   * Closes all that a participant has at the engine, also peers that are not known here.
   * @throws Fault the first failure, after everything else is closed
   */
  async closeParticipant(participantId: number, number: number): Promise<void> {
    const known = this.of(participantId);
    for (const peer of known) this.forget(peer);
    const targets = known.map(({ id }) => ({ peer: id }));
    const all = [...targets, { room: this.room().room, participant: number }];
    const closed = await Promise.allSettled(all.map((target) => this.engine.close(target)));
    for (const result of closed) if (result.status === "rejected") throw result.reason;
  }

  /** Sends the streams of a membership's watching peers again. */
  repeatStreams({ participantId, generation }: PeerOwner): void {
    for (const peer of this.of(participantId)) {
      if (peer.generation === generation) this.updates.get(peer.id)?.repeat();
    }
  }

  /** Forgets all peers, because the engine was lost. */
  clear(): void {
    for (const updates of this.updates.values()) updates.stop();
    this.updates.clear();
    this.peers.clear();
  }

  /** The engine reports that media flows. */
  onUp(id: string): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    const isNew = !peer.up;
    peer.up = true;
    if (!peer.source) return;
    if (isNew) this.listener.onFeed(peer, peer.source, true);
    // Also after a restart over a new connection: watching peers may have lost the feed.
    this.refreshWatching();
  }

  /** The engine reports that a peer has ended by itself. */
  onGone(id: string, reason: string): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    this.forget(peer);
    this.listener.onEnded(peer, reason);
  }

  /** The engine reports that a watching peer carries other streams. */
  onStreams(id: string, streams: PeerStream[]): void {
    this.updates.get(id)?.changed(streams);
  }

  /** The peer, if it is one of this conference. */
  find(id: string): Peer | undefined {
    return this.peers.get(id);
  }

  private owned(owner: PeerOwner, id: string): Peer {
    const peer = this.peers.get(id);
    if (peer?.participantId !== owner.participantId || peer.generation !== owner.generation) {
      throw new Fault("NOT_FOUND", "There is no such peer connection");
    }
    return peer;
  }

  private of(participantId: number): Peer[] {
    return this.list().filter((peer) => peer.participantId === participantId);
  }

  private watching(participantId: number): Peer[] {
    return this.of(participantId).filter(({ source }) => source === undefined);
  }

  private add(peer: Peer): Peer {
    this.peers.set(peer.id, peer);
    return peer;
  }

  private async close(id: string): Promise<void> {
    const peer = this.peers.get(id);
    if (!peer) return;
    this.forget(peer);
    await this.engine.close({ peer: id });
  }

  /** Removes a peer, and tells of the feed that ends with it. */
  private forget(peer: Peer): void {
    this.peers.delete(peer.id);
    this.updates.get(peer.id)?.stop();
    this.updates.delete(peer.id);
    if (!peer.source || !peer.up) return;
    const { source, number } = peer;
    this.listener.onFeed(peer, source, false);
    for (const other of this.list()) {
      if (!other.feed || !isSameFeed(other.feed, { participant: number, source })) continue;
      this.listener.onEnded(other, "the feed has ended");
      void this.close(other.id).catch(() => undefined);
    }
    this.refreshWatching();
  }

  private refreshWatching(): void {
    for (const updates of this.updates.values()) updates.update();
  }

  private feedsFor(number: number): Feed[] {
    return this.feeds().filter(({ participant }) => participant !== number);
  }

  /** Keeps a watching peer up to date with the feeds. */
  private follow(peer: Peer, streams: PeerStream[]): StreamUpdates {
    const updates = new StreamUpdates(
      this.engine,
      {
        peer: peer.id,
        feeds: () => this.feedsFor(peer.number),
        onStreams: (changed, offer) => this.listener.onStreams(peer, changed, offer),
        onFailed: (reason) => this.onGone(peer.id, reason),
        now: this.now,
      },
      streams,
    );
    this.updates.set(peer.id, updates);
    return updates;
  }
}
