import type { Call } from "../calls/call.ts";
import type { Calls, StartOptions } from "../calls/calls.ts";
import { useSignalbox } from "./provider.ts";
import { Store, storesOf, useStore } from "./store.ts";

/** What {@link useCalls} shows. */
export interface CallsState {
  /** The call in progress, which may still ring; null if there is none. */
  readonly current: Call | null;
  /** The call that rings and waits for `accept()` or `reject()`, with `callerName`; null if there is none. */
  readonly incoming: Call | null;
  /** The call that ended last, to show why; null before. */
  readonly last: Call | null;
  /** `calls.start()` of the client. @throws SignalboxError */
  start(options: StartOptions): Promise<Call>;
}

const storeOf = storesOf((calls: Calls) => {
  let shown: Call | null = null;
  let last: Call | null = null;
  const start = (options: StartOptions) => calls.start(options);
  return new Store<CallsState>(
    (changed) => {
      const follow = () => {
        const { current } = calls;
        if (shown && shown !== current) last = shown;
        if (current && shown !== current) {
          current.on("state", changed);
          // The caller's name comes while the call rings.
          if (current.isIncoming) current.on("change", changed);
        }
        shown = current;
        changed();
      };
      calls.on("change", follow);
      follow();
    },
    () => {
      const { current } = calls;
      const incoming = current?.isIncoming && current.state === "ringing" ? current : null;
      return { current, incoming, last, start };
    },
  );
});

/**
 * The calls of the signed-in user on this device. The first component that uses it connects.
 *
 * @example
 * ```tsx
 * import { useCalls } from "@signalbox/client/react";
 *
 * export function App() {
 *   const { incoming, current, start } = useCalls();
 *   if (incoming) {
 *     return (
 *       <p>
 *         {incoming.callerName ?? `User ${incoming.callerId}`} is calling
 *         <button onClick={() => incoming.accept()}>Accept</button>
 *         <button onClick={() => incoming.reject()}>Decline</button>
 *       </p>
 *     );
 *   }
 *   if (current) return <button onClick={() => current.hangUp()}>Hang up</button>;
 *   return <button onClick={() => start({ users: [42], video: true })}>Call</button>;
 * }
 * ```
 */
export function useCalls(): CallsState {
  return useStore(storeOf(useSignalbox().calls));
}
