import { SignalboxError } from "../errors.ts";
import type { CurrentSession } from "../session/session.ts";
import type { Signalbox } from "../signalbox.ts";
import { backoffMs, sleep } from "../transport/backoff.ts";
import type { ConnectionStatus } from "../transport/socket.ts";
import { useSignalbox } from "./provider.ts";
import { Store, storesOf, useStore } from "./store.ts";

/** What {@link useSession} shows. */
export interface SessionState {
  /**
   * `loading` before the service has answered; `signed-out` is an application session without a user; `ended` means
   * that there is no session any more.
   */
  readonly status: "loading" | "signed-in" | "signed-out" | "ended";
  /** The signed-in user; null in any other status. */
  readonly user: CurrentSession["user"];
  /** State of the WebSocket. */
  readonly connection: ConnectionStatus;
  /** Why the session is still `loading`, or has `ended`; null otherwise. */
  readonly error: SignalboxError | null;
}

const storeOf = storesOf(({ session, signals }: Signalbox) => {
  let current: CurrentSession | null = null;
  let error: SignalboxError | null = null;
  let hasEnded = false;
  const status = (): SessionState["status"] => {
    if (hasEnded) return "ended";
    if (!current) return "loading";
    return current.user ? "signed-in" : "signed-out";
  };
  return new Store<SessionState>(
    (changed) => {
      session.on("changed", (next) => {
        current = next;
        error = null;
        changed();
      });
      session.on("ended", (reason) => {
        current = null;
        error = reason;
        hasEnded = true;
        changed();
      });
      signals.on("status", changed);
      const load = async () => {
        for (let failures = 1; !current && !hasEnded; failures += 1) {
          try {
            current = await session.current();
            error = null;
          } catch (reason) {
            if (reason instanceof SignalboxError) error = reason;
          }
          changed();
          if (!current && !hasEnded) await sleep(backoffMs(failures));
        }
      };
      void load();
    },
    () => ({ status: status(), user: current?.user ?? null, connection: signals.status, error }),
  );
});

/**
 * The session and its user. The first component that uses it asks for the session.
 *
 * @example
 * ```tsx
 * import { useSession } from "@signalbox/client/react";
 *
 * export function App() {
 *   const { status, user, connection } = useSession();
 *   if (status !== "signed-in") return <p>{status}</p>;
 *   return <p>{user?.fullName} is {connection}</p>;
 * }
 * ```
 */
export function useSession(): SessionState {
  return useStore(storeOf(useSignalbox()));
}
