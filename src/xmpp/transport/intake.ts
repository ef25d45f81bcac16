import { elapsed } from "../../core/clock";
import type { Transport } from "./transport";

/** Bounds of what one stream takes in. */
export interface IntakeLimits {
  /** Elements that may wait for their turn; beyond, the transport stops reading. */
  queue: number;
  /** Bytes a second that are taken in; 0 for any. */
  bytesPerSecond: number;
}

/** Elements that may wait before the client has signed in: it then has nothing to say ahead. */
const QUEUE_AT_THE_DOOR = 2;
/** Seconds of which a client may send all bytes at once, as when it calls or comes back. */
const BURST_SECONDS = 4;

/**
 * Says when a transport stops reading, so that a client that sends too much waits by itself: TCP holds
 * it up, and it is told nothing. Either too many elements wait for their turn, or more bytes came than
 * a bucket holds that fills at a steady rate.
 */
export class Intake {
  #queue = QUEUE_AT_THE_DOOR;
  #full = false;
  /** Bytes that may still come at once; below zero, what came too soon. */
  #left: number;
  #filledAt = elapsed();
  /** Runs while the bucket is below zero. */
  #rest: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: IntakeLimits,
    private readonly transport: Pick<Transport, "hold" | "release">,
  ) {
    this.#left = limits.bytesPerSecond * BURST_SECONDS;
  }

  /** The client has signed in: more may wait. */
  widen(): void {
    this.#queue = this.limits.queue;
  }

  /** Counts bytes that came. */
  bytes(count: number): void {
    if (this.limits.bytesPerSecond === 0 || this.#fill(count) >= 0 || this.#rest) return;
    if (!this.#full) this.transport.hold();
    this.#wait();
  }

  #fill(taken: number): number {
    const { bytesPerSecond } = this.limits;
    const now = elapsed();
    const filled = this.#left + ((now - this.#filledAt) / 1000) * bytesPerSecond;
    this.#left = Math.min(filled, bytesPerSecond * BURST_SECONDS) - taken;
    this.#filledAt = now;
    return this.#left;
  }

  #wait(): void {
    const seconds = -this.#left / this.limits.bytesPerSecond;
    this.#rest = setTimeout(() => this.#rested(), Math.ceil(seconds * 1000));
  }

  #rested(): void {
    this.#rest = undefined;
    // What was read already comes though nothing more is read.
    if (this.#fill(0) < 0) this.#wait();
    else if (!this.#full) this.transport.release();
  }

  /** Looks at how many elements wait. */
  waiting(count: number): void {
    if (this.#full ? count > this.#queue / 2 : count < this.#queue) return;
    this.#full = !this.#full;
    if (this.#rest) return;
    if (this.#full) this.transport.hold();
    else this.transport.release();
  }

  /** Nothing is held up any more. */
  end(): void {
    clearTimeout(this.#rest);
    this.#rest = undefined;
  }
}
