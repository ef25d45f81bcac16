/** The frames received over a connection, until it is closed. */
export class FrameQueue {
  /** All frames received so far. */
  readonly received: string[] = [];
  #taken = 0;
  #code: number | undefined;
  #wake = () => {};

  push(frame: string): void {
    this.received.push(frame);
    this.#wake();
  }

  /** Marks the connection as closed. @param code WebSocket close code */
  end(code: number): void {
    this.#code = code;
    this.#wake();
  }

  /** See `RawClient.next`. */
  readonly next = async (): Promise<string> => {
    while (this.#taken >= this.received.length) {
      if (this.#code !== undefined) {
        throw new Error(`closed with ${this.#code}: ${this.received.join("\n")}`);
      }
      await this.#change();
    }
    this.#taken += 1;
    return this.received[this.#taken - 1] ?? "";
  };

  /** See `RawClient.rest`. */
  readonly rest = async (): Promise<{ frames: string[]; code: number }> => {
    while (this.#code === undefined) await this.#change();
    const frames = this.received.slice(this.#taken);
    this.#taken = this.received.length;
    return { frames, code: this.#code };
  };

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
