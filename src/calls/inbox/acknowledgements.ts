import type { Mark } from "./mark";

/** Milliseconds between two marks of one device at least. */
const APART_MS = 1_000;

/**
 * What one device has acknowledged, written to its user's inbox behind what happens and seldom. What
 * is not written when the node dies is sent once more.
 */
export class Acknowledgements {
  private noted: string | undefined;
  private written: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param device the resource
   * @param origin cursor before the first parcel that the device was handed
   * @param write must not throw; tells whether the mark stands in the inbox
   */
  constructor(
    private readonly device: string,
    private readonly origin: string,
    private readonly write: (mark: Mark) => Promise<boolean>,
  ) {}

  /** See `Attachment.acknowledge`. */
  note(cursor: string): void {
    if (cursor === "" && this.noted !== undefined) return;
    this.noted = cursor;
    if (!this.timer) void this.writeDown();
  }

  /** Writes what is not written yet; nothing is written after it. */
  async end(): Promise<void> {
    clearTimeout(this.timer);
    if (this.noted !== this.written) await this.write(this.mark(this.noted ?? ""));
    this.written = this.noted;
  }

  private async writeDown(): Promise<void> {
    const { noted = "" } = this;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.noted !== this.written) void this.writeDown();
    }, APART_MS).unref();
    if (await this.write(this.mark(noted))) this.written = noted;
  }

  private mark(noted: string): Mark {
    return noted === ""
      ? { mark: "bound", device: this.device, at: this.origin }
      : { mark: "acknowledged", device: this.device, at: noted };
  }
}
