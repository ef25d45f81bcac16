import type { ConnectedPeer, Feed, MediaSource, PeerMessage, PeerResponse } from "../engine/engine";
import type { Conference, MemberRef, MemberState, Participant } from "./conference";
import type { ConferenceEvent } from "./conference-event";

/** The result of a join. */
export interface JoinedConference {
  ref: MemberRef;
  member: MemberState;
  conference: Conference;
  members: MemberState[];
}

/** An event as a subscriber receives it. */
export interface DeliveredEvent {
  /** Position after the event. */
  cursor: string;
  event: ConferenceEvent;
}

/** Receives the events of a conference in order. */
export interface EventSubscriber {
  /** The membership that it belongs to. While attached, it keeps the member's lease. */
  ref: MemberRef;
  /** Called for each event for all and for this membership; must not throw. */
  receive(delivered: DeliveredEvent): void;
  /** Resolves when more events can be received (back-pressure). */
  whenDrained(): Promise<void>;
  /** Called once when no more events come: the member has left, was replaced, or the conference has ended. */
  end(): void;
}

/**
 * Conferences as GraphQL and the legacy endpoint use them. Every command runs on the node that hosts the conference.
 * All throw Fault: NOT_FOUND for a conference, member or peer that is not there (any more), CONFLICT for a membership
 * that another device has replaced, UNAVAILABLE while the media server or the host does not answer, UNSUPPORTED (but
 * for `leave` and `members`) with CONFERENCES=off.
 */
export interface ConferenceService {
  /**
   * Finds the open conference of a name, or creates it as the first join of a legacy client does.
   * @throws Fault FORBIDDEN if the application does not allow this, INVALID on `name`, LIMITED if the user has too many
   */
  openByName(participant: Participant, name: string): Promise<Conference>;

  /**
   * Takes a seat, or takes the member's seat over from another device (then the earlier device receives `replaced`).
   * @param options.legacy whether the device speaks the legacy protocol, which cannot tell whether it is muted
   * @throws Fault FULL when all seats are taken, FORBIDDEN while it is locked, NOT_FOUND for a participant who may not
   * join, CONFLICT when it is closed, LIMITED for a user with seats in too many conferences
   */
  join(
    participant: Participant,
    conferenceId: number,
    options?: { legacy?: boolean },
  ): Promise<JoinedConference>;

  /** Leaves. Leaving twice is no error. */
  leave(ref: MemberRef): Promise<void>;

  /** The members at this moment, by the time they joined. */
  members(conferenceId: number): Promise<MemberState[]>;

  /** Publishes; replaces the member's earlier peer of the same source. @throws Fault INVALID on `sdp` */
  publish(ref: MemberRef, source: MediaSource, offer: string): Promise<ConnectedPeer>;

  /**
   * Opens a watching peer: of all others (`feeds` omitted), which follows who publishes and reports changes as
   * `streams` events, or of one feed, which ends with it.
   * @throws Fault NOT_FOUND for a feed that nobody publishes
   */
  watch(ref: MemberRef, feed?: Feed): Promise<ConnectedPeer>;

  /** Passes a message to a peer of the member. */
  signal(ref: MemberRef, peer: string, message: PeerMessage): Promise<PeerResponse>;

  /** Closes a peer of the member. */
  closePeer(ref: MemberRef, peer: string): Promise<void>;

  /**
   * Subscribes to the events of a conference, from a cursor or from a snapshot. Resolves once later events are certain
   * to arrive, with a function that ends it.
   * @throws Fault INVALID on `after` for an expired cursor
   */
  subscribe(subscriber: EventSubscriber, after?: string): Promise<() => Promise<void>>;
}
