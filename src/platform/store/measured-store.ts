import { Fault } from "../../core/errors";
import { type Metrics, setOnRead } from "../../core/metrics";
import type { Statement, Store } from "./store";

/** The metrics of a node's database. */
type DatabaseMetrics = Pick<
  Metrics,
  "databaseSeconds" | "databaseUnavailable" | "databaseConnections"
>;

/** A store whose statements outside of transactions and whose connections are measured. */
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
    ...store,
    query: <Row>(statement: Statement, values: unknown[]) =>
      measure(store.query<Row>(statement, values)),
    execute: (text, values) => measure(store.execute(text, values)),
  };
}
