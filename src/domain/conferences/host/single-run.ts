/** Runs periodic work, but never twice at a time: what is due while it still runs is left out. */
export class SingleRun {
  private running: Promise<void> | null = null;

  /** @param onError called when the work rejects */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Starts the work, unless it still runs. */
  start(): void {
    this.running ??= this.work()
      .catch(this.onError)
      .finally(() => {
        this.running = null;
      });
  }

  /** Resolves when the work does not run any more. */
  async ended(): Promise<void> {
    await this.running;
  }
}
