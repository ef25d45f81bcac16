import type { ControlEntry } from "./control-entry";

/** Minimum interval between two entries of one device, in milliseconds. */
const INTERVAL_MS = 1_000;

/**
 * Writes what one device has acknowledged to its user's inbox, asynchronously and throttled. If the node
 * crashes first, the signals concerned are delivered again.
 */
export class Acknowledgements {
  private noted: string | undefined;
  private written: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param device the device's resource
   * @param origin cursor before the first message that the device was sent
   * @param write must not throw; resolves with whether the entry was written
   */
  constructor(
    private readonly device: string,
    private readonly origin: string,
    private readonly write: (entry: ControlEntry) => Promise<boolean>,
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
    if (this.noted !== this.written) await this.write(this.entryFor(this.noted ?? ""));
    this.written = this.noted;
  }

  private async flush(): Promise<void> {
    const { noted = "" } = this;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.noted !== this.written) void this.flush();
    }, INTERVAL_MS).unref();
    if (await this.write(this.entryFor(noted))) this.written = noted;
  }

  private entryFor(noted: string): ControlEntry {
    return noted === ""
      ? { mark: "bound", device: this.device, at: this.origin }
      : { mark: "acknowledged", device: this.device, at: noted };
  }
}
