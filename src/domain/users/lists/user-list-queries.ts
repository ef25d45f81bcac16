import type { Statement } from "../../../platform/store/store";
import type { User } from "../user";
import type { UserDeps } from "../user-deps";
import { toUser, USER_COLUMNS, type UserRow } from "../user-queries";

/** A page of users. */
export interface UserList {
  users: User[];
  /** The value of the ordering field of each user, as text; empty unless selected. */
  values: Array<string | null>;
  offset: number;
  /** The applied limit. */
  limit: number;
  /** Whether the list continues in the direction in which it was read; known if `withNext` was set. */
  hasMore: boolean;
  /** Counts all users that the filter matches, lazily; up to the selection's `countMax`. */
  total(): Promise<number>;
}

/** A part of a user list. */
export interface UserListPart {
  /** Condition over `u`. */
  sql: string;
  /** ORDER BY of the part, which agrees with that of the list. */
  order: string;
}

/** The SQL of a user list. */
export interface UserSelection {
  /** Name of the prepared statement; each distinct text of it is prepared once. */
  name: string;
  /** Whether a filter selects the users: the best plan then depends on its values, which match few users or many. */
  filtered?: boolean;
  /** Condition over `u`; `$1` is the application, and the values start at `$2`. */
  where: string;
  /** ORDER BY, ending with a unique column. */
  order: string;
  values: unknown[];
  /** The disjoint parts that the page is taken from; the whole list when omitted. */
  parts?: UserListPart[];
  /** The values of the cursors in `parts`, which follow `values`. When omitted, `parts` are the whole list. */
  cursorValues?: unknown[];
  /** The value of a user's position, as text. */
  position?: string;
  /** Where the total stops; a total without a bound reads all users that the filter matches. */
  countMax?: number;
  /** ORDER BY of a bounded total, whose index ends the read at the bound. */
  countOrder?: string;
}

/** The page of a selection. */
export interface SelectedPage {
  offset: number;
  limit: number;
  /** Whether the same statement counts all users that the filter matches. */
  withTotal?: boolean;
  /** Whether to find out whether more users follow. */
  withNext?: boolean;
}

interface PageColumns {
  total?: number;
  position?: string | null;
}

/** Reads a page of users. */
export async function readUserList(
  { store }: Pick<UserDeps, "store">,
  selection: UserSelection,
  { offset, limit, withTotal, withNext }: SelectedPage,
): Promise<UserList> {
  const { name, filtered, where, order, values, parts, cursorValues, position, countMax } =
    selection;
  const all = `FROM users u WHERE u.application_id = $1 AND ${where}`;
  const bound = [...values, ...(cursorValues ?? [])];
  const limitParameter = `$${bound.length + 1}::int`;
  const offsetParameter = `$${bound.length + 2}::bigint`;
  const ordered = (part: UserListPart) => `${all} AND ${part.sql} ORDER BY ${part.order}`;
  const [first = { sql: "TRUE", order }, ...others] = parts ?? [];
  // Each part ends at the page's end, so that its index ends the read. The outer sort has these users only.
  const selected = [first, ...others].map(
    (part) => `(SELECT u.* ${ordered(part)} LIMIT ${limitParameter} + ${offsetParameter})`,
  );
  const from =
    others.length === 0
      ? ordered(first)
      : `FROM (${selected.join(" UNION ALL ")}) u ORDER BY ${order}`;
  const totalColumn = withTotal ? `, (SELECT count(*) ${all}) AS total` : "";
  const positionColumn = position ? `, ${position} AS position` : "";
  const list: Statement = {
    name,
    text: `SELECT ${USER_COLUMNS}${totalColumn}${positionColumn} ${from}
        LIMIT ${limitParameter} OFFSET ${offsetParameter}`,
    unprepared: filtered,
  };
  const wanted = withNext ? limit + 1 : limit;
  const found = await store.query<UserRow & PageColumns>(list, [...bound, wanted, offset]);
  const rows = found.length > limit ? found.slice(0, limit) : found;
  const knownTotal = rows[0]?.total;
  return {
    users: rows.map(toUser),
    values: position ? rows.map((row) => row.position ?? null) : [],
    offset,
    limit,
    hasMore: found.length > limit,
    async total() {
      if (knownTotal !== undefined) return knownTotal;
      // A page that is not full is the last one, so its end is the total.
      const isEnd = !cursorValues && rows.length < limit && (rows.length > 0 || offset === 0);
      if (isEnd) return offset + rows.length;
      const count: Statement = {
        name,
        text: `SELECT count(*) AS total ${countMax === undefined ? all : counted(selection, all)}`,
        unprepared: filtered,
      };
      const bounds = countMax === undefined ? [] : [countMax];
      const [row] = await store.query<{ total: number }>(count, [...values, ...bounds]);
      return row?.total ?? 0;
    },
  };
}

/** The FROM of a bounded count. */
function counted({ countOrder, values }: UserSelection, all: string): string {
  const order = countOrder === undefined ? "" : `ORDER BY ${countOrder}`;
  return `FROM (SELECT 1 ${all} ${order} LIMIT $${values.length + 1}::int) AS counted`;
}
