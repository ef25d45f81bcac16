import type { Statement, Store } from "../src/platform/store/store";

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

/** A node of an executed query plan. */
export interface PlanNode {
  type: string;
  /** The scanned table or the used index, of a scan. */
  relation?: string;
  index?: string;
  /** Rows that a scan read, or that another node returned, over all of its executions. */
  rows: number;
  /** Pages of tables and indexes that it and its parts read, also for index entries that are no rows. */
  pages: number;
}

/** Executes a statement; the nodes of its plan. */
export async function explainAnalyze(
  { query }: Pick<Store, "query">,
  text: string,
  values: unknown[],
): Promise<PlanNode[]> {
  const statement = {
    name: "explain",
    text: `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
  };
  const [row] = await query<{ "QUERY PLAN": string | Array<{ Plan: PlanTree }> }>(
    statement,
    values,
  );
  const found = row?.["QUERY PLAN"];
  const [root] = typeof found === "string" ? (JSON.parse(found) as never) : (found ?? []);
  return root ? planNodes(root.Plan) : [];
}

/** A node as EXPLAIN writes it. */
export interface PlanTree {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
  Plans?: PlanTree[];
}

/** All nodes of a plan as EXPLAIN writes it. */
export function planNodes(node: PlanTree): PlanNode[] {
  const removed =
    (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  const { "Relation Name": relation, "Index Name": index } = node;
  const rows = (node["Actual Rows"] + removed) * node["Actual Loops"];
  const pages = (node["Shared Hit Blocks"] ?? 0) + (node["Shared Read Blocks"] ?? 0);
  const own = { type: node["Node Type"], relation, index, rows, pages };
  return [own, ...(node.Plans ?? []).flatMap(planNodes)];
}
