import type { UserData } from "../../../src/domain/users/user-deps";
import type { Store } from "../../../src/platform/store/store";

/** Reads all lists that modules export of a user, completely, by name. */
export async function readExports(
  modules: readonly Pick<UserData, "exports">[],
  query: Store["query"],
  userId: number,
): Promise<Record<string, unknown[]>> {
  const lists: Record<string, unknown[]> = {};
  for (const { name, read } of modules.flatMap((module) => module.exports)) {
    const rows: unknown[] = [];
    lists[name] = rows;
    for (let window = await read(query, userId, null); ; ) {
      rows.push(...window.rows);
      if (window.next === null) break;
      window = await read(query, userId, window.next);
    }
  }
  return lists;
}
