import { Fault } from "../../../src/core/errors";
import type { Statement, Store, Transaction } from "../../../src/store/store";

/** When a statement fails: before it has run, or as its transaction commits, with a commit that succeeds. */
export type FailureMoment = "statement" | "commit";

/** Makes statements of a node's store fail, as if the connection to the database was lost. */
export class FailingStore {
  private failing: { name: string; moment: FailureMoment; left: number } | null = null;
  private failures = 0;
  private readonly query: Store["query"];
  private readonly transaction: Store["transaction"];

  constructor(private readonly store: Store) {
    this.query = store.query;
    this.transaction = store.transaction;
    store.query = (statement, values) => {
      this.fail(statement);
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
          if (this.failing?.moment === "commit") isLost ||= this.takes(statement);
          else this.fail(statement);
          return transaction.query(statement, values);
        },
      }),
    );
    if (isLost) throw unreachable();
    return result;
  }

  private fail(statement: Statement): void {
    if (this.failing?.moment === "statement" && this.takes(statement)) throw unreachable();
  }

  private takes({ name }: Statement): boolean {
    if (!this.failing || this.failing.name !== name || this.failing.left <= 0) return false;
    this.failing.left -= 1;
    this.failures += 1;
    return true;
  }
}

function unreachable(): Fault {
  return new Fault("UNAVAILABLE", "The database cannot be reached; try again", undefined, 2);
}
