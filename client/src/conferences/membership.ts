import { closedError, isTransient, networkError, SignalboxError } from "../errors.ts";
import {
  ConferenceEventsDocument,
  type ConferenceEventsSubscription,
  type ConferenceLeaveReason,
  JoinConferenceDocument,
  type JoinConferenceMutation,
  LeaveConferenceDocument,
} from "../generated/operations.ts";
import type { Session } from "../session/session.ts";
import { backoffMs, sleep } from "../transport/backoff.ts";
import type { Document } from "../transport/document.ts";
import { platformEvents } from "../transport/platform-events.ts";
import { resumeSubscription } from "../transport/resuming-subscription.ts";
import type { Socket } from "../transport/socket.ts";
import type { ConferenceEndReason } from "./conference-types.ts";
import type { MembershipOperations } from "./media-peer.ts";

/** What `joinConference` returns. */
export type JoinedConference = JoinConferenceMutation["joinConference"];

/** An event of a conference. */
export type ConferenceEvent = ConferenceEventsSubscription["conferenceEvents"];

/** What a {@link Membership} reports to. */
export interface MembershipListener {
  /** The seat is taken, for the first time or again: earlier peer connections and mutes are gone. */
  onJoined(joined: JoinedConference): void;
  onEvent(event: ConferenceEvent): void;
  /** {@link Membership.isConnected} may have changed. */
  onConnection(): void;
  /** Called once. */
  onEnd(reason: ConferenceEndReason, error: SignalboxError | null): void;
}

/** The connection of a participant: that of the signed-in user, or one of a guest's own. */
export interface MembershipConnection {
  readonly session: Session;
  readonly socket: Socket;
  /** Id of the signed-in user, null for a guest by link: whether a participant may come back with another session. */
  userId(): Promise<string | null>;
}

/** Reasons after which this side stays out. */
const OUT: Partial<Record<ConferenceLeaveReason, ConferenceEndReason>> = {
  REMOVED: "removed",
  CONFERENCE_CLOSED: "closed",
  MEDIA_FAILURE: "media-failure",
  LINK_WITHDRAWN: "link-withdrawn",
};

/** Errors with which the way back is closed, and what they mean there. */
const REFUSALS: Partial<Record<string, ConferenceEndReason>> = {
  NOT_FOUND: "closed",
  CONFLICT: "closed",
  UNAUTHENTICATED: "session-ended",
  CLOSED: "left",
};

/**
 * The seat of this side: joins, follows the events, which keeps the seat, and joins again when the seat was lost.
 */
export class Membership implements MembershipOperations {
  readonly #connection: MembershipConnection;
  readonly #conferenceId: string;
  readonly #listener: MembershipListener;
  readonly #over = new AbortController();
  readonly #stopFollowing: () => void;
  #stopEvents: (() => void) | null = null;
  #id = "";
  #participantId = "";
  #userId: string | null = null;
  /** Joins in a row that were lost before an event arrived. */
  #failures = 0;

  constructor(
    connection: MembershipConnection,
    conferenceId: string,
    listener: MembershipListener,
  ) {
    this.#connection = connection;
    this.#conferenceId = conferenceId;
    this.#listener = listener;
    this.#stopFollowing = connection.socket.on("status", () => listener.onConnection());
  }

  /** The own participant's id. */
  get participantId(): string {
    return this.#participantId;
  }

  /** Whether events arrive. */
  get isConnected(): boolean {
    return this.#stopEvents !== null && this.#connection.socket.status === "online";
  }

  /** Aborted once the membership is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Takes the seat. @throws SignalboxError FULL, FORBIDDEN, NOT_FOUND, CONFLICT if the conference is closed */
  async join(): Promise<void> {
    try {
      await this.#join();
    } catch (error) {
      this.#end("failed", error as SignalboxError);
      throw error;
    }
  }

