import type { Statement, Store } from "../store";

/**
 * Builds a statement that counts the rows of some applications together, and reads no more of them than a maximum.
 * @param rows FROM and WHERE for the rows of the application `g.id`; `$3` is a value of the caller
 */
export function cappedCount(name: string, rows: string): Statement {
  return {
    name,
    text: `SELECT count(*) AS total FROM (SELECT 1 FROM unnest($1::bigint[]) AS g(id)
      CROSS JOIN LATERAL (SELECT 1 ${rows} LIMIT $2) AS found LIMIT $2) AS counted`,
  };
}

/** Counts the rows of applications up to a maximum. */
export async function countUpTo(
  { query }: Pick<Store, "query">,
  statement: Statement,
  applicationIds: readonly number[],
  max: number,
  ...values: unknown[]
): Promise<number> {
  const [row] = await query<{ total: number }>(statement, [applicationIds, max, ...values]);
  return row?.total ?? 0;
}
