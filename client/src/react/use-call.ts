import type { Call } from "../calls/call.ts";
import type { CallState, EndReason, Participant } from "../calls/call-types.ts";
import type { SignalboxError } from "../errors.ts";
import { emptyStore, Store, storesOf, useStore } from "./store.ts";

/** What {@link useCall} shows: a snapshot of the call. Its methods are those of the call itself. */
export interface CallSnapshot {
  readonly state: CallState;
  /** The other users of the call, also those who have left. */
  readonly participants: readonly Participant[];
  /** The own microphone and camera; null before they are open. */
  readonly localStream: MediaStream | null;
  /** The shared screen; null while none is shared. */
  readonly screen: MediaStream | null;
  /** Whether the own microphone is muted or missing. */
  readonly audioMuted: boolean;
  /** Whether the own camera is off or missing. */
  readonly videoMuted: boolean;
  /** When media flowed first, in milliseconds of Date.now(); null before. */
  readonly connectedAt: number | null;
  /** Why the call has ended; null before. */
  readonly endReason: EndReason | null;
  /** The error of a call that has failed. */
  readonly error: SignalboxError | null;
}

const storeOf = storesOf(
  (call: Call) =>
    new Store<CallSnapshot>(
      (changed) => {
        call.on("change", changed);
        call.on("ended", changed);
      },
      () => ({
        state: call.state,
        participants: call.participants,
        localStream: call.localStream,
        screen: call.screen,
        audioMuted: call.isMuted("audio"),
        videoMuted: call.isMuted("video"),
        connectedAt: call.connectedAt,
        endReason: call.endReason,
        error: call.error,
      }),
    ),
);

/**
 * A call, as it is now.
 *
 * @example
 * ```tsx
 * import type { Call } from "@signalbox/client";
 * import { useCall, Video } from "@signalbox/client/react";
 *
 * export function CallView({ call }: { call: Call }) {
 *   const { state, participants, localStream, audioMuted } = useCall(call);
 *   return (
 *     <section>
 *       <p>{state}</p>
 *       {participants.map(({ userId, stream }) => <Video key={userId} stream={stream} />)}
 *       <Video stream={localStream} muted />
 *       <button onClick={() => call.setMuted("audio", !audioMuted)}>Mute</button>
 *       <button onClick={() => call.hangUp()}>Hang up</button>
 *     </section>
 *   );
 * }
 * ```
 * @param call the call, or null while there is none
 */
export function useCall(call: Call): CallSnapshot;
export function useCall(call: Call | null): CallSnapshot | null;
export function useCall(call: Call | null): CallSnapshot | null {
  return useStore<CallSnapshot | null>(call ? storeOf(call) : emptyStore);
}
