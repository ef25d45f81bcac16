import type { MigrationConnection } from "../../../platform/store/migration/stoppable-connection";
import type { Store } from "../../../platform/store/store";

/** Runs prepared statements over a connection for migrations, as the command line has one. */
export function statementsOver(connection: MigrationConnection): Store["query"] {
  return ({ text }, values) => connection.query(text, values);
}
