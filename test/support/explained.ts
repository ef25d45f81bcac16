import type { Statement, Store } from "../../src/store/store";

/**
 * A store whose statements are explained before they run.
 * @param plans takes how the database answers each, by its name
 */
export function explained(
  { query }: Pick<Store, "query">,
  plans: Map<string, string>,
): Pick<Store, "query"> {
  return {
    async query<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
      plans.set(statement.name, await planOf({ query }, statement.text, values));
      return query<Row>(statement, values);
    },
  };
}

/** How the database would answer a statement, in its own words. */
export async function planOf(
  { query }: Pick<Store, "query">,
  text: string,
  values: unknown[],
): Promise<string> {
  const statement = { name: "explain", text: `EXPLAIN ${text}` };
  const rows = await query<{ "QUERY PLAN": string }>(statement, values);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}
