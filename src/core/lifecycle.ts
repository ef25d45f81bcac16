import type { Log } from "./log";

/**
 * Resources that the process has opened. They are closed in reverse order, since later ones depend on
 * earlier ones.
 */
export class Lifecycle {
  private readonly steps: Array<{ name: string; close: () => Promise<void> | void }> = [];
  private closing: Promise<void> | null = null;

  constructor(private readonly log: Log) {}

  /** Registers how to close a resource that was just opened. */
  add(name: string, close: () => Promise<void> | void): void {
    this.steps.push({ name, close });
  }

  /** Closes everything once. A failure is logged, and the remaining resources are still closed. */
  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private async closeAll(): Promise<void> {
    for (const { name, close } of this.steps.reverse()) {
      try {
        await close();
      } catch (error) {
        this.log.error({ err: error }, `${name} could not be closed`);
      }
    }
  }
}
