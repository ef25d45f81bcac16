import type { Statement, Store } from "./store";

/**
 * Reads all rows of a look-up in the order of their ids, a page at a time.
 * @param page answers the rows after the id `$1`, in their order, as many as a page has; none at the end
 */
export async function* everyRow<Row extends { id: number }>(
  store: Pick<Store, "query">,
  page: Statement,
): AsyncGenerator<Row> {
  for (let after = 0; ; ) {
    const rows = await store.query<Row>(page, [after]);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}
