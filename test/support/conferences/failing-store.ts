import { Fault } from "../../../src/core/errors";
import type { Statement, Store, Transaction } from "../../../src/platform/store/store";

/** When a statement fails: before it has run, or as its transaction commits, with a commit that succeeds. */
export type FailureMoment = "statement" | "commit";

interface Failing {
  name: string;
  moment: FailureMoment;
  /** How many statements fail. */
  left: number;
  /** The only first value with which statements fail, once there has been one. */
  only?: { value?: unknown };
}

/** Makes statements of a node's store fail, as if the connection to the database was lost. */
export class FailingStore {
  private failing: Failing | null = null;
  private failures = 0;
  private readonly query: Store["query"];
  private readonly transaction: Store["transaction"];

  constructor(private readonly store: Store) {
    this.query = store.query;
    this.transaction = store.transaction;
    store.query = (statement, values) => {
      this.fail(statement, values);
      return this.query(statement, values);
    };
    store.transaction = (act) => this.run(act);
  }

  /** Number of failures so far. */
  get count(): number {
    return this.failures;
  }

  /** Lets the next statements with this name fail. @param times how many; all when omitted */
  next(name: string, moment: FailureMoment = "statement", times = Number.POSITIVE_INFINITY): void {
    this.failing = { name, moment, left: times };
  }

  /** Lets the next statement with this name fail, and all others with the same first value. */
  nextWithItsLike(name: string): void {
    this.failing = { name, moment: "statement", left: Number.POSITIVE_INFINITY, only: {} };
  }

  /** Lets all statements succeed again. */
  stop(): void {
    this.failing = null;
  }

  /** Gives the store its own methods back. */
  restore(): void {
    this.store.query = this.query;
    this.store.transaction = this.transaction;
  }

  private async run<T>(act: (transaction: Transaction) => Promise<T>): Promise<T> {
    let isLost = false;
    const result = await this.transaction((transaction) =>
      act({
        ...transaction,
        query: (statement, values) => {
          if (this.failing?.moment === "commit") isLost ||= this.takes(statement, values);
          else this.fail(statement, values);
          return transaction.query(statement, values);
        },
      }),
    );
    if (isLost) throw unreachable();
    return result;
  }

  private fail(statement: Statement, values: unknown[]): void {
    if (this.failing?.moment === "statement" && this.takes(statement, values)) throw unreachable();
  }

  private takes({ name }: Statement, [value]: unknown[]): boolean {
    if (!this.failing || this.failing.name !== name || this.failing.left <= 0) return false;
    const { only } = this.failing;
    if (only) {
      only.value ??= value;
      if (only.value !== value) return false;
    }
    this.failing.left -= 1;
    this.failures += 1;
    return true;
  }
}

function unreachable(): Fault {
  return new Fault("UNAVAILABLE", "The database cannot be reached; try again", undefined, 2);
}
