import type { Statement, Store } from "../store";

/** Rows that one statement of an export reads; a row has at most 64 KB. */
export const EXPORT_WINDOW = 50;

/** A position in a list: the columns that it is ordered by, none of which is negative. */
export type ListPosition = readonly number[];

/** Some rows of a list, in its order. */
export interface ExportWindow {
  rows: unknown[];
  /** The position of the last row; null if there are no later rows. */
  next: ListPosition | null;
}

/** A list of what is stored of a user, which is read window by window. */
export interface ExportedList {
  /** Its name in the export, in the form of the database. */
  name: string;
  /** The number of columns of a position. */
  columns: number;
  /**
   * Reads the rows after a position.
   * @param after null for the beginning
   * @returns at most {@link EXPORT_WINDOW} rows, or the rows that belong to as many rows of another table
   * @throws Fault UNAVAILABLE if the database cannot be reached
   */
  read(query: Store["query"], userId: number, after: ListPosition | null): Promise<ExportWindow>;
}

/**
 * Makes a list of a statement, which is read by keyset pagination.
 * @param name of the list
 * @param statement returns `row` as JSON and `next`, an array with the position of the row. `$1` is the
 * user's id, then follow the columns of the position, then the maximum number of rows.
 * @param columns number of columns of a position
 */
export function exportedList(name: string, statement: Statement, columns = 1): ExportedList {
  const beginning = Array<number>(columns).fill(-1);
  return {
    name,
    columns,
    async read(query, userId, after) {
      const found = await query<{ row: unknown; next: number[] }>(statement, [
        userId,
        ...(after ?? beginning),
        EXPORT_WINDOW,
      ]);
      const rows = found.map(({ row }) => row);
      return { rows, next: rows.length < EXPORT_WINDOW ? null : (found.at(-1)?.next ?? null) };
    },
  };
}
