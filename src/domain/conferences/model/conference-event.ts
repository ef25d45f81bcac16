import type { PeerStatistics, PeerStream } from "../engine/engine";
import type { Conference, ConferenceParticipantState } from "./conference";

/** A conference in an event: its settings that participants see; JSON. */
export type ConferenceState = Pick<
  Conference,
  "id" | "name" | "seats" | "video" | "access" | "locked" | "bitrate" | "emptyAfterSeconds"
>;

/** Why a participant left. */
export type LeaveReason =
  /** By itself, or its connections were gone for longer than its lease. */
  "left" | "removed" | "session-ended" | "link-withdrawn" | EndReason;

/** Why a conference ended. */
export type EndReason =
  | "conference-closed"
  /** What participants sent has ended the process of its media again and again. */
  | "media-failure";

/**
 * An event of a conference, as it is stored on the bus; JSON. An event with `sequence` changes the state that all
 * participants share, and `sequence` grows by one with each. An event with `to` is only for one membership.
 */
export type ConferenceEvent =
  /** The whole state: first of all, and when deltas may have been lost. */
  | {
      type: "snapshot";
      sequence: number;
      conference: ConferenceState;
      participants: ConferenceParticipantState[];
    }
  | { type: "participant-joined"; sequence: number; participant: ConferenceParticipantState }
  /** A participant has changed, or has taken its seat again (`rejoined`). */
  | {
      type: "participant-updated";
      sequence: number;
      participant: ConferenceParticipantState;
      rejoined: boolean;
    }
  | {
      type: "participant-left";
      sequence: number;
      participantId: number;
      number: number;
      reason: LeaveReason;
    }
  | { type: "conference-updated"; sequence: number; conference: ConferenceState }
  | { type: "ended"; sequence: number; reason: EndReason }
  /** The media server was lost or has moved: every participant must publish and watch again. */
  | { type: "reconnect"; sequence: number }
  /** The streams of a watching peer changed; with an offer, the client must answer it. */
  | {
      type: "streams";
      to: { participantId: number; generation: number };
      peer: string;
      streams: PeerStream[];
      offer?: string;
    }
  /** Another device has taken the seat; this one must not come back by itself. */
  | { type: "replaced"; to: { participantId: number; generation: number } }
  /** A peer connection has ended by itself; the client opens a new one. */
  | {
      type: "peer-closed";
      to: { participantId: number; generation: number };
      peer: string;
      reason: string;
    }
  | {
      /** What a peer publishes is dropped, since it is beyond its cap, or is forwarded again. */
      type: "peer-limited";
      to: { participantId: number; generation: number };
      peer: string;
      kind: "audio" | "video";
      dropped: boolean;
      bitrate: number;
    }
  | {
      type: "statistics";
      to: { participantId: number; generation: number };
      peer: string;
      statistics: PeerStatistics;
    };

/** An event of the state that all participants share, before it has its number. */
export type NewEvent<E = ConferenceEvent> = E extends { sequence: number }
  ? Omit<E, "sequence">
  : never;
