import type { Bus } from "../../bus/bus";
import type { Answer } from "../device";
import type { Signal } from "../signal";
import { type LogEntry, readLog } from "./log";
import { isMark } from "./mark";

/** A `call` that rings, at its place. */
export interface Ringing {
  cursor: string;
  /** Cursor of the entry before it; empty where there was none. */
  before: string;
  /** How many calls stand before it. */
  place: number;
  /** The one device that was called; all when left out. */
  resource: string | undefined;
}

/** What is known of one sessionID. */
interface Session {
  /** The last `call` of each caller, by caller and device called. */
  calls: Map<string, Ringing>;
  /** Whether anybody called at all. */
  called: boolean;
  answer?: {
    device: string;
    /** The user answered. */
    peer: number;
    /** Whether the device accepted, and goes on with the call. */
    holds: boolean;
    /** Whether the one who was answered has ended the call. */
    over: boolean;
  };
}

/** Reads the story of all that a log holds. @throws Fault UNAVAILABLE */
export async function readStory(bus: Bus, inbox: string): Promise<Story> {
  const story = new Story();
  await readLog(bus, inbox, (entry) => story.take(entry));
  return story;
}

/**
 * What the log of a user's inbox tells. It follows from the entries and their order alone, so every
 * node that reads them knows the same.
 */
export class Story {
  private readonly sessions = new Map<string, Session>();
  private readonly positions = new Map<string, string>();
  private calls = 0;
  /** Cursor of the last entry. */
  private last = "";
  /** Cursors of the answers that settled a call for the user's other devices. */
  readonly settling = new Set<string>();

  /** Takes the next entry of the log. */
  take(entry: LogEntry): void {
    const { cursor, content } = entry;
    if (!isMark(content)) this.takeSignal(cursor, content);
    else if (content.mark !== "answer") this.positions.set(content.device, content.at);
    else if (this.takeAnswer(content)) this.settling.add(cursor);
    this.last = cursor;
  }

  /** Calls that still ring on a device, each caller's last repeat alone, in their order. */
  ringing(resource: string): Ringing[] {
    const found = [...this.sessions.values()].flatMap(({ calls, answer }) =>
      answer ? [] : [...calls.values()],
    );
    return found
      .filter((call) => [undefined, resource].includes(call.resource))
      .sort((a, b) => a.place - b.place);
  }

  /** The device that accepted a call and has not ended it; undefined when there is none. */
  holder(sessionId: string): string | undefined {
    const answer = this.sessions.get(sessionId)?.answer;
    return answer?.holds ? answer.device : undefined;
  }

  /** Cursor up to which a device has acknowledged; undefined when the log does not know. */
  position(resource: string): string | undefined {
    return this.positions.get(resource);
  }

  private takeSignal(cursor: string, signal: Signal): void {
    const { sessionId, type, from, to } = signal;
    if (!sessionId || (type !== "call" && type !== "hangUp")) return;
    const session = this.session(sessionId);
    const caller = `${from.userId} `;
    if (type === "call") {
      // After the end of a call the same caller may begin another one under its name.
      if (session.answer?.over && session.answer.peer === from.userId) session.answer = undefined;
      session.called = true;
      session.calls.set(caller + (to.resource ?? ""), {
        ...{ cursor, before: this.last, resource: to.resource },
        place: this.calls++,
      });
      return;
    }
    for (const key of session.calls.keys()) if (key.startsWith(caller)) session.calls.delete(key);
    if (session.answer?.peer === from.userId) session.answer.over = true;
  }

  /** Notes an answer; tells whether it settles the call for the user's other devices. */
  private takeAnswer({ sessionId, word, device, peer }: Answer): boolean {
    const session = this.session(sessionId);
    const { answer } = session;
    // Who came second does not count, whatever it said.
    if (answer?.holds && answer.device !== device) return false;
    const holds = word === "accept";
    if (answer?.holds && holds) return false;
    session.answer = { device, peer: peer.userId, holds, over: false };
    if (holds) return true;
    // What was declined already, or never rang here, is no news.
    return answer ? answer.holds : session.called;
  }

  private session(sessionId: string): Session {
    const known = this.sessions.get(sessionId);
    if (known) return known;
    const session: Session = { calls: new Map(), called: false };
    this.sessions.set(sessionId, session);
    return session;
  }
}
