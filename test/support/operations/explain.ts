import type { Statement, Store } from "../../../src/store/store";

/**
 * Wraps a store so that every statement is explained before it runs.
 * @param plans receives the query plans, by the statement's name
 */
export function explainStatements(
  { query }: Pick<Store, "query">,
  plans: Map<string, string>,
): Pick<Store, "query"> {
  return {
    async query<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
      plans.set(statement.name, await explain({ query }, statement.text, values));
      return query<Row>(statement, values);
    },
  };
}

/** The query plan of a statement, by EXPLAIN. */
export async function explain(
  { query }: Pick<Store, "query">,
  text: string,
  values: unknown[],
): Promise<string> {
  const statement = { name: "explain", text: `EXPLAIN ${text}` };
  const rows = await query<{ "QUERY PLAN": string }>(statement, values);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}
