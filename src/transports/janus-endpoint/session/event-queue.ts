import type { Frame } from "../protocol/frames";

/** A bounded queue of messages to one client, serialized. */
export class EventQueue {
  private readonly frames: string[] = [];
  private bytes = 0;
  private readonly drainWaiters: Array<() => void> = [];
  private overflowed = false;

  /**
   * @param limits maximum number of messages and of their characters
   * @param onPush called after a message was queued
   * @param onOverflow called once when a message does not fit; the client is too slow
   */
  constructor(
    private readonly limits: { frames: number; bytes: number },
    private readonly onPush: () => void,
    private readonly onOverflow: () => void,
  ) {}

  /** Number of queued messages. */
  get length(): number {
    return this.frames.length;
  }

  /** Queues a message. No effect after an overflow. */
  push(frame: Frame): void {
    if (this.overflowed) return;
    const text = JSON.stringify(frame);
    const { frames, bytes } = this.limits;
    if (this.frames.length >= frames || this.bytes + text.length > bytes) {
      this.overflowed = true;
      this.clear();
      this.onOverflow();
      return;
    }
    this.frames.push(text);
    this.bytes += text.length;
    this.onPush();
  }

  /** The oldest messages, which stay queued. */
  peek(max: number): string[] {
    return this.frames.slice(0, max);
  }

  /** Takes the oldest messages. */
  take(max: number): string[] {
    const taken = this.frames.splice(0, max);
    for (const text of taken) this.bytes -= text.length;
    if (this.frames.length === 0) this.notifyDrained();
    return taken;
  }

  /** Resolves once the queue is empty. */
  async whenDrained(): Promise<void> {
    if (this.frames.length === 0) return;
    await new Promise<void>((resolve) => this.drainWaiters.push(resolve));
  }

  /** Drops what is queued. */
  clear(): void {
    this.frames.length = 0;
    this.bytes = 0;
    this.notifyDrained();
  }

  private notifyDrained(): void {
    for (const resolve of this.drainWaiters.splice(0)) resolve();
  }
}