  async #join(): Promise<void> {
    const { session } = this.#connection;
    const input = { conferenceId: this.#conferenceId };
    const { joinConference: joined } = await session.execute(JoinConferenceDocument, { input });
    const membershipId = joined.membershipId;
    if (this.signal.aborted) {
      this.#giveBack(membershipId, false).catch(() => {});
      throw closedError();
    }
    this.#id = membershipId;
    this.#participantId = joined.participant.id;
    const me = joined.conference.participants.find(({ id }) => id === this.#participantId);
    this.#userId = me?.userId ?? null;
    this.#listener.onJoined(joined);
    if (!this.signal.aborted) this.#subscribe(membershipId);
  }

  /** Runs an operation of this membership over the socket. @throws SignalboxError */
  run<Result, Input extends { membershipId: unknown }>(
    document: Document<Result, { input: Input }>,
    input: Omit<Input, "membershipId">,
  ): Promise<Result> {
    const variables = { input: { ...input, membershipId: this.#id } as unknown as Input };
    return this.#connection.socket.execute(document, variables, this.signal);
  }

  /**
   * Ends the membership and gives the seat back. Never rejects: a seat that cannot be given back is free soon after.
   * @param keepalive whether the page closes
   */
  async leave(keepalive: boolean): Promise<void> {
    if (this.signal.aborted) return;
    const given = this.#id === "" ? null : this.#giveBack(this.#id, keepalive);
    this.#end("left", null);
    await given?.catch(() => {});
  }

  #giveBack(membershipId: string, keepalive: boolean): Promise<unknown> {
    const input = { membershipId };
    return this.#connection.session.execute(LeaveConferenceDocument, { input }, { keepalive });
  }

  #subscribe(membershipId: string): void {
    const { socket, session } = this.#connection;
    this.#stopEvents = resumeSubscription({
      socket,
      session,
      document: ConferenceEventsDocument,
      variables: (after) => ({ membershipId, after }),
      entry: ({ conferenceEvents }) => conferenceEvents,
      onEntry: (event) => this.#receive(event),
      // The first event after a gap is the whole state.
      onGap: () => {},
      onEnd: (reason) => this.#unsubscribed(reason),
    });
    this.#listener.onConnection();
  }

  #receive(event: ConferenceEvent): void {
    this.#failures = 0;
    switch (event.__typename) {
      case "ConferenceReplacedEvent":
        this.#end("replaced", null);
        return;
      case "ConferenceEndedEvent":
        this.#end(OUT[event.reason] ?? "closed", null);
        return;
      case "ConferenceParticipantLeftEvent":
        if (event.participantId !== this.#participantId) break;
        this.#lost(event.reason);
        return;
    }
    this.#listener.onEvent(event);
  }

  /** This side is out. */
  #lost(reason: ConferenceLeaveReason): void {
    const final = OUT[reason];
    if (final) this.#end(final, null);
    // The connection was away for too long, or the session was renewed.
    else void this.#rejoin();
  }

  #unsubscribed(error: SignalboxError | null): void {
    if (error === null || error.code === "NOT_FOUND") void this.#rejoin();
    // Another device has the seat.
    else if (error.code === "CONFLICT") this.#end("replaced", null);
    else this.#end(REFUSALS[error.code] ?? "failed", error);
  }

  async #rejoin(): Promise<void> {
    this.#stopEvents?.();
    this.#stopEvents = null;
    this.#listener.onConnection();
    for (;;) {
      if (this.#failures > 0) {
        await sleep(backoffMs(this.#failures), this.signal, (end) => platformEvents.onReturn(end));
      }
      if (this.signal.aborted) return;
      this.#failures += 1;
      try {
        if ((await this.#connection.userId()) === this.#userId) await this.#join();
        else this.#end("session-ended", null);
        return;
      } catch (problem) {
        const error = problem instanceof SignalboxError ? problem : networkError(problem);
        const { code } = error;
        if (isTransient(error) || code === "INTERNAL") continue;
        this.#end(REFUSALS[code] ?? "failed", error);
        return;
      }
    }
  }

  #end(reason: ConferenceEndReason, error: SignalboxError | null): void {
    if (this.signal.aborted) return;
    this.#over.abort();
    this.#stopEvents?.();
    this.#stopEvents = null;
    this.#stopFollowing();
    this.#listener.onEnd(reason, error);
  }
}
