import type { Statement, Store } from "../store";

/** A position in a list: the values of the columns that order it. The last one makes it unique. */
export type Position = readonly unknown[];

/** A part of an ordered list, to be read from one end. */
export interface KeysetRange<P extends Position = Position> {
  /** Bounds, exclusive. */
  above: P;
  below: P;
  /** Whether to read from the highest position down. */
  descending: boolean;
  limit: number;
}

/** A part of a list by id. */
export type IdRange = KeysetRange<readonly [id: number]>;

/** A part of a list by time; the id orders what happened at the same time. */
export type TimeIdRange = KeysetRange<readonly [at: Date, id: number]>;

/** The statements of a list, one for each direction, since a plan is for one direction. */
export interface KeysetStatements {
  ascending: Statement;
  descending: Statement;
}

/** The parts of a statement that depend on the range. */
export interface KeysetSql {
  /** The condition that a row is between the bounds. */
  within: string;
  /** ORDER BY the columns. */
  order: string;
  direction: "ASC" | "DESC";
  /** The placeholder of the limit. */
  limit: string;
}

/** How a list is ordered, and where its statements have the range. */
export interface KeysetOptions {
  name: string;
  /** Number of parameters of the list itself, which precede those of the range. */
  values: number;
  /**
   * The columns of the order, each with the value that it is compared with: `?` is the placeholder. A value without `?`
   * is the same for both bounds. With the leading columns of an index in the comparison, the planner reads that index;
   * with an equality beside it, it may read the primary key past the rows of all others.
   */
  columns: Readonly<Record<string, string>>;
}

/**
 * Declares the statements that read ranges of an ordered list (keyset pagination).
 * @param text the statement for one direction
 */
export function keyset(
  { name, values, columns }: KeysetOptions,
  text: (sql: KeysetSql) => string,
): KeysetStatements {
  const names = Object.keys(columns);
  let parameters = values;
  const bound = () =>
    rowOf(Object.values(columns).map((value) => value.replace("?", () => `$${++parameters}`)));
  const above = bound();
  const within = `${rowOf(names)} > ${above} AND ${rowOf(names)} < ${bound()}`;
  const limit = `$${parameters + 1}::int`;
  const inDirection = (direction: KeysetSql["direction"]) => {
    const order = names.map((column) => `${column} ${direction}`).join(", ");
    return text({ within, order, direction, limit });
  };
  return {
    descending: { name, text: inDirection("DESC") },
    ascending: { name: `${name}_ascending`, text: inDirection("ASC") },
  };
}

/**
 * Reads a range of a list, in its direction.
 * @param values the parameters of the list itself
 * @throws Fault UNAVAILABLE if the database cannot be reached
 */
export function readRange<Row extends object>(
  query: Store["query"],
  { ascending, descending: down }: KeysetStatements,
  values: readonly unknown[],
  { above, below, descending, limit }: KeysetRange,
): Promise<Row[]> {
  return query<Row>(descending ? down : ascending, [...values, ...above, ...below, limit]);
}

function rowOf(columns: readonly string[]): string {
  return columns.length === 1 ? String(columns[0]) : `(${columns.join(", ")})`;
}
