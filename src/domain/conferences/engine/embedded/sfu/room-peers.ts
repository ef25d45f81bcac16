import { Fault } from "../../../../../core/errors";
import type { Feed } from "../../engine";
import { CONNECT_MS, PARTICIPANT_PEERS_MAX } from "./bounds/limits";
import type { PeerPlaces } from "./bounds/peer-places";
import { PublishingPeer } from "./publishing-peer";
import { feedKey } from "./slots";
import { WatchingPeer } from "./watching-peer";

/** A peer that is open in a room. */
export type RoomPeer = PublishingPeer | WatchingPeer;

const participantOf = (peer: RoomPeer) =>
  peer instanceof PublishingPeer ? peer.feed.participant : peer.participant;

/** The open peers of a room. Each has a place in the process, and must connect in time. */
export class RoomPeers {
  private readonly peers = new Map<string, RoomPeer>();
  private readonly byFeed = new Map<string, PublishingPeer>();
  private readonly timers = new Map<string, NodeJS.Timeout>();

  /**
   * @param application the application of the room
   * @param end ends a peer for a reason
   */
  constructor(
    private readonly application: number,
    private readonly places: PeerPlaces,
    private readonly end: (peer: string, reason: string) => void,
  ) {}

  list(): RoomPeer[] {
    return [...this.peers.values()];
  }

  get(id: string): RoomPeer | undefined {
    return this.peers.get(id);
  }

  /** The peers of a participant. */
  of(participant: number): RoomPeer[] {
    return this.list().filter((peer) => participantOf(peer) === participant);
  }

  watching(): WatchingPeer[] {
    return this.list().filter((peer) => peer instanceof WatchingPeer);
  }

  publishing(): PublishingPeer[] {
    return [...this.byFeed.values()];
  }

  publisher(feed: Feed): PublishingPeer | undefined {
    return this.byFeed.get(feedKey(feed));
  }

  /**
   * Takes a place for a peer, and negotiates it for the first time; then it is to be added.
   * @throws Fault UNAVAILABLE if there is no place, errors of `negotiate`
   */
  async open<T>(peer: RoomPeer, negotiate: () => Promise<T>): Promise<T> {
    const participant = participantOf(peer);
    const replaced = this.replacedBy(peer);
    const isOneMore = !(replaced instanceof PublishingPeer);
    if (isOneMore && this.of(participant).length >= PARTICIPANT_PEERS_MAX) {
      throw new Fault("UNAVAILABLE", "The participant has too many peer connections");
    }
    this.places.take(peer.id, { application: this.application, participant }, replaced?.id);
    try {
      return await negotiate();
    } catch (error) {
      this.places.release(peer.id);
      throw error;
    }
  }

  add(peer: RoomPeer): void {
    this.peers.set(peer.id, peer);
    if (peer instanceof PublishingPeer) this.byFeed.set(feedKey(peer.feed), peer);
    this.expectConnection(peer);
  }

  /**
   * Ends a peer that does not connect in time, or whose place is needed before.
   * @throws Fault NOT_FOUND if it has ended
   */
  expectConnection(peer: RoomPeer): void {
    if (this.peers.get(peer.id) !== peer) {
      // It has ended while it was negotiated again.
      peer.close();
      throw new Fault("NOT_FOUND", "The peer does not exist");
    }
    peer.up = false;
    this.places.expectConnection(peer.id, (reason) => this.end(peer.id, reason));
    clearTimeout(this.timers.get(peer.id));
    this.timers.set(
      peer.id,
      setTimeout(() => {
        if (!peer.up) this.end(peer.id, "not connected in time");
      }, CONNECT_MS),
    );
  }

  /** The media of a peer flows: it keeps its place. */
  connected(id: string): void {
    this.places.connected(id);
  }

  /** Closes a peer and forgets it. */
  remove(peer: RoomPeer): void {
    clearTimeout(this.timers.get(peer.id));
    this.timers.delete(peer.id);
    this.peers.delete(peer.id);
    this.places.release(peer.id);
    if (peer instanceof PublishingPeer && this.publisher(peer.feed) === peer) {
      this.byFeed.delete(feedKey(peer.feed));
    }
    peer.close();
  }

  /** The earlier peer that a new one replaces. Callers close one that watches all when the new one is open. */
  private replacedBy(peer: RoomPeer): RoomPeer | undefined {
    if (peer instanceof PublishingPeer) return this.publisher(peer.feed);
    if (!peer.watchesAll) return undefined;
    const earlier = this.watching().filter(
      ({ participant, watchesAll }) => watchesAll && participant === peer.participant,
    );
    return earlier.find(({ up }) => !up) ?? earlier[0];
  }
}
