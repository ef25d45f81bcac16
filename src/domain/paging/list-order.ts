import { parseId } from "../../core/text/ids";
import type { Position } from "../../platform/store/rows/keyset";

/** A value of a column that orders a list. */
type OrderValue = number | string | Date;

/** Maximum length of a cursor: a name of 128 characters takes 684. */
const CURSOR_MAX = 1_024;

/** A column that orders a list: its bounds, and how a cursor contains its values. */
export interface OrderColumn<V extends OrderValue> {
  /** Before and after all values of entries. */
  lowest: V;
  highest: V;
  /** Writes a value; the text of all columns but the last contains no "-". */
  write(value: V): string;
  /** Reads a value; null if the text is not a value. */
  read(text: string): V | null;
}

/** An id. */
export const ID: OrderColumn<number> = {
  lowest: 0,
  highest: Number.MAX_SAFE_INTEGER,
  write: String,
  read: parseId,
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
};

type Values<Columns extends ReadonlyArray<OrderColumn<OrderValue>>> = {
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
export function listOrder<T, const Columns extends ReadonlyArray<OrderColumn<OrderValue>>>(
  columns: Columns,
  direction: "ascending" | "descending",
  positionOf: (entry: T) => Values<Columns>,
): ListOrder<T, Values<Columns>> {
  const position = (values: OrderValue[]) => values as unknown as Values<Columns>;
  return {
    descending: direction === "descending",
    lowest: position(columns.map(({ lowest }) => lowest)),
    highest: position(columns.map(({ highest }) => highest)),
    positionOf,
    cursorOf(entry) {
      const values = positionOf(entry);
      return columns.map(({ write }, index) => write(values[index] as OrderValue)).join("-");
    },
    decode(cursor) {
      if (cursor.length > CURSOR_MAX) return null;
      const parts = cursor.split("-");
      // Only the last column may contain the separator.
      const last = parts.splice(columns.length - 1).join("-");
      const values = columns.map(({ read }, index) => read(parts[index] ?? last));
      return values.every((value) => value !== null) ? position(values) : null;
    },
    compare(a, b) {
      for (const index of columns.keys()) {
        const [one, other] = [a[index] as OrderValue, b[index] as OrderValue];
        if (one < other) return -1;
        if (one > other) return 1;
      }
      return 0;
    },
  };
}

/** By id, newest first. */
export const NEWEST_FIRST = listOrder([ID], "descending", ({ id }: { id: number }) => [id]);

/** By id, oldest first. */
export const OLDEST_FIRST = listOrder([ID], "ascending", ({ id }: { id: number }) => [id]);
