import { setTimeout as delay } from "node:timers/promises";
import type { StreamCondition } from "../error";
import type { Stream } from "../stream";
import { Acknowledgements, type ManagementLimits } from "./acknowledgements";
import { acknowledgement, enabled, resumed } from "./elements";

/** Milliseconds between two looks whether the client has taken what it was sent. */
const DRAIN_MS = 20;

/** What a line tells of itself. */
export interface LineEvents {
  /** The client has everything up to this place in its inbox. */
  acknowledged(cursor: string): void;
  /** More is kept for a client without a connection. */
  grown(): void;
  /** More waits for an acknowledgement than may. */
  overflowed(): void;
}

/**
 * The way to one client: a stream and, once stream management is on, what the client has not
 * acknowledged. Then the line may outlive its stream and go on over another (XEP-0198 section 5).
 */
export class Line {
  #stream: Stream | undefined;
  #counts: Acknowledgements | undefined;
  /** Whether stanzas go out: not while a stream that takes over has not been answered. */
  #flows = true;
  #waiting: (() => void)[] = [];

  constructor(
    stream: Stream,
    private readonly limits: ManagementLimits,
    private readonly events: LineEvents,
  ) {
    this.#stream = stream;
  }

  /** Whether stream management is on. */
  get managed(): boolean {
    return this.#counts !== undefined;
  }

  /** Stanzas of the client that were handled since stream management is on. */
  get handled(): number {
    return this.#counts?.handled ?? 0;
  }

  /** Bytes that wait for an acknowledgement. */
  get bytes(): number {
    return this.#counts?.outbox.bytes ?? 0;
  }

  /** Address of the client; null where it is not known, or nobody is connected. */
  get ip(): string | null {
    return this.#stream?.transport.ip ?? null;
  }

  /** Whether this stream carries the line now. */
  isOn(stream: Stream): boolean {
    return this.#stream === stream;
  }

  /**
   * Sends a stanza.
   * @param cursor its place in the inbox, of a call signal
   */
  send(xml: string, cursor?: string): void {
    const counts = this.#counts;
    if (!counts) this.#stream?.send(xml);
    else if (!counts.outbox.push(xml, cursor)) this.events.overflowed();
    else {
      if (this.#stream) this.write(xml);
      else this.events.grown();
      counts.sent();
    }
  }

  /** Sends what is no stanza, and counts for nothing. */
  write(xml: string): void {
    if (this.#flows) this.#stream?.send(xml);
  }

  /** Counts a stanza of the client that was handled. */
  count(): void {
    this.#counts?.count();
  }

  /** A sign of life to ask for, where stream management has one. */
  question(): string | undefined {
    return this.#counts?.question();
  }

  /** Tells the client how much was handled. */
  acknowledge(): void {
    this.write(acknowledgement(this.handled));
  }

  /** Takes how much the client has received. */
  answered(h: number): void {
    if (!this.#counts) return;
    const cursor = this.#counts.answered(h);
    if (cursor !== undefined) this.events.acknowledged(cursor);
    if (!this.#isLoaded()) this.#letGo();
  }

  /**
   * Turns stream management on, and says so.
   * @param previd the id to resume it by, where it can be
   */
  enable(previd: string | undefined): void {
    this.write(enabled(previd));
    this.#counts = new Acknowledgements(this.limits, (xml) => this.write(xml));
  }

  /** The stream is gone; stanzas are kept from here on. */
  hibernate(): void {
    this.#stream = undefined;
    this.#counts?.pause();
  }

  /**
   * Gives the line to another stream, on which it does not flow yet; one that carries it still ends
   * with `conflict`.
   */
  moveTo(stream: Stream): void {
    const older = this.#stream;
    this.#stream = stream;
    this.#flows = false;
    this.#counts?.pause();
    older?.fail("conflict", "Resumed on a new connection");
  }

  /** Goes on after what the client has received: first what is not acknowledged, in its order. */
  resume(previd: string, h: number): void {
    this.#flows = true;
    this.write(resumed(previd, this.handled));
    this.answered(h);
    for (const xml of this.#counts?.outbox.stanzas() ?? []) this.#stream?.send(xml);
    this.#counts?.resume();
  }

  /**
   * Resolves once the client has taken what it was sent or, with stream management, acknowledged so
   * much that half of what may wait is free; undefined when it has.
   */
  drained(): Promise<void> | undefined {
    if (this.#counts) {
      if (!this.#isLoaded()) return undefined;
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    return this.#isEmptied() ? undefined : this.#emptied();
  }

  async #emptied(): Promise<void> {
    while (!this.#isEmptied()) await delay(DRAIN_MS);
  }

  #isEmptied(): boolean {
    return !this.#stream || this.#stream.idle || this.#stream.closing;
  }

  /** Ends the stream with an error; false when there is none. */
  fail(condition: StreamCondition, text?: string): boolean {
    this.#stream?.fail(condition, text);
    return this.#stream !== undefined;
  }

  /** The device has left: nothing is asked or waited for any more. */
  end(): void {
    this.#counts?.pause();
    this.#letGo();
  }

  #isLoaded(): boolean {
    const { stanzas, bytes } = this.limits.unacknowledged;
    const outbox = this.#counts?.outbox;
    return outbox !== undefined && (outbox.size > stanzas / 2 || outbox.bytes > bytes / 2);
  }

  #letGo(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
