import type { Statement, Store } from "../store";

/**
 * Streams all rows of a query in the order of their ids, page by page (keyset pagination).
 * @param page returns one page of rows with an id greater than `$1`, ordered by id
 */
export async function* streamRows<Row extends { id: number }>(
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
