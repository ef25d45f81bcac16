import { Fault } from "../../core/errors";
import type { Identity } from "../identity";
import type { Session } from "../session/session";
import { findSession } from "../session/sessions";

/**
 * Waits until a web session has a user: gives the session then, at once if it has one, and ends. It
 * looks whenever the session may have changed, on whichever node that was, and also when the word of
 * it may have been lost. Holds nothing but its place among the listeners, which it leaves when it
 * ends or is returned.
 * @param session as the caller's request found it
 * @throws Fault FORBIDDEN for a session that is no web session
 */
export function watchBinding(
  identity: Identity,
  session: Session,
  token: string,
): AsyncIterableIterator<Session> {
  if (!session.web) {
    throw new Fault("FORBIDDEN", "This session may not do that: only a web session is bound");
  }
  return new BindingWatch(identity, session.id, token);
}

type Step = IteratorResult<Session>;
const END: Step = { value: undefined, done: true };

class BindingWatch implements AsyncIterableIterator<Session> {
  private readonly stopListening: () => void;
  /** Set by a change, cleared by a look. */
  private changed = true;
  private over = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly identity: Identity,
    sessionId: number,
    private readonly token: string,
  ) {
    this.stopListening = identity.endings.listen(sessionId, () => {
      this.changed = true;
      this.wake();
    });
  }

  async next(): Promise<Step> {
    try {
      while (!this.over) {
        // Cleared before the look, so that what changes meanwhile is looked at again.
        this.changed = false;
        const session = await findSession(this.identity, this.token);
        if (session.userId !== null && !this.over) {
          this.end();
          return { value: session, done: false };
        }
        while (!this.changed && !this.over) {
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
    this.over = true;
    this.stopListening();
    this.wake();
  }
}
