import type { Store } from "../../../src/store/store";

/** ANALYZE reads 300 rows of a table for each unit of this setting: 300,000, which are all rows of a test's table. */
const EXACT_STATISTICS = 1_000;

/**
 * Inserts the rows of a test, and collects statistics of all of them for the planner. By default ANALYZE samples
 * 30,000 rows of a table at random, so a test of plans would see another plan in some runs.
 * @param statements SQL without values
 */
export async function fillTables(store: Store, statements: string[]): Promise<void> {
  for (const text of statements) await store.execute(text);
  const tables = await store.query<{ name: string }>(
    {
      name: "tables",
      text: "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
    },
    [],
  );
  // One by one: a transaction keeps the locks of its tables, and a whole database includes tables that all share.
  for (const { name } of tables) {
    await store.transaction(async ({ execute }) => {
      await execute(`SET LOCAL default_statistics_target = ${EXACT_STATISTICS}`);
      await execute(`ANALYZE ${name}`);
    });
  }
}
