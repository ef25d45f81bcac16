import type PgBoss from "pg-boss";
import type { Log } from "../core/log";
import type { JobHandler } from "./jobs";

/** What {@link Worker} needs of the queue. */
export interface WorkerParts {
  name: string;
  handler: JobHandler<object>;
  /** Jobs under way at once. */
  concurrency: number;
  log: Log;
  /** The queue, ready: its schema and the queue of this name are there. */
  queue: () => Promise<PgBoss>;
}

/**
 * Does the jobs of one name. pg-boss has workers of its own, but they do not wait for what they write:
 * a database away at that moment would end the process.
 */
export class Worker {
  /** The look for jobs under way. */
  private looking: Promise<void> | null = null;
  /** Jobs under way. */
  private readonly running = new Set<Promise<void>>();
  private again = false;
  private stopped = false;

  constructor(private readonly parts: WorkerParts) {}

  /** Looks for jobs now, or once more after the look under way. */
  wake(): void {
    if (this.stopped) return;
    if (this.looking) {
      this.again = true;
      return;
    }
    if (this.running.size >= this.parts.concurrency) return;
    this.looking = this.look().then((more) => {
      this.looking = null;
      const wake = more || this.again;
      this.again = false;
      if (wake) this.wake();
    });
  }

  /** Takes no more jobs; resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.looking;
    await Promise.all(this.running);
  }

  /** Takes as many jobs as may be begun; whether there may be more. */
  private async look(): Promise<boolean> {
    const { name, log, queue, concurrency } = this.parts;
    try {
      const boss = await queue();
      if (this.stopped) return false;
      const batchSize = concurrency - this.running.size;
      const jobs = await boss.fetch<object>(name, { batchSize });
      for (const job of jobs) {
        const run = this.run(boss, job).finally(() => {
          this.running.delete(run);
          this.wake();
        });
        this.running.add(run);
      }
      return jobs.length === batchSize;
    } catch (error) {
      log.warn({ err: error, job: name }, "jobs could not be taken");
      return false;
    }
  }

  /** Does a job and marks it; never throws. */
  private async run(boss: PgBoss, job: PgBoss.Job<object>): Promise<void> {
    const { name, handler, log } = this.parts;
    try {
      let failure: { reason: string } | null = null;
      try {
        await handler(job.data);
      } catch (error) {
        log.error({ err: error, job: name, id: job.id }, "a job failed");
        failure = { reason: error instanceof Error ? error.message : String(error) };
      }
      if (failure) await boss.fail(name, job.id, failure);
      else await boss.complete(name, job.id);
    } catch (error) {
      // Left as it is: a job that was taken is offered again once its time has run out.
      log.warn({ err: error, job: name }, "a job could not be marked as done");
    }
  }
}
