import type { SignalboxError } from "../errors.ts";
import type { SettingsFieldsFragment } from "../generated/operations.ts";
import type { CaptureOptions, MediaKind } from "../media/local-media.ts";
import type { MediaStatistics } from "../media/statistics.ts";

/** The settings of a conference, which may change at any time. */
export type ConferenceSettings = SettingsFieldsFragment;

/**
 * State of the own membership. `reconnecting` ends by itself; media continues if the network does.
 */
export type ConferenceState = "joining" | "joined" | "reconnecting" | "ended";

/** Why the own membership has ended. */
export type ConferenceEndReason =
  /** This side left. */
  | "left"
  /** The user has joined on another device or in another tab. */
  | "replaced"
  /** A moderator has removed this participant. */
  | "removed"
  /** The conference was closed. */
  | "closed"
  /** The server has ended the conference, because what its participants sent has repeatedly ended the media server. */
  | "media-failure"
  /** The link that admitted this guest was withdrawn. */
  | "link-withdrawn"
  /** The session has ended. */
  | "session-ended"
  /** The way back is barred, for instance because the conference is full or locked; `error` says why. */
  | "failed";

/** State of a participant: whether it sends media, and whether that arrives here. */
export type ConferenceParticipantState = "listening" | "connecting" | "connected";

/** A participant of a conference as an application shows it. */
export interface ConferenceParticipant {
  /** Id in the conference: that of the user, or the number of a guest by link, which no user has. */
  readonly id: string;
  /** Null for a guest by link. */
  readonly userId: string | null;
  readonly name: string;
  readonly state: ConferenceParticipantState;
  /** Whether it is this side. */
  readonly isMe: boolean;
  readonly isModerator: boolean;
  /** Whether the microphone is muted; null if unknown: participants over the Janus protocol cannot tell. */
  readonly audioMuted: boolean | null;
  /** Whether the camera is off; null if unknown. */
  readonly videoMuted: boolean | null;
  /** Whether the participant shares a screen. */
  readonly isSharingScreen: boolean;
  /** Whether its camera is on and yet no picture has arrived for two seconds: the network is too poor for it. */
  readonly isVideoPaused: boolean;
  readonly speaking: boolean;
  /** Loudness from 0 to 1. */
  readonly audioLevel: number;
  /** Microphone and camera; null until they have arrived. */
  readonly stream: MediaStream | null;
  /** The shared screen; null until it has arrived. */
  readonly screen: MediaStream | null;
  /** When the participant joined, in ISO 8601. */
  readonly joinedAt: string;
}

/** Statistics of a participant: what is received of it, and for oneself what is sent. */
export interface ParticipantStatistics extends MediaStatistics {
  /** The statistics of the shared screen; null without one. */
  readonly screen: MediaStatistics | null;
}

/** Options of `conferences.join()` and `joinAsGuest()`. */
export interface JoinOptions extends CaptureOptions {
  /** A stream of the application's own, in place of the microphone and the camera. */
  readonly stream?: MediaStream;
  /** Whether nothing is sent: then no device is opened. False by default. */
  readonly listen?: boolean;
}

/** What `conference.configure()` changes. */
export interface PublishSettings {
  /** Maximum bitrate of the own video, in bits per second: 64,000 to 4,000,000. */
  readonly bitrate: number;
}

/** Events of a conference. */
export interface ConferenceEvents {
  /** Anything that a page shows has changed. */
  change: undefined;
  state: ConferenceState;
  /** A participant has joined, or is another than before in what it shows. */
  participant: ConferenceParticipant;
  /** A participant is out; this is what it was last. */
  participantLeft: ConferenceParticipant;
  /** Media of a participant has arrived or has another track. */
  remoteStream: {
    readonly participantId: string;
    readonly source: "camera" | "screen";
    readonly stream: MediaStream;
  };
  /** A participant has begun or stopped to speak. */
  speaking: { readonly participantId: string; readonly speaking: boolean };
  /** Every two seconds while somebody listens: the statistics of each participant by its id. */
  statistics: ReadonlyMap<string, ParticipantStatistics>;
  /** The service takes no media of this side, or sends none, and does not do so later either. */
  mediaRefused: SignalboxError;
  /** The microphone or camera was unplugged, and there is no other. */
  deviceLost: { readonly kind: MediaKind };
  /** The user has joined elsewhere; `ended` follows. Do not join again by yourself. */
  replaced: undefined;
  ended: { readonly reason: ConferenceEndReason; readonly error: SignalboxError | null };
}
