import type { ConnectionStatus, Document, SignalboxError } from "@signalbox/client";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { session } from "./session.ts";

/**
 * What a subscription shows: it waits for the first connection, delivers, is interrupted (the connection is lost, or the
 * service refuses the subscription for a while), or has ended.
 */
export type LiveState = "connecting" | "live" | "reconnecting" | "ended";

const STATES: Readonly<Record<ConnectionStatus, LiveState>> = {
  idle: "connecting",
  connecting: "connecting",
  online: "live",
  offline: "reconnecting",
  ended: "ended",
};

/**
 * Time after which a subscription on a new connection is active, in milliseconds. The service acknowledges none, and one
 * without results is silent.
 */
const ACTIVE_AFTER_MS = 2_000;

/** What a {@link useSubscription} reports. */
export interface SubscriptionOptions<Result> {
  /** Called for each result, in order. */
  onData(result: Result): void;
  /** Called when results may have been missed: read again what is shown. */
  onGap?(): void;
  /**
   * Called a while after each connection: a list whose subscription does not begin with all entries reads again what has
   * changed since it was read, or while the connection was lost.
   */
  onActive?(): void;
  /** False while a variable is not known yet. */
  enabled?: boolean;
}

/** A subscription as a page shows it. */
export interface LiveSubscription {
  state: LiveState;
  /** Why the service has ended it; it is not tried again by itself. */
  error: SignalboxError | null;
  /** Subscribes again. */
  retry(): void;
}

/**
 * Subscribes while the component is shown, and again after each lost connection. All subscriptions of the page share one
 * WebSocket.
 */
export function useSubscription<Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables,
  options: SubscriptionOptions<Result>,
): LiveSubscription {
  const { enabled = true } = options;
  // The latest callbacks, without subscribing again for each rendering.
  const latest = useRef(options);
  latest.current = options;
  const [end, setEnd] = useState<{ error: SignalboxError | null } | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const [wasLive, setWasLive] = useState(false);
  const { connection } = session;
  const status = useSyncExternalStore(connection.onStatus, () => connection.status);
  const key = JSON.stringify(variables);

  // Another attempt subscribes again.
  useEffect(() => {
    if (!enabled) return;
    setEnd(null);
    setWaiting(false);
    return connection.subscribe(document, JSON.parse(key) as Variables, {
      next: (result) => latest.current.onData(result),
      gap: () => latest.current.onGap?.(),
      waiting: (reason) => setWaiting(reason !== null),
      error: (error) => setEnd({ error }),
      complete: () => setEnd({ error: null }),
    });
  }, [connection, document, key, enabled, attempt]);

  useEffect(() => {
    if (!enabled || isWaiting || status !== "online") return;
    const timer = setTimeout(() => latest.current.onActive?.(), ACTIVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [enabled, isWaiting, status, key, attempt]);

  useEffect(() => {
    if (status === "online") setWasLive(true);
  }, [status]);

  const retry = () => {
    // Changes in between were missed.
    latest.current.onGap?.();
    setAttempt(attempt + 1);
  };
  if (end) return { state: "ended", error: end.error, retry };
  const state = STATES[status];
  const isInterrupted = isWaiting || (state === "connecting" && wasLive);
  return { state: isInterrupted ? "reconnecting" : state, error: null, retry };
}
