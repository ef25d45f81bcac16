import { Fault } from "../../../core/errors";
import { parseId } from "../../../core/text/ids";
import { isValidText } from "../../../core/text/text";
import { USER_LIST_FIELDS, type UserField, type UserListField } from "./user-filter";
import type { UserListPart } from "./user-list-queries";

/** The order of a user list: by one field, with ties by ascending id. Users without a value are the lowest. */
export interface UserListOrder {
  field: UserListField;
  descending: boolean;
}

/** The position of a user in a list of one order. */
export interface UserPosition {
  /** The value of the field as PostgreSQL writes it; null for a user without one, and in a list by id. */
  value: string | null;
  id: number;
}

/** A side of a position, on which the users of a page are. */
export interface UserRange {
  side: "after" | "before";
  position: UserPosition;
}

/** Adds a parameter to a statement; returns its placeholder. */
export type BindValue = (value: unknown, type: string) => string;

/** The ORDER BY of a list. @param backward from the end of the list */
export function orderBy({ field, descending }: UserListOrder, backward: boolean): string {
  const { sql } = USER_LIST_FIELDS[field];
  const ascending = descending === backward;
  if (field === "id") return `u.id ${ascending ? "ASC" : "DESC"}`;
  const direction = ascending ? "ASC NULLS FIRST" : "DESC NULLS LAST";
  return `${sql} ${direction}, u.id ${backward ? "DESC" : "ASC"}`;
}

/** The column of a position's value, as text; undefined in a list by id, whose positions have none. */
export function positionColumn({ field }: UserListOrder): string | undefined {
  return field === "id" ? undefined : `(${USER_LIST_FIELDS[field].sql})::text`;
}

/**
 * The parts of a list within ranges: the users without a value, and those with one. An index on the application,
 * the field and the id supplies the order of each part; no index supplies that of the whole list, because the ids
 * of users without a value ascend in a descending list too.
 * @param backward from the end of the list
 */
export function listParts(
  order: UserListOrder,
  ranges: readonly UserRange[],
  backward: boolean,
  bind: BindValue,
): UserListPart[] {
  const { field, descending } = order;
  const { sql, notNull, unindexed }: UserField = USER_LIST_FIELDS[field];
  const whole = orderBy(order, backward);
  if (field === "id") {
    const bounds = ranges.map(({ side, position: { id } }) =>
      idBound((side === "after") !== descending, id, bind),
    );
    return [{ sql: allOf(bounds), order: whole }];
  }
  if (unindexed && ranges.length === 0) return [{ sql: "TRUE", order: whole }];
  const parts: UserListPart[] = [];
  const ids = backward ? "DESC" : "ASC";
  if (
    !notNull &&
    ranges.every((range) => range.position.value === null || !isHigher(order, range))
  ) {
    const bounds = ranges.map((range) => boundWithoutValue(range, bind));
    // The value, which is null, is in the ORDER BY only because it precedes the id in the index.
    parts.push({ sql: allOf([`${sql} IS NULL`, ...bounds]), order: `${sql} ${ids}, u.id ${ids}` });
  }
  if (ranges.every((range) => range.position.value !== null || isHigher(order, range))) {
    const bounds = ranges.map((range) => boundWithValue(order, range, bind));
    if (!notNull) bounds.unshift(`${sql} IS NOT NULL`);
    const values = descending === backward ? "ASC" : "DESC";
    parts.push({ sql: allOf(bounds), order: `${sql} ${values}, u.id ${ids}` });
  }
  if (parts.length === 0) return [{ sql: "FALSE", order: whole }];
  if (unindexed) return [{ sql: `(${parts.map((part) => part.sql).join(" OR ")})`, order: whole }];
  return parts;
}

const allOf = (conditions: readonly string[]) => conditions.join(" AND ") || "TRUE";

const idBound = (greater: boolean, id: number, bind: BindValue) =>
  `u.id ${greater ? ">" : "<"} ${bind(id, "bigint")}`;

/** Whether the users of a range with other values have higher ones: ascending after, or descending before. */
const isHigher = ({ descending }: UserListOrder, { side }: UserRange) =>
  (side === "after") !== descending;

/** A condition for the users of a range that has users without a value, among these. */
function boundWithoutValue({ side, position }: UserRange, bind: BindValue): string {
  return position.value === null ? idBound(side === "after", position.id, bind) : "TRUE";
}

/** A condition for the users of a range that has users with a value, among these. */
function boundWithValue(order: UserListOrder, range: UserRange, bind: BindValue): string {
  const { value, id } = range.position;
  if (value === null) return "TRUE";
  const { sql, type } = USER_LIST_FIELDS[order.field];
  const compare = isHigher(order, range) ? ">" : "<";
  const bound = bind(value, type);
  if (!order.descending) return `(${sql}, u.id) ${compare} (${bound}, ${bind(id, "bigint")})`;
  // The first comparison alone lets an index find the start.
  const tied = idBound(range.side === "after", id, bind);
  return `${sql} ${compare}= ${bound} AND (${sql} ${compare} ${bound} OR ${tied})`;
}

/** Encodes a position as a cursor, which is valid in lists of the same order. */
export function encodeUserCursor(order: UserListOrder, { value, id }: UserPosition): string {
  return Buffer.from(JSON.stringify([orderName(order), id, value])).toString("base64url");
}

/** Decodes a cursor. @throws Fault INVALID on the argument, also for a cursor of another order */
export function decodeUserCursor(
  order: UserListOrder,
  argument: "after" | "before",
  cursor: string,
): UserPosition {
  const position = readCursor(order, cursor);
  if (!position) throw Fault.field(argument, "is not a cursor of a list in this order");
  return position;
}

function readCursor(order: UserListOrder, cursor: string): UserPosition | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 3 || parts[0] !== orderName(order))
    return undefined;
  const [, number, text] = parts as unknown[];
  const id = typeof number === "number" ? parseId(String(number)) : null;
  const value = readValue(order, text);
  return id === null || value === undefined ? undefined : { value, id };
}

/** A value that the field can be compared with, since clients can write cursors of their own. */
function readValue({ field }: UserListOrder, text: unknown): string | null | undefined {
  const { type, notNull }: UserField = USER_LIST_FIELDS[field];
  if (text === null) return field === "id" || !notNull ? null : undefined;
  if (typeof text !== "string" || !isValidText(text)) return undefined;
  if (type !== "timestamptz") return text;
  const ms = TIME.test(text) ? Date.parse(`${text.replace(" ", "T")}:00`) : Number.NaN;
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined;
}

/** A time of USER_LIST_FIELDS, to the second, as a session in UTC writes it. */
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00$/;

function orderName({ field, descending }: UserListOrder): string {
  return `${field} ${descending ? "desc" : "asc"}`;
}
