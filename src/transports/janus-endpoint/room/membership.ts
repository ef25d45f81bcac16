import type { JsonObject } from "../../../core/json";
import type { Conference, ParticipantRef } from "../../../domain/conferences/model/conference";
import type {
  ConferenceEvent,
  LeaveReason,
} from "../../../domain/conferences/model/conference-event";
import type {
  ConferenceService,
  DeliveredEvent,
  EventSubscriber,
  JoinedConference,
} from "../../../domain/conferences/model/conference-service";
import { JanusError } from "../protocol/janus-error";
import type { RoomName } from "../protocol/room-requests";
import { RoomView } from "./room-view";

/** What a membership tells its session. */
export interface MembershipListener {
  /** An event of the room. */
  event(data: JsonObject): void;
  /** The media of this participant flows. */
  up(): void;
  /** The conference, or this participant's part of it, is lost: the client must join again in a new session. */
  lost(): void;
  /** Resolves when the client has received what was sent so far. */
  whenDrained(): Promise<void>;
}

/** Why requests of a device that another one has replaced are refused. Its client must not come back by itself. */
export const REPLACED = "Replaced by another device of the user";
/** VideoRoom's code for it. */
const UNAUTHORIZED = 433;
/** Maximum number of peer connections that may end before their request is answered. */
const EARLY_MAX = 64;

/** The membership of a session in a conference: one publisher handle, and the listeners beside it. */
export class Membership implements EventSubscriber {
  readonly ref: ParticipantRef;
  readonly view: RoomView;
  readonly conference: Conference;
  private state: "joined" | "replaced" | "removed" | "left" = "joined";
  /** Events before the client has the answer to its join; null afterwards. */
  private early: ConferenceEvent[] | null = [];
  private endedEarly = false;
  private readonly peers = new Map<string, (reason: string) => void>();
  private readonly closedPeers = new Set<string>();
  private publishing = false;
  private unsubscribe: (() => Promise<void>) | null = null;

  constructor(
    private readonly service: ConferenceService,
    /** The result of the join. */
    readonly joined: JoinedConference,
    /** The room as the client wrote it. */
    readonly room: RoomName,
    private readonly listener: MembershipListener,
  ) {
    this.ref = joined.ref;
    this.conference = joined.conference;
    this.view = new RoomView(room, joined.ref.participantId);
  }

  /** Whether the client is in the conference. */
  get active(): boolean {
    return this.state === "joined";
  }

  /** @throws JanusError 433 for a device that was replaced or removed, 424 for one that has left */
  requireActive(): void {
    if (this.state === "replaced") throw new JanusError(UNAUTHORIZED, REPLACED);
    if (this.state === "removed") throw new JanusError(UNAUTHORIZED, "Removed from the room");
    if (this.state === "left") throw new JanusError(424, "Not in a room (create a new handle)");
  }

  /** @throws JanusError 426 unless it is the room that was joined; a request may omit it */
  requireRoom(room: RoomName | undefined): void {
    if (room !== undefined && String(room) !== String(this.room)) {
      throw new JanusError(426, "No such room");
    }
  }

  /** Receives the state and the events after it; they are kept until {@link start}. @throws Fault */
  async subscribe(): Promise<void> {
    const unsubscribe = await this.service.subscribe(this);
    if (this.active) this.unsubscribe = unsubscribe;
    else await unsubscribe();
  }

  /** Passes the kept events and all later ones on. */
  start(): void {
    const early = this.early ?? [];
    this.early = null;
    for (const event of early) this.handle(event);
    if (this.endedEarly) this.end();
  }

  /** Reports when a peer connection of this participant ends by itself. */
  watchPeer(peer: string, onClosed: (reason: string) => void): void {
    this.peers.set(peer, onClosed);
    if (this.closedPeers.delete(peer)) this.peerClosed(peer, "Closed");
  }

  /** Stops reporting about a peer connection. */
  unwatchPeer(peer: string): void {
    this.peers.delete(peer);
  }

  /** Leaves, unless the membership has already ended. @throws Fault */
  async leave(): Promise<void> {
    const { active } = this;
    this.stop("left");
    if (active) await this.service.leave(this.ref);
  }

  /**
   * Ends the membership here without leaving: the client comes back in a new session, and finds its seat, also in a
   * locked conference. If it does not, the seat's lease ends.
   */
  release(): void {
    this.stop("left");
  }

  receive({ event }: DeliveredEvent): void {
    if (!this.active) return;
    if (this.early) this.early.push(event);
    else this.handle(event);
  }

  whenDrained(): Promise<void> {
    return this.listener.whenDrained();
  }

  /** The service has ended the subscription. Without a known reason the client joins again. */
  end(): void {
    if (this.early) this.endedEarly = true;
    else if (this.active) this.lose();
  }

  private handle(event: ConferenceEvent): void {
    if (!this.active) return;
    if ("to" in event) return void this.handleOwn(event);
    if (event.type === "reconnect" || event.type === "ended") return void this.lose();
    if (
      event.type === "snapshot" &&
      !event.participants.some(({ id }) => id === this.ref.participantId)
    ) {
      // The event that ended this membership was lost.
      return void this.lose();
    }
    if (event.type === "participant-left" && event.participantId === this.ref.participantId) {
      return void this.removed(event.reason);
    }
    for (const data of this.view.apply(event)) this.listener.event(data);
    if (event.type === "participant-updated" && event.participant.id === this.ref.participantId) {
      if (event.participant.publishing && !this.publishing) this.listener.up();
      this.publishing = event.participant.publishing;
    }
  }

  private handleOwn(event: Extract<ConferenceEvent, { to: unknown }>): void {
    const { participantId, generation } = event.to;
    if (participantId !== this.ref.participantId || generation !== this.ref.generation) return;
    if (event.type === "peer-closed") this.peerClosed(event.peer, event.reason);
    if (event.type !== "replaced") return;
    this.listener.event(this.refusal(REPLACED));
    this.stop("replaced");
  }

  /** A moderator's decision stands; after anything else the client may come back. */
  private removed(reason: LeaveReason): void {
    if (reason !== "removed") return void this.lose();
    this.listener.event(this.refusal("Removed from the room"));
    this.stop("removed");
  }

  /** The client libraries ignore `kicked`, and report an error of the publisher's handle. */
  private refusal(error: string): JsonObject {
    return { videoroom: "event", room: this.room, error_code: UNAUTHORIZED, error };
  }

  private peerClosed(peer: string, reason: string): void {
    const onClosed = this.peers.get(peer);
    this.peers.delete(peer);
    if (onClosed) onClosed(reason);
    else if (this.closedPeers.size < EARLY_MAX) this.closedPeers.add(peer);
  }

  private lose(): void {
    this.release();
    this.listener.lost();
  }

  private stop(state: "replaced" | "removed" | "left"): void {
    if (this.active) this.state = state;
    for (const onClosed of this.peers.values()) onClosed("Left the room");
    this.peers.clear();
    // Only this node's subscription: nothing depends on when it has ended.
    this.unsubscribe?.().catch(() => undefined);
    this.unsubscribe = null;
  }
}
