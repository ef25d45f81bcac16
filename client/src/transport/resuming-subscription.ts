import { networkError, type ResponseError, responseError, SignalboxError } from "../errors.ts";
import type { TokenSession } from "../session/token-session.ts";
import { backoffMs, LONGEST_MS, sleep } from "./backoff.ts";
import type { Document } from "./document.ts";
import type { Socket } from "./socket.ts";

/** What a {@link resumeSubscription} needs and reports to. */
export interface ResumingOptions<Result, Variables, Entry extends { cursor: string | null }> {
  readonly socket: Socket;
  readonly session: TokenSession;
  readonly document: Document<Result, Variables>;
  /**
   * The variables of one attempt.
   * @param after cursor of the last entry, or null
   * @param allowGap whether entries after the cursor are gone; only if `takesAllowGap`
   */
  variables(after: string | null, allowGap: boolean): Variables;
  /** Whether the subscription takes `allowGap`, which delivers what is left after a cursor that has expired. */
  readonly takesAllowGap?: boolean;
  /** The entry of a result; without a cursor, the subscription cannot resume behind it. */
  entry(result: Result): Entry;
  /** Called for each entry, in order. */
  onEntry(entry: Entry): void;
  /** Called when entries may have been missed, after it has subscribed again: what is shown can be read again. */
  onGap(): void;
  /** Called when an attempt was refused and the next one waits, and with null when that begins. */
  onWaiting?(reason: SignalboxError | null): void;
  /** Called once when the service has completed it (null), or refuses it and no retry can change that. */
  onEnd(reason: SignalboxError | null): void;
}

/** Codes after which the same subscription may succeed later. */
const TRANSIENT = ["LIMITED", "UNAVAILABLE", "INTERNAL", "NETWORK"];

/**
 * Keeps a subscription open: after a lost connection it subscribes again behind the last entry. When the service
 * cannot resume there (INVALID on `after`), it reports the gap and subscribes to what is left after the cursor, or
 * without a cursor. It also reports a gap if the connection was lost before any entry with a cursor arrived.
 * @returns a function that ends it; nothing is reported afterwards
 */
export function resumeSubscription<
  Result,
  Variables extends object,
  Entry extends { cursor: string | null },
>(options: ResumingOptions<Result, Variables, Entry>): () => void {
  const { socket, session, onEnd } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  let after: string | null = null;
  /** Whether entries after the cursor are gone. */
  let allowGap = false;
  let failures = 0;
  /** How often in a row the service has refused the session, and the token was checked. */
  let refusals = 0;
  /** Whether a connection has carried this subscription. */
  let wasCarried = false;
  /** Whether entries may be missing before those of the next attempt. */
  let isGapped = false;

  /** Reports a gap as soon as a connection carries the next attempt. */
  function reportGap(): void {
    if (!isGapped || socket.status !== "online") return;
    isGapped = false;
    options.onGap();
  }

  /** Subscribes once. @returns why it ended */
  function attempt(): Promise<readonly ResponseError[] | "connection" | null> {
    return new Promise((resolve) => {
      let problem: readonly ResponseError[] | null = null;
      const { connections, status } = socket;
      const unfollow = socket.on("status", reportGap);
      const stop = socket.subscribe(options.document, options.variables(after, allowGap), {
        next({ data, errors }) {
          if (!data) {
            // A refusal if the end follows, an entry that cannot be delivered otherwise.
            problem = errors ?? [];
            return;
          }
          if (problem) options.onGap();
          problem = null;
          failures = 0;
          refusals = 0;
          const entry = options.entry(data);
          after = entry.cursor;
          allowGap = false;
          options.onEntry(entry);
        },
        end(reason) {
          unfollow();
          signal.removeEventListener("abort", abort);
          wasCarried ||= status === "online" || socket.connections > connections;
          resolve(problem ?? reason);
        },
      });
      const abort = () => {
        unfollow();
        stop();
        resolve(null);
      };
      signal.addEventListener("abort", abort);
      reportGap();
    });
  }

  async function run(): Promise<SignalboxError | null> {
    for (;;) {
      try {
        await socket.ready();
      } catch (error) {
        const reason = error instanceof SignalboxError ? error : networkError(error);
        if (signal.aborted || socket.status === "ended") return reason;
        continue;
      }
      if (signal.aborted) return null;
      const began = Date.now();
      const problem = await attempt();
      // A quiet subscription has succeeded too.
      if (Date.now() - began > LONGEST_MS) failures = refusals = 0;
      if (signal.aborted || problem === null) return null;
      if (problem === "connection") {
        isGapped ||= after === null && wasCarried;
        continue;
      }
      const error = responseError(problem);
      if (error.code === "INVALID" && error.fields.after && after !== null) {
        // A cursor that is refused again is not one of this user's inbox.
        if (options.takesAllowGap && !allowGap) allowGap = true;
        else {
          after = null;
          allowGap = false;
        }
        isGapped = true;
        continue;
      }
      failures += 1;
      if (error.code === "UNAUTHENTICATED" && refusals === 0) {
        try {
          await session.replaceRefused(await session.token());
          refusals += 1;
        } catch {
          // The service cannot be asked now, or the session has ended: the next attempt finds out.
        }
      } else if (!TRANSIENT.includes(error.code)) return error;
      options.onWaiting?.(error);
      await sleep(Math.max(backoffMs(failures), (error.retryAfter ?? 0) * 1000), signal);
      if (signal.aborted) return null;
      options.onWaiting?.(null);
    }
  }

  void run().then((reason) => {
    if (!signal.aborted) onEnd(reason);
  });
  return () => stopped.abort();
}
