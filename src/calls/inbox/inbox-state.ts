import type { Bus } from "../../bus/bus";
import type { AnswerDetails } from "../signals/device";
import type { Signal } from "../signals/signal";
import { isAnswer } from "./inbox-entry";
import { type DecodedEntry, readInbox } from "./read-inbox";

/** A `call` that is still ringing. */
export interface RingingCall {
  cursor: string;
  /** Cursor of the previous entry; empty if there was none. */
  previousCursor: string;
  /** Number of calls before it. */
  order: number;
  /** Resource of the called device; undefined for all devices. */
  resource: string | undefined;
}

/** The state of one sessionID. */
interface SessionState {
  /** The last `call` of each caller, by caller and called device. */
  calls: Map<string, RingingCall>;
  /** Whether there was any `call`. */
  called: boolean;
  answer?: {
    device: string;
    /** The user who was answered. */
    peer: number;
    /** Whether the device has accepted and not ended the call. */
    accepted: boolean;
    /** Whether the peer has ended the call. */
    ended: boolean;
  };
}

/** Reads a log and returns the state that follows from it. @throws Fault UNAVAILABLE */
export async function readInboxState(bus: Bus, inbox: string): Promise<InboxState> {
  const state = new InboxState();
  await readInbox(bus, inbox, (entry) => state.apply(entry));
  return state;
}

/**
 * The state that follows from the entries of a user's inbox. It depends only on the entries and their order,
 * so every node derives the same state.
 */
export class InboxState {
  private readonly sessions = new Map<string, SessionState>();
  private callCount = 0;
  private lastCursor = "";
  /** Cursors of the answers that stop the ringing on the user's other devices. */
  readonly decisiveAnswers = new Set<string>();

  /** Applies the next entry. */
  apply(entry: DecodedEntry): void {
    const { cursor, content } = entry;
    if (!isAnswer(content)) this.applySignal(cursor, content);
    else if (this.applyAnswer(content)) this.decisiveAnswers.add(cursor);
    this.lastCursor = cursor;
  }

  /** Calls that are still ringing on a device, in order; only the last repeat of each caller. */
  ringingCalls(resource: string): RingingCall[] {
    const found = [...this.sessions.values()].flatMap(({ calls, answer }) =>
      answer ? [] : [...calls.values()],
    );
    return found
      .filter((call) => [undefined, resource].includes(call.resource))
      .sort((a, b) => a.order - b.order);
  }

  private applySignal(cursor: string, signal: Signal): void {
    const { callId, type, from, to } = signal;
    if (!callId || (type !== "call" && type !== "hangUp")) return;
    const session = this.session(callId);
    const caller = `${from.userId} `;
    if (type === "call") {
      // After a call has ended, its caller may reuse the sessionID for another one.
      if (session.answer?.ended && session.answer.peer === from.userId) session.answer = undefined;
      session.called = true;
      session.calls.set(caller + (to.resource ?? ""), {
        cursor,
        previousCursor: this.lastCursor,
        order: this.callCount++,
        resource: to.resource,
      });
      return;
    }
    for (const key of session.calls.keys()) if (key.startsWith(caller)) session.calls.delete(key);
    if (session.answer?.peer === from.userId) session.answer.ended = true;
  }

  /** Applies an answer. Returns whether it stops the ringing on the user's other devices. */
  private applyAnswer({ callId, answerType, device, peer }: AnswerDetails): boolean {
    const session = this.session(callId);
    const { answer } = session;
    // After one device has accepted, the answers of others do not count.
    if (answer?.accepted && answer.device !== device) return false;
    const accepted = answerType === "accept";
    if (answer?.accepted && accepted) return false;
    session.answer = { device, peer: peer.userId, accepted, ended: false };
    if (accepted) return true;
    // A call that was already declined, or never rang here, changes nothing for them.
    return answer ? answer.accepted : session.called;
  }

  private session(callId: string): SessionState {
    const known = this.sessions.get(callId);
    if (known) return known;
    const session: SessionState = { calls: new Map(), called: false };
    this.sessions.set(callId, session);
    return session;
  }
}
