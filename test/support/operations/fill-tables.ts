import { execute } from "../../../scripts/services/postgres-server";
import type { Store } from "../../../src/platform/store/store";
import { databaseUrl } from "./database";

/** ANALYZE reads 300 rows of a table for each unit of this setting: 300,000, which are all rows of a test's table. */
const EXACT_STATISTICS = 1_000;

/**
 * Inserts the rows of a test into the PostgreSQL database of a store, and collects statistics of all of them for the
 * planner. By default ANALYZE samples 30,000 rows of a table at random, so a test of plans would see another plan in some
 * runs. It does not run in the store, whose timeout is for requests and would end a large insert on a busy machine.
 * @param statements SQL without values
 */
export async function fillTables(store: Store, statements: string[]): Promise<void> {
  const current = { name: "current_database", text: "SELECT current_database()::text AS name" };
  const [database] = await store.query<{ name: string }>(current, []);
  const url = databaseUrl(database?.name ?? "");
  for (const text of statements) await execute(url, text);
  const tables = await store.query<{ name: string }>(
    {
      name: "tables",
      text: "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
    },
    [],
  );
  // One by one: a transaction keeps the locks of its tables, and a whole database includes tables that all share.
  for (const { name } of tables) {
    await execute(url, `SET default_statistics_target = ${EXACT_STATISTICS}; ANALYZE ${name}`);
  }
}
