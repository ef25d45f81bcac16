import { Fault } from "../../core/errors";
import { type Metrics, setOnRead } from "../../core/metrics";
import { inSpan, isTraced } from "../../core/tracing";
import type { Statement, Store, Transaction } from "./store";

/** The metrics of a node's database. */
type DatabaseMetrics = Pick<
  Metrics,
  "databaseSeconds" | "databaseUnavailable" | "databaseConnections"
>;

/**
 * A store whose statements outside of transactions and whose connections are measured. In a sampled trace, each
 * statement and each transaction has a span.
 */
export function measured(store: Store, metrics: DatabaseMetrics): Store {
  const measure = async <T>(statement: Promise<T>): Promise<T> => {
    const end = metrics.databaseSeconds.startTimer();
    try {
      return await statement;
    } catch (error) {
      if (error instanceof Fault && error.code === "UNAVAILABLE") metrics.databaseUnavailable.inc();
      throw error;
    } finally {
      end();
    }
  };
  setOnRead(metrics.databaseConnections, () => {
    for (const [state, count] of Object.entries(store.connections() ?? {})) {
      metrics.databaseConnections.set({ state }, count);
    }
  });
  return {
    kind: store.kind,
    // Not copied: reading it creates the Prisma client.
    get db() {
      return store.db;
    },
    isDiskFull: () => store.isDiskFull(),
    connections: () => store.connections(),
    close: () => store.close(),
    query: <Row>(statement: Statement, values: unknown[]) =>
      isTraced()
        ? inStatementSpan(statement.name, () => measure(store.query<Row>(statement, values)))
        : measure(store.query<Row>(statement, values)),
    execute: (text, values) =>
      isTraced()
        ? inStatementSpan(LIBRARY, () => measure(store.execute(text, values)))
        : measure(store.execute(text, values)),
    transaction: (act) =>
      isTraced()
        ? inStatementSpan("transaction", () => store.transaction((open) => act(traced(open))))
        : store.transaction(act),
  };
}

/** The name of all statements of libraries, whose texts may contain values. */
const LIBRARY = "library statement";

/** Runs a statement in a span with its name, which has no text of users. */
function inStatementSpan<T>(name: string, run: () => Promise<T>): Promise<T> {
  return inSpan(name, "client", { "db.system.name": "postgresql", "db.query.summary": name }, run);
}

/** A transaction whose statements have spans. */
function traced(transaction: Transaction): Transaction {
  const { query, execute } = transaction;
  return {
    ...transaction,
    query: (statement, values) => inStatementSpan(statement.name, () => query(statement, values)),
    execute: (text, values) => inStatementSpan(LIBRARY, () => execute(text, values)),
  };
}
