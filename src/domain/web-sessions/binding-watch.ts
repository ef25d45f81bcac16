import { Fault } from "../../core/errors";
import type { Session } from "../sessions/session";
import type { SessionDeps } from "../sessions/session-deps";
import { findSession } from "../sessions/sessions";

/**
 * Waits until a web session is bound to a user, then yields the session and ends; yields immediately if it
 * is bound already. Reads the session whenever it may have changed on any node, also when a change event
 * may have been lost. Holds only its listener, which it removes when it ends or is returned.
 * @param session as the request's authentication read it
 * @throws Fault FORBIDDEN for any other kind of session
 */
export function watchBinding(
  deps: SessionDeps,
  session: Session,
  token: string,
): AsyncIterableIterator<Session> {
  if (!session.web) {
    throw new Fault("FORBIDDEN", "This session may not do that: a web session is needed");
  }
  return new BindingWatch(deps, session.id, token);
}

type Step = IteratorResult<Session>;
const END: Step = { value: undefined, done: true };

class BindingWatch implements AsyncIterableIterator<Session> {
  private readonly stopListening: () => void;
  /** Set by a change, cleared by a read. */
  private changed = true;
  private ended = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly deps: SessionDeps,
    sessionId: number,
    private readonly token: string,
  ) {
    this.stopListening = deps.sessionEvents.onSessionEvent(sessionId, () => {
      this.changed = true;
      this.wake();
    });
  }

  async next(): Promise<Step> {
    try {
      while (!this.ended) {
        // Cleared before the read, so that a change during the read causes another one.
        this.changed = false;
        const session = await this.deps.boundSessions.load(this.token, () =>
          findSession(this.deps, this.token),
        );
        if (session.userId !== null && !this.ended) {
          this.end();
          return { value: session, done: false };
        }
        while (!this.changed && !this.ended) {
          await new Promise<void>((resolve) => {
            this.wake = resolve;
          });
        }
      }
      return END;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  async return(): Promise<Step> {
    this.end();
    return END;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Session> {
    return this;
  }

  private end(): void {
    this.ended = true;
    this.stopListening();
    this.wake();
  }
}
