import { parseId } from "../../core/text/ids";
import type { Position } from "../../platform/store/rows/keyset";

/** A column that orders a list: its bounds, and how a cursor contains its values. */
export interface OrderColumn<V> {
  /** Before and after all values of entries. */
  lowest: V;
  highest: V;
  /** Writes a value; the text of all columns but the last contains no "-". */
  write(value: V): string;
  /** Reads a value; null if the text is not a value. */
  read(text: string): V | null;
  compare(a: V, b: V): number;
}

/** An id. */
export const ID: OrderColumn<number> = {
  lowest: 0,
  highest: Number.MAX_SAFE_INTEGER,
  write: String,
  read: parseId,
  compare: (a, b) => a - b,
};

const LATEST = new Date("9999-01-01T00:00:00Z");

/** A time, in milliseconds. */
export const TIME: OrderColumn<Date> = {
  lowest: new Date(0),
  highest: LATEST,
  write: (at) => String(at.getTime()),
  read(text) {
    const at = new Date(/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN);
    return at <= LATEST ? at : null;
  },
  compare: (a, b) => a.getTime() - b.getTime(),
};

type Values<Columns extends ReadonlyArray<OrderColumn<unknown>>> = {
  readonly [Index in keyof Columns]: Columns[Index] extends OrderColumn<infer V> ? V : never;
};

/** The positions of a list. */
export interface PositionOrder<P extends Position> {
  /** Whether the list begins with the highest position. */
  descending: boolean;
  /** Positions below and above all entries. */
  lowest: P;
  highest: P;
  /** The position that a cursor contains; null if it is not a cursor of this list. */
  decode(cursor: string): P | null;
  /** Compares positions, column by column; negative if `a` is lower. */
  compare(a: P, b: P): number;
}

/** The order of a list. A cursor contains the position of an entry, so that no new or deleted entry shifts a page. */
export interface ListOrder<T, P extends Position = Position> extends PositionOrder<P> {
  positionOf: (entry: T) => P;
  cursorOf: (entry: T) => string;
}

/**
 * Declares the order of a list by columns. The last one makes a position unique.
 * @param direction of all columns, from the first entry of the list on
 */
export function listOrder<T, const Columns extends ReadonlyArray<OrderColumn<unknown>>>(
  columns: Columns,
  direction: "ascending" | "descending",
  positionOf: (entry: T) => Values<Columns>,
): ListOrder<T, Values<Columns>> {
  const each = <R>(map: (column: OrderColumn<unknown>, index: number) => R) =>
    columns.map(map) as unknown as { [Index in keyof Columns]: R };
  return {
    descending: direction === "descending",
    lowest: each(({ lowest }) => lowest) as Values<Columns>,
    highest: each(({ highest }) => highest) as Values<Columns>,
    positionOf,
    cursorOf(entry) {
      const position = positionOf(entry);
      return columns.map(({ write }, index) => write(position[index])).join("-");
    },
    decode(cursor) {
      const parts = cursor.split("-");
      // Only the last column may contain the separator.
      const last = parts.splice(columns.length - 1).join("-");
      const values = columns.map(({ read }, index) => read(parts[index] ?? last));
      return values.includes(null) ? null : (values as unknown as Values<Columns>);
    },
    compare(a, b) {
      for (const [index, { compare }] of columns.entries()) {
        const difference = compare(a[index], b[index]);
        if (difference !== 0) return difference;
      }
      return 0;
    },
  };
}

/** By id, newest first. */
export const NEWEST_FIRST = listOrder([ID], "descending", ({ id }: { id: number }) => [id]);

/** By id, oldest first. */
export const OLDEST_FIRST = listOrder([ID], "ascending", ({ id }: { id: number }) => [id]);
