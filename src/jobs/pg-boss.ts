import PgBoss from "pg-boss";
import type { Log } from "../core/log";
import type { Store } from "../store/store";
import type { JobHandler, Jobs } from "./jobs";
import { Worker } from "./worker";

/** Milliseconds between two looks for jobs that nobody here was told of: other nodes', and retries. */
const POLL_MS = 5_000;

/** How jobs of a name are queued. The attempts go with each job, so that a new version may change them. */
interface Kind {
  policy: PgBoss.QueuePolicy;
  attempts: PgBoss.SendOptions;
}
/** Seconds after which a job under way is held to be lost with its process. */
const EXPIRY = { expireInSeconds: 5 * 60 };
/** A job that was asked for: worth trying again for some minutes. */
const DURABLE: Kind = {
  policy: "standard",
  attempts: { ...EXPIRY, retryLimit: 5, retryDelay: 5, retryBackoff: true },
};
/** A job by the clock: one waits and one runs at most, and the next period is the second attempt. */
const SCHEDULED: Kind = { policy: "stately", attempts: { ...EXPIRY, retryLimit: 0 } };
/** What is done is not kept for long: data of a job may be personal. */
const KEEP = { archiveCompletedAfterSeconds: 10 * 60, deleteAfterHours: 24 };

/** What {@link openJobs} needs. */
export interface JobsParts {
  store: Pick<Store, "execute">;
  log: Log;
  /** Milliseconds between two looks for jobs. */
  pollMs?: number;
}

/**
 * Opens the jobs of this node, at once: the tables (a schema `pgboss` beside the model) are made with
 * the first job or the first look, and while the database is away that is tried again.
 */
export function openJobs(parts: JobsParts): Jobs {
  return new QueuedJobs(parts);
}

class QueuedJobs implements Jobs {
  private readonly workers = new Map<string, Worker>();
  private readonly queues = new Map<string, Promise<void>>();
  private readonly timers: NodeJS.Timeout[] = [];
  /** Statements under way; the database is closed after the last of them. */
  private readonly statements = new Set<Promise<unknown>>();
  private started: Promise<PgBoss> | null = null;
  private closed = false;

  constructor(private readonly parts: JobsParts) {
    this.every(parts.pollMs ?? POLL_MS, () => {
      for (const worker of this.workers.values()) worker.wake();
    });
  }

  work<Data extends object>(name: string, handler: JobHandler<Data>): void {
    this.addWorker(name, DURABLE, (data) => handler(data as Data));
  }

  async enqueue(name: string, data: object): Promise<void> {
    const id = await this.send(name, data, DURABLE, {});
    if (id === null) throw new Error(`the job ${name} could not be put on the list`);
  }

  schedule(name: string, everySeconds: number, handler: () => Promise<void>): void {
    this.addWorker(name, SCHEDULED, handler);
    this.every(everySeconds * 1000, () => {
      // Every node asks; the database takes one for each period.
      this.send(name, {}, SCHEDULED, { singletonSeconds: everySeconds }).catch((error: unknown) =>
        this.parts.log.warn({ err: error, job: name }, "a scheduled job could not be asked for"),
      );
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all([...this.workers.values()].map((worker) => worker.stop()));
    const boss = await this.started?.catch(() => null);
    await boss?.stop({ graceful: false });
    await Promise.allSettled([...this.statements]);
  }

  private every(ms: number, act: () => void): void {
    this.timers.push(setInterval(act, ms).unref());
  }

  private addWorker(name: string, kind: Kind, handler: JobHandler<object>): void {
    if (this.workers.has(name)) throw new Error(`the jobs ${name} have a worker already`);
    const queue = () => this.queue(name, kind);
    this.workers.set(name, new Worker({ name, handler, log: this.parts.log, queue }));
  }

  private async send(
    name: string,
    data: object,
    kind: Kind,
    options: PgBoss.SendOptions,
  ): Promise<string | null> {
    const boss = await this.queue(name, kind);
    const id = await boss.send(name, data, { ...kind.attempts, ...options });
    this.workers.get(name)?.wake();
    return id;
  }

  /** The library, started, with the queue of this name; what failed is tried anew by the next call. */
  private async queue(name: string, { policy }: Kind): Promise<PgBoss> {
    if (this.closed) throw new Error("the jobs are closed");
    this.started ??= this.start().catch((error: unknown) => {
      this.started = null;
      throw error;
    });
    const boss = await this.started;
    const made =
      this.queues.get(name) ??
      boss.createQueue(name, { name, policy }).catch((error: unknown) => {
        this.queues.delete(name);
        throw error;
      });
    this.queues.set(name, made);
    await made;
    return boss;
  }

  private async start(): Promise<PgBoss> {
    const { store, log } = this.parts;
    const executeSql = (text: string, values?: unknown[]) => {
      const statement = store.execute(text, values);
      const end = () => this.statements.delete(statement);
      this.statements.add(statement);
      statement.then(end, end);
      return statement;
    };
    const boss = new PgBoss({ db: { executeSql }, schedule: false, ...KEEP });
    boss.on("error", (error) => log.warn({ err: error }, "the list of jobs could not be kept"));
    await boss.start();
    return boss;
  }
}
