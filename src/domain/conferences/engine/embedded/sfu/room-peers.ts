import { Fault } from "../../../../../core/errors";
import type { Feed } from "../../engine";
import { CONNECT_MS, MEMBER_PEERS_MAX } from "./bounds/limits";
import type { PeerPlaces } from "./bounds/peer-places";
import { PublishingPeer } from "./publishing-peer";
import { feedKey } from "./slots";
import { WatchingPeer } from "./watching-peer";

/** A peer that is open in a room. */
export type RoomPeer = PublishingPeer | WatchingPeer;

const memberOf = (peer: RoomPeer) =>
  peer instanceof PublishingPeer ? peer.feed.member : peer.member;

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

  /** The peers of a member. */
  of(member: number): RoomPeer[] {
    return this.list().filter((peer) => memberOf(peer) === member);
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
    const member = memberOf(peer);
    const replaced = this.replacedBy(peer);
    const isOneMore = !(replaced instanceof PublishingPeer);
    if (isOneMore && this.of(member).length >= MEMBER_PEERS_MAX) {
      throw new Fault("UNAVAILABLE", "The member has too many peer connections");
    }
    this.places.take(peer.id, { application: this.application, member }, replaced?.id);
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

  /** Ends a peer that does not connect in time, or whose place is needed before. @throws Fault NOT_FOUND if it has ended */
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
      ({ member, watchesAll }) => watchesAll && member === peer.member,
    );
    return earlier.find(({ up }) => !up) ?? earlier[0];
  }
}
