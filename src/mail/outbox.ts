import type { Log } from "../core/log";
import { MailRefused } from "./mail";

/** Items that wait at most, on a node. */
const WAITING_MAX = 1_000;
/** Milliseconds before the second, third, … try; then an item is given up. */
const RETRY_MS = [2_000, 10_000, 60_000, 300_000];

interface Entry<Work> {
  work: Work;
  /** Tries that failed. */
  failed: number;
}

/**
 * Work that is done behind an answer, in this process: bounded, one after the other, tried again when it fails.
 * What waits is lost with the process.
 */
export class Outbox<Work> {
  private readonly waiting: Entry<Work>[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private lane: Promise<void> | null = null;
  private run: ((work: Work) => Promise<void>) | null = null;

  /**
   * @param name of the work, for the log
   * @param retryMs pauses between tries
   */
  constructor(
    private readonly name: string,
    private readonly log: Log,
    private readonly retryMs: readonly number[] = RETRY_MS,
  ) {}

  /** Begins to work. `run` rejects to be called again later; with MailRefused it is not. */
  start(run: (work: Work) => Promise<void>): void {
    this.run = run;
    this.fill();
  }

  /** Takes work; false when too much waits already. */
  add(work: Work): boolean {
    if (this.waiting.length + this.timers.size >= WAITING_MAX) return false;
    this.push({ work, failed: 0 });
    return true;
  }

  /** Lets what is under way finish and drops the rest. */
  async close(): Promise<void> {
    this.run = null;
    const dropped = this.waiting.splice(0).length + this.timers.size;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    if (dropped > 0) this.log.warn({ work: this.name, dropped }, "work that waited was dropped");
    await this.lane;
  }

  private push(entry: Entry<Work>): void {
    this.waiting.push(entry);
    // Behind the answer, not in front of it.
    setImmediate(() => this.fill());
  }

  private fill(): void {
    if (this.run === null || this.lane !== null || this.waiting.length === 0) return;
    this.lane = this.drain(this.run).finally(() => {
      this.lane = null;
      this.fill();
    });
  }

  private async drain(run: (work: Work) => Promise<void>): Promise<void> {
    while (this.run === run) {
      const entry = this.waiting.shift();
      if (entry === undefined) return;
      try {
        await run(entry.work);
      } catch (error) {
        this.failed(entry, error);
      }
    }
  }

  private failed(entry: Entry<Work>, error: unknown): void {
    const pause = error instanceof MailRefused ? undefined : this.retryMs[entry.failed];
    if (pause === undefined || this.run === null) {
      this.log.error({ err: error, work: this.name }, "work was given up");
      return;
    }
    this.log.warn({ err: error, work: this.name }, "work failed and is tried again later");
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.push({ work: entry.work, failed: entry.failed + 1 });
    }, pause);
    timer.unref();
    this.timers.add(timer);
  }
}
