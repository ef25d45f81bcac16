import type { SignalboxError } from "../errors.ts";
import type { MediaKind } from "../media/local-media.ts";
import type { MediaPlatform } from "../media/media-platform.ts";
import type { MediaStatistics } from "../media/statistics.ts";
import type { CallSignalling } from "./call-signalling.ts";

/** State of a call. `ringing` is an incoming call that waits for `accept()`. */
export type CallState = "calling" | "ringing" | "connecting" | "connected" | "ended";

/** State of a participant. One that has not taken part yet is `ringing`. */
export type ParticipantState = "ringing" | "connecting" | "connected" | "recovering" | "left";

/** Why a participant is not in the call any more, or why a call has ended. */
export type EndReason =
  /** This side hung up, cancelled or declined. */
  | "hung-up"
  /** The other side hung up. */
  | "remote-hung-up"
  | "rejected"
  /** The other user is in another call. */
  | "busy"
  /** The other side's device takes no calls. */
  | "not-supported"
  /** Nobody answered in time. */
  | "no-answer"
  /** The caller gave up before this side answered. */
  | "missed"
  /** Another device of this user has accepted. */
  | "answered-elsewhere"
  /** Another device of this user has declined. */
  | "rejected-elsewhere"
  /** Both users have called each other at once: the other one's call, which `incoming` reports, takes its place. */
  | "replaced"
  /** No media connection came about. */
  | "not-connected"
  /** The media connection was lost. */
  | "connection-lost"
  /** The call could not be placed or answered; `error` says why. */
  | "failed";

/** A participant of a call as an application shows it. */
export interface Participant {
  readonly userId: string;
  readonly state: ParticipantState;
  /** Its media; null until it has arrived. */
  readonly stream: MediaStream | null;
  /** Whether it says that its microphone is muted. */
  readonly audioMuted: boolean;
  /** Whether it says that its camera is off. */
  readonly videoMuted: boolean;
  /** Why it has left; null before. */
  readonly reason: EndReason | null;
}

/** Events of a call. */
export interface CallEvents {
  /** Anything that a page shows has changed. */
  change: undefined;
  state: CallState;
  /** Media of a participant has arrived or has another track. */
  remoteStream: { readonly userId: string; readonly stream: MediaStream };
  /** A participant has another state, or says that it is muted. */
  participant: Participant;
  /** The microphone or camera was unplugged, and there is no other. */
  deviceLost: { readonly kind: MediaKind };
  /** Every two seconds while somebody listens: the statistics of each connected participant by user id. */
  statistics: ReadonlyMap<string, MediaStatistics>;
  ended: { readonly reason: EndReason; readonly error: SignalboxError | null };
}

/** What a call needs. */
export interface CallDeps {
  readonly signals: CallSignalling;
  readonly platform: MediaPlatform;
  /** The own user. */
  readonly userId: string;
  /** Whether all media goes through a TURN server. */
  readonly relayOnly: boolean;
  /** Settles once the signals of the call before are sent: its `hangUp` precedes this `call`, also after an outage. */
  readonly earlierSent: Promise<unknown>;
  /** STUN and TURN servers with fresh credentials. */
  iceServers(): Promise<RTCIceServer[]>;
}

/** What a call is about. */
export interface CallDescription {
  readonly id: string;
  readonly video: boolean;
  /** The user who has started it. */
  readonly callerId: string;
  /** All other users, without this one. */
  readonly users: readonly string[];
  /** What the caller has attached. */
  readonly userInfo: Readonly<Record<string, unknown>>;
}

/** Compares ids of users as numbers: as text, "10" would be smaller than "9". */
export function isSmallerId(one: string, other: string): boolean {
  return Number(one) < Number(other);
}
