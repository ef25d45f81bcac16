import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import type { ExportedList, ListPosition } from "../../platform/store/rows/exported-list";
import { exportUserRow } from "./user-change-queries";
import { ownUserData } from "./user-data";
import type { UserDeps } from "./user-deps";
import { findUser } from "./user-queries";

/** Rows and characters of JSON after which a page ends; a page exceeds them by less than one window of a list. */
const PAGE_ROWS = 1_000;
const PAGE_CHARACTERS = 1_048_576;
/** The name of a list, and a position in it. */
const CURSOR = /^([a-z_]{1,40})\.(\d{1,16}(?:-\d{1,16}){0,2})$/;

/** A page of the export of a user. */
export interface UserExportPage {
  /**
   * Rows by list, in camelCase. The first page also has the row of the user as `user`. A list that continues on the next
   * page continues there under the same name.
   */
  export: Record<string, unknown>;
  /** The cursor of the next page; null on the last one. */
  endCursor: string | null;
}

/** Where a page begins: after a position of one of the lists. */
interface ExportStart {
  list: number;
  after: ListPosition | null;
}

/**
 * Exports all data of a user, by table and column in camelCase, page by page. The size of a page is bounded, since other
 * users decide how many calls and pushes a user has. Rows that change between two pages are read as they are then.
 * Excludes hashes of passwords and tokens, and the data of other users: their participation in calls, and the deliveries
 * to their devices.
 * @param after the cursor of an earlier page; null for the first page
 * @throws Fault NOT_FOUND, INVALID on `after`
 */
export async function exportUser(
  deps: Pick<UserDeps, "store" | "userData">,
  applicationId: number,
  userId: string,
  after: string | null = null,
): Promise<UserExportPage> {
  const { query } = deps.store;
  const id = parseId(userId);
  if (id === null || (await findUser(deps, applicationId, { id: userId })) === null) {
    throw new Fault("NOT_FOUND", "There is no such user");
  }
  const lists = [ownUserData, ...deps.userData].flatMap((module) => module.exports);
  const start = after === null ? { list: 0, after: null } : decodeCursor(lists, after);
  const page: Record<string, unknown> =
    after === null ? { user: camelCase(await exportUserRow(query, id)) } : {};
  let rows = 0;
  let characters = 0;
  for (const [index, list] of lists.entries()) {
    if (index < start.list) continue;
    const listed: unknown[] = [];
    page[camelName(list.name)] = listed;
    for (let position = index === start.list ? start.after : null; ; ) {
      const window = await list.read(query, id, position);
      for (const row of window.rows) listed.push(camelCase(row));
      rows += window.rows.length;
      characters += JSON.stringify(window.rows).length;
      position = window.next;
      if (position === null) break;
      if (rows >= PAGE_ROWS || characters >= PAGE_CHARACTERS) {
        return { export: page, endCursor: `${list.name}.${position.join("-")}` };
      }
    }
  }
  return { export: page, endCursor: null };
}

/** @throws Fault INVALID on `after` */
function decodeCursor(lists: readonly ExportedList[], cursor: string): ExportStart {
  const [, name, columns = ""] = CURSOR.exec(cursor) ?? [];
  const after = columns.split("-").map(Number);
  const list = lists.findIndex((each) => each.name === name);
  if (lists[list]?.columns !== after.length || !after.every(Number.isSafeInteger)) {
    throw Fault.field("after", "is not a cursor of this export");
  }
  return { list, after };
}

/** Columns with a client's own JSON, whose keys are not converted. */
const VERBATIM = new Set(["selector"]);

function camelName(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function camelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      camelName(name),
      VERBATIM.has(name) ? field : camelCase(field),
    ]),
  );
}
