import type { Conference } from "../conferences/conference.ts";
import type {
  ConferenceEndReason,
  ConferenceParticipant,
  ConferenceSettings,
  ConferenceState,
} from "../conferences/conference-types.ts";
import type { SignalboxError } from "../errors.ts";
import { emptyStore, Store, storesOf, useStore } from "./store.ts";

/** What {@link useConference} shows: a snapshot of the conference. Its methods are those of the conference itself. */
export interface ConferenceSnapshot {
  readonly state: ConferenceState;
  /** Name, seats and other settings; null before it is joined. */
  readonly settings: ConferenceSettings | null;
  /** All participants, this side as well, by the time they joined. */
  readonly participants: readonly ConferenceParticipant[];
  /** This side as a participant; null before it is joined. */
  readonly me: ConferenceParticipant | null;
  /** The own microphone and camera; null for one who only listens. */
  readonly localStream: MediaStream | null;
  /** The screen that this side shares; null while it shares none. */
  readonly screen: MediaStream | null;
  /** Whether the own microphone is muted or missing. */
  readonly audioMuted: boolean;
  /** Whether the own camera is off or missing. */
  readonly videoMuted: boolean;
  /** Why the membership has ended; null before. */
  readonly endReason: ConferenceEndReason | null;
  /** The error with which the membership has ended. */
  readonly error: SignalboxError | null;
}

const storeOf = storesOf(
  (conference: Conference) =>
    new Store<ConferenceSnapshot>(
      (changed) => {
        conference.on("change", changed);
        conference.on("ended", changed);
      },
      () => ({
        state: conference.state,
        settings: conference.settings,
        participants: conference.participants,
        me: conference.me,
        localStream: conference.localStream,
        screen: conference.screen,
        audioMuted: conference.isMuted("audio"),
        videoMuted: conference.isMuted("video"),
        endReason: conference.endReason,
        error: conference.error,
      }),
    ),
);

/**
 * A conference, as it is now.
 *
 * @example
 * ```tsx
 * import type { Conference } from "@signalbox/client";
 * import { useConference, Video } from "@signalbox/client/react";
 *
 * export function ConferenceView({ conference }: { conference: Conference }) {
 *   const { state, participants, audioMuted } = useConference(conference);
 *   return (
 *     <section>
 *       <p>{state}</p>
 *       {participants.map(({ id, stream, isMe }) => <Video key={id} stream={stream} muted={isMe} />)}
 *       <button onClick={() => conference.setMuted("audio", !audioMuted)}>Mute</button>
 *       <button onClick={() => conference.leave()}>Leave</button>
 *     </section>
 *   );
 * }
 * ```
 * @param conference the conference, or null while there is none
 */
export function useConference(conference: Conference): ConferenceSnapshot;
export function useConference(conference: Conference | null): ConferenceSnapshot | null;
export function useConference(conference: Conference | null): ConferenceSnapshot | null {
  return useStore<ConferenceSnapshot | null>(conference ? storeOf(conference) : emptyStore);
}
