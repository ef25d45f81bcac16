import type { Signal } from "../signals/signal";
import { type DecodedEntry, isAnswer } from "./inbox-log";
import type { AnswerDetails } from "./subscriber";

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

/** The state of the signals with one call id. */
interface SignalCallState {
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

/**
 * The state that follows from the entries of a user's inbox. It depends only on the entries and their order,
 * so every node derives the same state.
 */
export class InboxState {
  private readonly callsById = new Map<string, SignalCallState>();
  private callCount = 0;
  private lastCursor = "";
  /** Cursors of the answers that stop the ringing on the user's other devices. */
  readonly ringStoppingAnswers = new Set<string>();

  /** Applies the next entry. */
  apply(entry: DecodedEntry): void {
    const { cursor, content } = entry;
    if (!isAnswer(content)) this.applySignal(cursor, content);
    else if (this.applyAnswer(content)) this.ringStoppingAnswers.add(cursor);
    this.lastCursor = cursor;
  }

  /** Calls that are still ringing on a device, in order; only the last repeat of each caller. */
  ringingCalls(resource: string): RingingCall[] {
    const found = [...this.callsById.values()].flatMap(({ calls, answer }) =>
      answer ? [] : [...calls.values()],
    );
    return found
      .filter((call) => [undefined, resource].includes(call.resource))
      .sort((a, b) => a.order - b.order);
  }

  private applySignal(cursor: string, signal: Signal): void {
    const { callId, type, from, to } = signal;
    if (!callId || (type !== "call" && type !== "hangUp")) return;
    const call = this.callOf(callId);
    const caller = `${from.userId} `;
    if (type === "call") {
      // After a call has ended, its caller may reuse the id for another one.
      if (call.answer?.ended && call.answer.peer === from.userId) call.answer = undefined;
      call.called = true;
      call.calls.set(caller + (to.resource ?? ""), {
        cursor,
        previousCursor: this.lastCursor,
        order: this.callCount++,
        resource: to.resource,
      });
      return;
    }
    for (const key of call.calls.keys()) if (key.startsWith(caller)) call.calls.delete(key);
    if (call.answer?.peer === from.userId) call.answer.ended = true;
  }

  /** Applies an answer. Returns whether it stops the ringing on the user's other devices. */
  private applyAnswer({ callId, answerType, device, peer }: AnswerDetails): boolean {
    const call = this.callOf(callId);
    const { answer } = call;
    // After one device has accepted, the answers of others do not count.
    if (answer?.accepted && answer.device !== device) return false;
    const accepted = answerType === "accept";
    if (answer?.accepted && accepted) return false;
    call.answer = { device, peer: peer.userId, accepted, ended: false };
    if (accepted) return true;
    // A call that was already declined, or never rang here, changes nothing for them.
    return answer ? answer.accepted : call.called;
  }

  private callOf(callId: string): SignalCallState {
    const known = this.callsById.get(callId);
    if (known) return known;
    const call: SignalCallState = { calls: new Map(), called: false };
    this.callsById.set(callId, call);
    return call;
  }
}
