import type { Statement, Store } from "../store";

/** Interval between two purges of expired rows, in seconds. */
export const PURGE_SECONDS = 60;
/** Maximum number of rows that one statement deletes; keeps locks short. */
export const PURGE_BATCH = 500;

/** Builds a statement that deletes a batch of rows that expired by `$1`, by the index on expires_at. */
export const expiredRows = (table: string): Statement => ({
  name: `purge_${table}`,
  text: `DELETE FROM ${table} WHERE id = ANY(ARRAY(
      SELECT id FROM ${table} WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${PURGE_BATCH}
      FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
});

/** Runs a statement that deletes at most {@link PURGE_BATCH} rows until a batch is not full. */
export async function purgeRows(
  { query }: Pick<Store, "query">,
  statement: Statement,
  limit: Date | number,
): Promise<void> {
  for (;;) {
    const deleted = await query(statement, [limit]);
    if (deleted.length < PURGE_BATCH) return;
  }
}
