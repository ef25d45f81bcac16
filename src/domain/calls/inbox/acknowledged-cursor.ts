/** Minimum interval between two writes for one device, in milliseconds. */
const INTERVAL_MS = 1_000;

/**
 * Writes the cursor that one device has acknowledged, asynchronously and throttled. If the node crashes first,
 * the signals concerned are delivered again.
 */
export class AcknowledgedCursor {
  private latest: string | undefined;
  private written: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param initialCursor cursor before the first message that the device was sent
   * @param write must not throw; resolves with whether the cursor was written
   */
  constructor(
    private readonly initialCursor: string,
    private readonly write: (cursor: string) => Promise<boolean>,
  ) {}

  /** See `Attachment.acknowledge`. */
  acknowledge(cursor: string): void {
    if (cursor === "" && this.latest !== undefined) return;
    this.latest = cursor;
    if (!this.timer) void this.flush();
  }

  /** Writes what is pending. Must be the last call. */
  async end(): Promise<void> {
    clearTimeout(this.timer);
    if (this.latest !== this.written) await this.write(this.latest || this.initialCursor);
    this.written = this.latest;
  }

  private async flush(): Promise<void> {
    const { latest = "" } = this;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.latest !== this.written) void this.flush();
    }, INTERVAL_MS).unref();
    if (await this.write(latest || this.initialCursor)) this.written = latest;
  }
}
