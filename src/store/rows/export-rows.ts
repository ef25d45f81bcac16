import type { Statement, Store } from "../store";

/** Runs a statement that selects `row` as JSON. @returns the rows */
export async function exportRows(
  query: Store["query"],
  statement: Statement,
  values: unknown[],
): Promise<unknown[]> {
  return (await query<{ row: unknown }>(statement, values)).map(({ row }) => row);
}
