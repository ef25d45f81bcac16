import type { Statement } from "../../store/store";
import type { User } from "../user";
import type { UserDeps } from "../user-deps";
import { toUser, USER_COLUMNS, type UserRow } from "../user-queries";

/** A page of users. */
export interface UserList {
  users: User[];
  offset: number;
  /** The applied limit. */
  limit: number;
  /** Counts all users that the filter matches, lazily. */
  total(): Promise<number>;
}

/** The SQL of a user list. */
export interface UserSelection {
  /** Name of the prepared statement; each distinct text of it is prepared once. */
  name: string;
  /** Condition over `u`; `$1` is the application, and the values start at `$2`. */
  where: string;
  /** ORDER BY, ending with a unique column. */
  order: string;
  values: unknown[];
}

/** Reads a page of users; with `counted`, the same statement also counts all of them. */
export async function readUserList(
  { store }: Pick<UserDeps, "store">,
  { name, where, order, values }: UserSelection,
  { offset, limit, withTotal }: { offset: number; limit: number; withTotal?: boolean },
): Promise<UserList> {
  const from = `FROM users u WHERE u.application_id = $1 AND ${where}`;
  const last = values.length;
  const totalColumn = withTotal ? `, (SELECT count(*) ${from}) AS total` : "";
  const list: Statement = {
    name,
    reason: "bench: 100 users by REST",
    text: `SELECT ${USER_COLUMNS}${totalColumn} ${from} ORDER BY ${order}
        LIMIT $${last + 1}::int OFFSET $${last + 2}::bigint`,
  };
  const rows = await store.query<UserRow & { total?: number }>(list, [...values, limit, offset]);
  const users = rows.map(toUser);
  const knownTotal = rows[0]?.total;
  return {
    users,
    offset,
    limit,
    async total() {
      if (knownTotal !== undefined) return knownTotal;
      // A page that is not full is the last one, so its end is the total.
      if (users.length < limit && (users.length > 0 || offset === 0)) return offset + users.length;
      const count: Statement = {
        name,
        reason: "set",
        text: `SELECT count(*) AS total ${from}`,
      };
      const [row] = await store.query<{ total: number }>(count, values);
      return row?.total ?? 0;
    },
  };
}
