import type PgBoss from "pg-boss";
import type { Log } from "../core/log";
import type { JobHandler } from "./jobs";

/** What {@link Worker} needs of the queue. */
export interface WorkerParts {
  name: string;
  handler: JobHandler<object>;
  log: Log;
  /** The queue, ready: its schema and the queue of this name are there. */
  queue: () => Promise<PgBoss>;
}

/**
 * Does the jobs of one name, one after another. pg-boss has workers of its own, but they do not wait
 * for what they write: a database away at that moment would end the process.
 */
export class Worker {
  private running: Promise<void> | null = null;
  private again = false;
  private stopped = false;

  constructor(private readonly parts: WorkerParts) {}

  /** Looks for jobs now, or once more after those under way. */
  wake(): void {
    if (this.stopped) return;
    if (this.running) {
      this.again = true;
      return;
    }
    this.running = this.drain().then(() => {
      this.running = null;
      if (!this.again) return;
      this.again = false;
      this.wake();
    });
  }

  /** Takes no more jobs; resolves when the one under way has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async drain(): Promise<void> {
    const { name, log, queue } = this.parts;
    try {
      const boss = await queue();
      while (!this.stopped) {
        const [job] = await boss.fetch<object>(name, { batchSize: 1 });
        if (job === undefined) return;
        await this.run(boss, job);
      }
    } catch (error) {
      // Left as it is: a job that was taken is offered again once its time has run out.
      log.warn({ err: error, job: name }, "jobs could not be taken or marked as done");
    }
  }

  private async run(boss: PgBoss, job: PgBoss.Job<object>): Promise<void> {
    const { name, handler, log } = this.parts;
    try {
      await handler(job.data);
    } catch (error) {
      log.error({ err: error, job: name, id: job.id }, "a job failed");
      const reason = error instanceof Error ? error.message : String(error);
      await boss.fail(name, job.id, { reason });
      return;
    }
    await boss.complete(name, job.id);
  }
}
