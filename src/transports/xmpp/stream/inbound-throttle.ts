import { monotonicNow } from "../../../core/clock";
import type { ReadControl } from "./transport";

/** Limits of the input of one stream. */
export interface InboundLimits {
  /** Maximum number of queued chunks of input; above it, the transport stops reading. */
  maxQueued: number;
  /** Rate limit of the input, in bytes per second; 0 for none. */
  bytesPerSecond: number;
}

/** Queue limit before authentication, when a client has no reason to send ahead. */
const PRE_AUTH_QUEUE = 2;
/** Size of the token bucket, in seconds of the rate: a client sends bursts when it calls or reconnects. */
const BURST_SECONDS = 4;

/**
 * Pauses and resumes reading of a transport, so that TCP back-pressure slows down a client that sends too
 * much. Reading is paused while too much input is queued or the token bucket of received bytes is
 * overdrawn.
 */
export class InboundThrottle {
  private maxQueued = PRE_AUTH_QUEUE;
  private queueFull = false;
  /** Bytes left in the token bucket; negative while it is overdrawn. */
  private tokens: number;
  private filledAt = monotonicNow();
  /** Set while the bucket is overdrawn. */
  private refillTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: InboundLimits,
    private readonly transport: ReadControl,
  ) {
    this.tokens = limits.bytesPerSecond * BURST_SECONDS;
  }

  /** The client is authenticated: raises the queue limit. */
  raiseQueueLimit(): void {
    this.maxQueued = this.limits.maxQueued;
  }

  /** Counts received bytes. */
  countBytes(count: number): void {
    if (this.limits.bytesPerSecond === 0 || this.fill(count) >= 0 || this.refillTimer) return;
    if (!this.queueFull) this.transport.pauseReading();
    this.waitForRefill();
  }

  private fill(taken: number): number {
    const { bytesPerSecond } = this.limits;
    const now = monotonicNow();
    const filled = this.tokens + ((now - this.filledAt) / 1000) * bytesPerSecond;
    this.tokens = Math.min(filled, bytesPerSecond * BURST_SECONDS) - taken;
    this.filledAt = now;
    return this.tokens;
  }

  private waitForRefill(): void {
    const seconds = -this.tokens / this.limits.bytesPerSecond;
    this.refillTimer = setTimeout(() => this.refilled(), Math.ceil(seconds * 1000));
  }

  private refilled(): void {
    this.refillTimer = undefined;
    // Data that had already been read still arrived after the pause.
    if (this.fill(0) < 0) this.waitForRefill();
    else if (!this.queueFull) this.transport.resumeReading();
  }

  /** Takes the current length of the queue. */
  setQueueLength(count: number): void {
    if (this.queueFull ? count > this.maxQueued / 2 : count < this.maxQueued) return;
    this.queueFull = !this.queueFull;
    if (this.refillTimer) return;
    if (this.queueFull) this.transport.pauseReading();
    else this.transport.resumeReading();
  }

  /** Stops the timer. */
  stop(): void {
    clearTimeout(this.refillTimer);
    this.refillTimer = undefined;
  }
}
