/** The frames received over a connection, until it is closed. */
export class FrameQueue {
  /** All frames received so far. */
  readonly received: string[] = [];
  private taken = 0;
  private code: number | undefined;
  private notify = () => {};

  push(frame: string): void {
    this.received.push(frame);
    this.notify();
  }

  /** Marks the connection as closed. @param code WebSocket close code */
  end(code: number): void {
    this.code = code;
    this.notify();
  }

  /** See `RawClient.next`. */
  readonly next = async (): Promise<string> => {
    while (this.taken >= this.received.length) {
      if (this.code !== undefined) {
        throw new Error(`closed with ${this.code}: ${this.received.join("\n")}`);
      }
      await this.change();
    }
    this.taken += 1;
    return this.received[this.taken - 1] ?? "";
  };

  /** See `RawClient.rest`. */
  readonly rest = async (): Promise<{ frames: string[]; code: number }> => {
    while (this.code === undefined) await this.change();
    const frames = this.received.slice(this.taken);
    this.taken = this.received.length;
    return { frames, code: this.code };
  };

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.notify = resolve;
    });
  }
}
