import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import { isValidText } from "../../core/text/text";
import { USER_LIST_FIELDS, type UserListField } from "./user-filter";

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

/** A condition for the users after a position, or before it. */
export function beyond(
  { field, descending }: UserListOrder,
  { value, id }: UserPosition,
  side: "after" | "before",
  bind: BindValue,
): string {
  const { sql, type } = USER_LIST_FIELDS[field];
  const isAfter = side === "after";
  const idBound = `u.id ${isAfter !== (field === "id" && descending) ? ">" : "<"} ${bind(id, "bigint")}`;
  if (field === "id") return idBound;
  // Whether the users beyond have higher values: ascending after, or descending before.
  const higher = isAfter !== descending;
  if (value === null) {
    return higher ? `(${sql} IS NOT NULL OR ${idBound})` : `(${sql} IS NULL AND ${idBound})`;
  }
  const bound = bind(value, type);
  // The first comparison alone lets an index find the start.
  if (higher) return `(${sql} >= ${bound} AND (${sql} > ${bound} OR ${idBound}))`;
  return `(${sql} IS NULL OR (${sql} <= ${bound} AND (${sql} < ${bound} OR ${idBound})))`;
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
  const value = text === null ? null : readValue(order, text);
  return id === null || value === undefined ? undefined : { value, id };
}

/** A value that the field can be compared with, since clients can write cursors of their own. */
function readValue({ field }: UserListOrder, text: unknown): string | undefined {
  if (typeof text !== "string" || !isValidText(text)) return undefined;
  if (USER_LIST_FIELDS[field].type !== "timestamptz") return text;
  const ms = TIME.test(text) ? Date.parse(`${text.replace(" ", "T")}:00`) : Number.NaN;
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined;
}

/** A time of USER_LIST_FIELDS, to the second, as a session in UTC writes it. */
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00$/;

function orderName({ field, descending }: UserListOrder): string {
  return `${field} ${descending ? "desc" : "asc"}`;
}
