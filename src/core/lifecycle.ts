import type { Log } from "./log";

/**
 * What a process has opened, closed in the reverse order: what was opened last stands on what was
 * opened first.
 */
export class Lifecycle {
  private readonly steps: Array<{ name: string; close: () => Promise<void> | void }> = [];
  private closing: Promise<void> | null = null;

  constructor(private readonly log: Log) {}

  /** Notes how to close what was just opened. */
  add(name: string, close: () => Promise<void> | void): void {
    this.steps.push({ name, close });
  }

  /** Closes everything, once; what fails is logged and does not keep the rest open. */
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
