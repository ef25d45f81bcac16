import PgBoss from "pg-boss";
import type { Log } from "../core/log";
import type { Store, Transaction } from "../store/store";
import type { Enqueue, JobHandler, JobOptions, Jobs, WorkOptions } from "./jobs";
import { Worker } from "./worker";

/** Milliseconds between two looks for jobs that nobody here was told of: other nodes', and retries. */
const POLL_MS = 5_000;

/** Seconds after which a job under way is held to be lost with its process, unless it says otherwise. */
const LEASE_SECONDS = 5 * 60;
/** The same of a job that is asked for every few seconds: nobody else does it until then. */
const SHORT_LEASE_SECONDS = 60;
/** Seconds between two looks for jobs that were lost so. */
const MAINTENANCE_SECONDS = 30;
/** Tries after the first; a job that was asked for is worth some minutes. */
const RETRIES = 5;
/** A job by the clock: one waits and one runs at most, and the next period is the second attempt. */
const BY_THE_CLOCK = "stately";
/** What is done is not kept for long: data of a job may be personal. */
const KEEP = { archiveCompletedAfterSeconds: 10 * 60, deleteAfterHours: 24 };

/** Where one node is alone, whatever is under way while it starts was lost with the process before. */
const RELEASE = `DELETE FROM pgboss.job WHERE state = 'active' AND policy = '${BY_THE_CLOCK}';
  UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE state = 'active';`;

/** Held while a queue is made. */
const QUEUES_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('signalbox.queues', 0))";

/** What {@link openJobs} needs. */
export interface JobsParts {
  store: Pick<Store, "execute" | "transaction">;
  log: Log;
  /** Whether no other node works on this database. */
  alone: boolean;
  /** Milliseconds between two looks for jobs; five seconds by default. */
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

  work<Data extends object>(
    name: string,
    handler: JobHandler<Data>,
    { concurrency = 1, everySeconds }: WorkOptions = {},
  ): void {
    if (this.workers.has(name)) throw new Error(`the jobs ${name} have a worker already`);
    const policy = everySeconds === undefined ? "standard" : BY_THE_CLOCK;
    const { log } = this.parts;
    this.workers.set(
      name,
      new Worker({
        ...{ name, concurrency, log, queue: () => this.queue(name, policy) },
        handler: (data) => handler(data as Data),
      }),
    );
    if (everySeconds !== undefined) this.askEvery(name, everySeconds);
  }

  async enqueue(
    name: string,
    data: object | readonly object[],
    options: JobOptions = {},
  ): Promise<void> {
    await this.send(await this.queue(name), name, data, sendOptions(options));
    this.workers.get(name)?.wake();
  }

  async transaction<T>(
    names: readonly string[],
    act: (transaction: Transaction, enqueue: Enqueue) => Promise<T>,
  ): Promise<T> {
    // Made before, since the embedded database has one connection.
    const bosses = new Map<string, PgBoss>();
    for (const name of names) bosses.set(name, await this.queue(name));
    const answer = await this.keep(
      this.parts.store.transaction((transaction) => {
        const db = { executeSql: transaction.execute };
        return act(transaction, async (name, data, options = {}) => {
          const boss = bosses.get(name);
          if (!boss) throw new Error(`the transaction was not begun for jobs ${name}`);
          await this.send(boss, name, data, { ...sendOptions(options), db });
        });
      }),
    );
    for (const name of names) this.workers.get(name)?.wake();
    return answer;
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

  /** Every node asks; the database takes one for each period. */
  private askEvery(name: string, everySeconds: number): void {
    const options = {
      expireInSeconds: Math.min(LEASE_SECONDS, Math.max(SHORT_LEASE_SECONDS, everySeconds)),
      retryLimit: 0,
      singletonSeconds: everySeconds,
    };
    this.every(everySeconds * 1000, () => {
      this.queue(name, BY_THE_CLOCK)
        .then((boss) => boss.send(name, {}, options))
        .then(() => this.workers.get(name)?.wake())
        .catch((error: unknown) =>
          this.parts.log.warn({ err: error, job: name }, "a scheduled job could not be asked for"),
        );
    });
  }

  private async send(
    boss: PgBoss,
    name: string,
    data: object | readonly object[],
    { startAfter, ...options }: SendOptions,
  ): Promise<void> {
    if (!Array.isArray(data)) {
      const id = await boss.send(name, data, { ...options, startAfter });
      if (id === null) throw new Error(`the job ${name} could not be put on the list`);
    } else if (data.length > 0) {
      const { db, ...each } = { ...options, startAfter: `${startAfter}` };
      const jobs = data.map((part: object) => ({ name, data: part, ...each }));
      await boss.insert(jobs, { db });
    }
  }

  /** The library, started, with the queue of this name; what failed is tried anew by the next call. */
  private async queue(name: string, policy: PgBoss.QueuePolicy = "standard"): Promise<PgBoss> {
    if (this.closed) throw new Error("the jobs are closed");
    this.started ??= this.start().catch((error: unknown) => {
      this.started = null;
      throw error;
    });
    const boss = await this.started;
    const made =
      this.queues.get(name) ??
      this.createQueue(name, policy).catch((error: unknown) => {
        this.queues.delete(name);
        throw error;
      });
    this.queues.set(name, made);
    await made;
    return boss;
  }

  /**
   * Makes the queue where there is none, one at a time among all nodes: pg-boss makes a table for each, and
   * of two that are made at once PostgreSQL ends one as a deadlock.
   */
  private createQueue(name: string, policy: PgBoss.QueuePolicy): Promise<void> {
    return this.keep(
      this.parts.store.transaction(async ({ execute }) => {
        await execute(QUEUES_LOCK);
        await execute("SELECT pgboss.create_queue($1, $2)", [name, JSON.stringify({ policy })]);
      }),
    );
  }

  private async start(): Promise<PgBoss> {
    const { store, log, alone } = this.parts;
    const executeSql = (text: string, values?: unknown[]) => this.keep(store.execute(text, values));
    const boss = new PgBoss({
      ...{ db: { executeSql }, schedule: false, maintenanceIntervalSeconds: MAINTENANCE_SECONDS },
      ...KEEP,
    });
    boss.on("error", (error) => log.warn({ err: error }, "the list of jobs could not be kept"));
    await boss.start();
    if (alone) await executeSql(RELEASE);
    return boss;
  }

  private keep<T>(statement: Promise<T>): Promise<T> {
    const end = () => this.statements.delete(statement);
    this.statements.add(statement);
    statement.then(end, end);
    return statement;
  }
}

/** How jobs are put on the list, and the transaction that they are put there in. */
type SendOptions = ReturnType<typeof sendOptions> & { db?: PgBoss.Db };

function sendOptions({ afterSeconds = 0, retries, leaseSeconds }: JobOptions) {
  return {
    startAfter: Math.ceil(afterSeconds),
    expireInSeconds: leaseSeconds ?? LEASE_SECONDS,
    retryLimit: retries ?? RETRIES,
    retryDelay: 5,
    retryBackoff: true,
  };
}
