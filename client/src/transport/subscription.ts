import { callSafely } from "../emitter.ts";
import type { SignalboxError } from "../errors.ts";
import type { TokenSession } from "../session/token-session.ts";
import type { Document } from "./document.ts";
import { resumeSubscription } from "./resuming-subscription.ts";
import type { Socket } from "./socket.ts";

/** Receives what a subscription delivers. An exception is reported as an uncaught error, and the subscription continues. */
export interface SubscriptionSink<Result> {
  /** Called for each result, in order. */
  next(result: Result): void;
  /** Called once, when the service refuses the subscription and no retry can change that. */
  error?(reason: SignalboxError): void;
  /** Called once, when the service has completed the subscription. */
  complete?(): void;
  /** Results may have been missed: read again what is shown. Called after it has subscribed again. */
  gap?(): void;
  /**
   * Called with the reason when the service refuses the subscription for a while, although the connection may be online,
   * and with null when it is tried again.
   */
  waiting?(reason: SignalboxError | null): void;
}

/**
 * Subscribes, and again after each lost connection. A document with the variable `$after`, whose field selects `cursor`,
 * resumes behind its last result; another one reports a gap.
 * @returns a function that ends it; the sink then hears nothing more
 */
export function subscribe<Result, Variables extends object>(
  { socket, session }: { readonly socket: Socket; readonly session: TokenSession },
  document: Document<Result, Variables>,
  variables: Variables,
  sink: SubscriptionSink<Result>,
): () => void {
  const canResume = /\$after\b/.test(document);
  return resumeSubscription({
    socket,
    session,
    document,
    variables: (after) => (after === null ? variables : { ...variables, after }),
    entry: (result: Result) => ({ result, cursor: canResume ? cursorOf(result) : null }),
    onEntry: ({ result }) => callSafely(() => sink.next(result)),
    onGap: () => callSafely(() => sink.gap?.()),
    onWaiting: (reason) => callSafely(() => sink.waiting?.(reason)),
    onEnd: (reason) => callSafely(() => (reason ? sink.error?.(reason) : sink.complete?.())),
  });
}

/** The cursor of a result's one field. */
function cursorOf(result: unknown): string | null {
  const [field] = Object.values(result as Record<string, unknown>);
  const { cursor } = (field ?? {}) as { cursor?: unknown };
  return typeof cursor === "string" ? cursor : null;
}
