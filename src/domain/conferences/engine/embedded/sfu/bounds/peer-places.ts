import { Fault } from "../../../../../../core/errors";
import { APPLICATION_PEERS_MAX, PEERS_MAX, USER_PEERS_MAX } from "./limits";

const REPLACED = "replaced by another peer connection of the participant";
const GAVE_WAY = "not connected, and its place was needed";

/** Whose peer it is. */
export interface PlaceOwner {
  application: number;
  /** The user's id or the guest's number, the same in all rooms of the application. */
  participant: number;
}

/** The place of a peer, from the request that opens it to its end. */
interface Place extends PlaceOwner {
  readonly peer: string;
  /** Ends the peer for a reason; does nothing before it is open. */
  end(reason: string): void;
  /** The place of the peer that this one replaces, if it has none of its own until that peer has ended. */
  shares: Place | null;
  /** The place that shares this one. */
  sharedBy: Place | null;
}

/** A share that is full. */
interface FullShare {
  message: string;
  /** Whether a place is one of the share. */
  has(owner: PlaceOwner): boolean;
}

/**
 * The places for peers in a process, of which applications and users have shares, so that nobody keeps the participants
 * of other applications out. Requests to connect count from their beginning. Pure: it knows ids and numbers only.
 *
 * If a share or the whole is full, one of its peers that are not connected gives way to a new one: of the application
 * with the most of them, and there of the user with the most, the one that has waited longest. So a user who opens
 * peers without connecting them ends their own.
 *
 * A peer that replaces another one of its participant needs no new place: if there is none, it shares the place of the
 * other peer, which ends at the latest when the new one is open.
 */
export class PeerPlaces {
  private readonly places = new Map<string, Place>();
  /** Peers that are not connected, the one that has waited longest first. */
  private readonly waiting = new Map<string, Place>();
  /** Numbers of places that are taken, where one that is shared counts once. */
  private total = 0;
  private readonly applications = new Map<number, number>();
  private readonly users = new Map<string, number>();

  /**
   * Takes a place for a peer that is about to be opened.
   * @param replaced the peer that it replaces
   * @throws Fault UNAVAILABLE if a share is full, and all of its peers are connected
   */
  take(peer: string, { application, participant }: PlaceOwner, replaced?: string): void {
    const links = { shares: null, sharedBy: null };
    const place: Place = { peer, application, participant, end: () => {}, ...links };
    const full = this.fullShare(place);
    const shared = this.places.get(replaced ?? "");
    if (full && shared && !shared.sharedBy) {
      place.shares = shared;
      shared.sharedBy = place;
    } else {
      if (full) this.giveWay(full);
      this.count(place, 1);
    }
    this.places.set(peer, place);
  }

  /**
   * The peer is open and not connected, for the first time or again, so that it may have to give way.
   * @param end ends it for a reason
   */
  expectConnection(peer: string, end: (reason: string) => void): void {
    const place = this.places.get(peer);
    if (!place) return;
    place.end = end;
    if (place.shares) this.end(place.shares, REPLACED);
    this.waiting.delete(peer);
    this.waiting.set(peer, place);
  }

  /** The peer is connected. */
  connected(peer: string): void {
    this.waiting.delete(peer);
  }

  /** The peer has ended, or was not opened. */
  release(peer: string): void {
    const place = this.places.get(peer);
    if (!place) return;
    this.places.delete(peer);
    this.waiting.delete(peer);
    if (place.sharedBy) place.sharedBy.shares = null;
    else if (place.shares) place.shares.sharedBy = null;
    else this.count(place, -1);
  }

  private fullShare(owner: PlaceOwner): FullShare | null {
    const { application, participant } = owner;
    if ((this.users.get(userKey(owner)) ?? 0) >= USER_PEERS_MAX) {
      return {
        message: "The participant has too many peer connections in all conferences together",
        has: (place) => place.application === application && place.participant === participant,
      };
    }
    if ((this.applications.get(application) ?? 0) >= APPLICATION_PEERS_MAX) {
      return {
        message: "The application has too many peer connections at the media server",
        has: (place) => place.application === application,
      };
    }
    if (this.total < PEERS_MAX) return null;
    return { message: "The media server has too many peer connections", has: () => true };
  }

  /** Ends a peer of a full share. @throws Fault UNAVAILABLE if all are connected */
  private giveWay({ message, has }: FullShare): void {
    // One that is being replaced frees no place.
    const waiting = [...this.waiting.values()].filter((place) => !place.sharedBy && has(place));
    const ofApplication = largestGroup(waiting, ({ application }) => application);
    const [longest] = largestGroup(ofApplication, ({ participant }) => participant);
    if (!longest) throw new Fault("UNAVAILABLE", message);
    this.end(longest, GAVE_WAY);
  }

  private end(place: Place, reason: string): void {
    this.release(place.peer);
    place.end(reason);
  }

  private count(owner: PlaceOwner, change: 1 | -1): void {
    this.total += change;
    add(this.applications, owner.application, change);
    add(this.users, userKey(owner), change);
  }
}

const userKey = ({ application, participant }: PlaceOwner) => `${application}/${participant}`;

function add<Key>(counts: Map<Key, number>, key: Key, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** The values of the key that most of them have, in their order; of two such keys, the one of the first value. */
function largestGroup<T>(values: readonly T[], keyOf: (value: T) => number): T[] {
  const groups = new Map<number, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  const [first = [], ...others] = groups.values();
  return others.reduce(
    (largest, group) => (group.length > largest.length ? group : largest),
    first,
  );
}
