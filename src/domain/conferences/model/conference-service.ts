import type { ConnectedPeer, Feed, MediaSource, PeerMessage, PeerResponse } from "../engine/engine";
import type {
  Conference,
  ConferenceParticipantState,
  ParticipantIdentity,
  ParticipantRef,
} from "./conference";
import type { ConferenceEvent } from "./conference-event";

/** The result of a join. */
export interface JoinedConference {
  ref: ParticipantRef;
  participant: ConferenceParticipantState;
  conference: Conference;
  participants: ConferenceParticipantState[];
}

/** An event as a subscriber receives it. */
export interface DeliveredEvent {
  /** Position after the event. */
  cursor: string;
  event: ConferenceEvent;
}

/** Receives the events of a conference in order. */
export interface EventSubscriber {
  /** The membership that it belongs to. While attached, it keeps the participant's lease. */
  ref: ParticipantRef;
  /** Called for each event for all and for this membership; must not throw. */
  receive(delivered: DeliveredEvent): void;
  /** Resolves when more events can be received (back-pressure). */
  whenDrained(): Promise<void>;
  /** Called once when no more events come: the participant has left, was replaced, or the conference has ended. */
  end(): void;
}

/**
 * Conferences as GraphQL and the legacy endpoint use them. Every command runs on the node that hosts the conference.
 * All throw Fault: NOT_FOUND for a conference, participant or peer that is not there (any more), CONFLICT for a
 * membership that another device has replaced, UNAVAILABLE while the media server or the host does not answer,
 * UNSUPPORTED (but for `leave` and `participants`) with CONFERENCES=off.
 */
export interface ConferenceService {
  /**
   * Finds the open conference of a name, or creates it as the first join of a legacy client does.
   * @throws Fault FORBIDDEN if the application does not allow this, INVALID on `name`, LIMITED if the user has too many
   */
  openByName(identity: ParticipantIdentity, name: string): Promise<Conference>;

  /**
   * Takes a seat, or takes the participant's seat over from another device (then the earlier device receives
   * `replaced`).
   * @param options.legacy whether the device speaks the legacy protocol, which cannot tell whether it is muted
   * @throws Fault FULL when all seats are taken, FORBIDDEN while it is locked, NOT_FOUND for a participant who may not
   * join, CONFLICT when it is closed, LIMITED for a user with seats in too many conferences
   */
  join(
    identity: ParticipantIdentity,
    conferenceId: number,
    options?: { legacy?: boolean },
  ): Promise<JoinedConference>;

  /** Leaves. Leaving twice is no error. */
  leave(ref: ParticipantRef): Promise<void>;

  /** The participants at this moment, by the time they joined. */
  participants(conferenceId: number): Promise<ConferenceParticipantState[]>;

  /** Publishes; replaces the participant's earlier peer of the same source. @throws Fault INVALID on `sdp` */
  publish(ref: ParticipantRef, source: MediaSource, offer: string): Promise<ConnectedPeer>;

  /**
   * Opens a watching peer: of all others (`feeds` omitted), which follows who publishes and reports changes as
   * `streams` events, or of one feed, which ends with it.
   * @throws Fault NOT_FOUND for a feed that nobody publishes
   */
  watch(ref: ParticipantRef, feed?: Feed): Promise<ConnectedPeer>;

  /** Passes a message to a peer of the participant. */
  signal(ref: ParticipantRef, peer: string, message: PeerMessage): Promise<PeerResponse>;

  /** Closes a peer of the participant. */
  closePeer(ref: ParticipantRef, peer: string): Promise<void>;

  /**
   * Subscribes to the events of a conference, from a cursor or from a snapshot. Resolves once later events are certain
   * to arrive, with a function that ends it.
   * @throws Fault INVALID on `after` for an expired cursor
   */
  subscribe(subscriber: EventSubscriber, after?: string): Promise<() => Promise<void>>;
}
