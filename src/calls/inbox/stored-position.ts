/** Minimum interval between two writes for one device, in milliseconds. */
const INTERVAL_MS = 1_000;

/**
 * Writes the cursor that one device has acknowledged, asynchronously and throttled. If the node crashes first,
 * the signals concerned are delivered again.
 */
export class StoredPosition {
  private noted: string | undefined;
  private written: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param origin cursor before the first message that the device was sent
   * @param write must not throw; resolves with whether the cursor was written
   */
  constructor(
    private readonly origin: string,
    private readonly write: (cursor: string) => Promise<boolean>,
  ) {}

  /** See `Attachment.acknowledge`. */
  note(cursor: string): void {
    if (cursor === "" && this.noted !== undefined) return;
    this.noted = cursor;
    if (!this.timer) void this.flush();
  }

  /** Writes what is pending. Must be the last call. */
  async end(): Promise<void> {
    clearTimeout(this.timer);
    if (this.noted !== this.written) await this.write(this.noted || this.origin);
    this.written = this.noted;
  }

  private async flush(): Promise<void> {
    const { noted = "" } = this;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.noted !== this.written) void this.flush();
    }, INTERVAL_MS).unref();
    if (await this.write(noted || this.origin)) this.written = noted;
  }
}
