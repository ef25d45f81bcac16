import { Fault } from "../../../core/errors";
import { ROOM_PARTICIPANTS_MAX } from "../engine/engine";

/** Maximum number of participants of a conference (docs/CONFERENCES.md). */
export const SEATS_MAX = ROOM_PARTICIPANTS_MAX;
/** Minimum number of seats that a conference can have. */
export const SEATS_MIN = 2;

/** Who may join a conference, besides its creator, moderators and guests with a link. */
export type ConferenceAccess = "everyone" | "listed";

/** Who created a conference: a GraphQL operation, or the first join of a legacy client. */
export type ConferenceOrigin = "graphql" | "legacy";

/** A conference of an application. */
export interface Conference {
  id: number;
  applicationId: number;
  /** 1 to 128 characters; unique among the open conferences for everyone of the application. */
  name: string;
  seats: number;
  /** Whether participants may send video. */
  video: boolean;
  access: ConferenceAccess;
  origin: ConferenceOrigin;
  /** While locked, only participants who rejoin get in. */
  locked: boolean;
  /** Cap of each participant's video, in bits per second. */
  bitrate: number;
  /** After how many seconds without participants it closes, from its first participant on; 0 keeps it. */
  emptyAfterSeconds: number;
  /** The user who created it; null for an owner, or when the user was deleted. */
  createdBy: number | null;
  createdAt: Date;
  closedAt: Date | null;
  /** Id of the node that hosts it and orders its changes; null while none does. */
  host: string | null;
  /** The number of its last change. */
  sequence: number;
}

/** Who joins: a user, or a guest by link. */
export interface ParticipantIdentity {
  applicationId: number;
  /** The user's id, or the guest's number, which is taken from the same sequence. */
  number: number;
  kind: "user" | "guest-link";
  /** The only conference that a guest by link may join; absent for a user. */
  conferenceId?: number;
  /** Name that others see. */
  name: string;
  /** The session that authorizes the participant; null for a guest by link and for a sign-in by password. */
  sessionId: number | null;
  /** Distinguishes the devices of a user. */
  device: string;
}

/** Name of a conference: 1 to 128 characters, counted as Unicode code points. */
export const CONFERENCE_NAME_MAX = 128;
/** Caps of a participant's video, in bits per second. */
export const VIDEO_BITRATE = { min: 64_000, default: 600_000, max: 4_000_000 } as const;
/** How long a conference may be without participants before it closes, in seconds. */
export const EMPTY_AFTER_SECONDS = { default: 600, max: 2_592_000 } as const;
/** The same of a legacy client's conference. */
export const LEGACY_EMPTY_SECONDS = 30;
/** How long a seat is kept for a participant whose connections are gone, in seconds. */
export const PARTICIPANT_LEASE_S = 15;

/** The name of a user that others see: never the e-mail address. */
export function displayName(user: {
  id: number;
  fullName: string | null;
  login: string | null;
}): string {
  return user.fullName || user.login || `User ${user.id}`;
}

/** Names one membership: a rejoin raises the generation, and invalidates what an earlier device holds. */
export interface ParticipantRef {
  conferenceId: number;
  participantId: number;
  /** The participant's number: a reference of somebody else is not accepted. */
  number: number;
  generation: number;
}

/** A participant as others see it; JSON. */
export interface ConferenceParticipantState {
  id: number;
  number: number;
  kind: "user" | "guest-link";
  name: string;
  device: string;
  moderator: boolean;
  /** ISO 8601. */
  joinedAt: string;
  /** Whether media of the microphone and camera arrives. */
  publishing: boolean;
  /** Whether a shared screen arrives. */
  screen: boolean;
  /** Null if unknown: a legacy client cannot tell. */
  audioMuted: boolean | null;
  videoMuted: boolean | null;
}

/** INVALID for a name that another open conference for everyone has. */
export function nameTaken(): Fault {
  return Fault.field("name", "has already been taken by an open conference for everyone");
}
