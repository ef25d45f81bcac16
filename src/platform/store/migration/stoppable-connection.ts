import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../../core/log";

/** A connection for migrations, without a statement timeout. */
export interface MigrationConnection {
  /** Runs one or more statements as a simple query: in the open transaction, or in one implicit transaction. */
  exec(sql: string): Promise<unknown>;
  /** Runs one statement with parameters. */
  query<Row>(sql: string, values?: unknown[]): Promise<Row[]>;
  /**
   * Cancels the running statement. Absent if that is impossible: the embedded database runs a statement in this
   * process, which does nothing else until the statement has ended.
   */
  cancel?(): Promise<void>;
}

/**
 * A connection whose running statement is cancelled when a signal stops the work, and which then refuses further
 * statements with the reason of the signal.
 */
export class StoppableConnection implements MigrationConnection {
  private cancelled: Promise<void> | undefined;

  constructor(
    private readonly connection: MigrationConnection,
    private readonly log: Log,
    private readonly signal?: AbortSignal,
  ) {
    signal?.addEventListener("abort", this.cancelStatement);
  }

  /** Whether the signal has stopped the work. */
  get isStopped(): boolean {
    return this.signal?.aborted === true;
  }

  async exec(sql: string): Promise<unknown> {
    return this.run(() => this.connection.exec(sql));
  }

  async query<Row>(sql: string, values?: unknown[]): Promise<Row[]> {
    return this.run(() => this.connection.query<Row>(sql, values));
  }

  /** Waits some milliseconds without a statement. The signal ends it with its reason. */
  async pause(ms: number): Promise<void> {
    await this.run(() => sleep(ms, undefined, { signal: this.signal }));
  }

  /** Runs a statement that cleans up, even after the work was stopped. A failure is logged: the connection may be lost. */
  async cleanUp(sql: string, values?: unknown[]): Promise<void> {
    // A cancellation that arrives late would hit this statement.
    await this.cancelled;
    await this.connection.query(sql, values).catch((error: unknown) => {
      this.log.warn({ err: error, sql }, "the connection for migrations could not be cleaned up");
    });
  }

  /** Detaches from the signal, and waits for a cancellation that is under way. */
  async release(): Promise<void> {
    this.signal?.removeEventListener("abort", this.cancelStatement);
    await this.cancelled;
  }

  private readonly cancelStatement = (): void => {
    this.cancelled = this.connection.cancel?.().catch((error: unknown) => {
      this.log.warn({ err: error }, "the running statement could not be cancelled");
    });
  };

  private async run<T>(act: () => Promise<T>): Promise<T> {
    this.signal?.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      // The database's error for a cancelled statement says less.
      this.signal?.throwIfAborted();
      throw error;
    }
  }
}
