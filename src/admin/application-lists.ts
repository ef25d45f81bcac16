import { type Page, type PageRequest, readIdPage } from "../paging/page";
import {
  countLiveSessions,
  countSessionsOfUser,
  type OwnedSession,
  readLiveSessions,
  readSessionsOfUser,
} from "../sessions/application-session-queries";
import {
  type ApplicationUsersRequest,
  listUsersOfApplication,
} from "../users/lists/application-users";
import type { OwnedUser } from "../users/owned-user-queries";
import type { AdminDeps } from "./admin-deps";

/** Upper bound of a total: counting more would read as many rows. */
export const LIST_COUNT_MAX = 10_000;

/** Number of entries of a list. */
export interface Total {
  /** At most {@link LIST_COUNT_MAX}. */
  count: number;
  /** Whether the count is not capped. */
  exact: boolean;
}

/** A page of a list. `total` counts the list lazily, and only once. */
export interface CountedPage<T> extends Page<T> {
  total(): Promise<Total>;
}

/** A page of users with the cursor of each. */
export interface UserPageWithCursors extends CountedPage<OwnedUser> {
  cursorOf(user: OwnedUser): string;
}

/**
 * Lists the users of an application: all, or those that match; by id, or in an order of the V2 user list.
 * @throws Fault INVALID on the filter, the order or the arguments of the page
 */
export async function listApplicationUsers(
  { store }: Pick<AdminDeps, "store">,
  applicationId: number,
  request: ApplicationUsersRequest,
): Promise<UserPageWithCursors> {
  const page = await listUsersOfApplication({ store }, applicationId, request, LIST_COUNT_MAX + 1);
  const { list, hasNextPage, hasPreviousPage } = page;
  const indexes = new Map(list.users.map((user, index) => [user, index]));
  return {
    nodes: list.users,
    hasNextPage,
    hasPreviousPage,
    cursorOf: (user) => page.cursorAt(indexes.get(user) ?? 0),
    total: totalOf(() => list.total()),
  };
}

/** Lists the live sessions of an application, newest first. @throws Fault INVALID */
export async function listApplicationSessions(
  { store, clock }: Pick<AdminDeps, "store" | "clock">,
  applicationId: number,
  page: PageRequest,
): Promise<CountedPage<OwnedSession>> {
  const list = { applicationId, at: new Date(clock.now()) };
  const read = await readIdPage(page, true, (range) => readLiveSessions(store, list, range));
  const count = () => countLiveSessions(store, list, LIST_COUNT_MAX + 1);
  return { ...read, total: totalOf(count) };
}

/** Lists the live sessions of a user, newest first. @throws Fault INVALID */
export async function listSessionsOfOwnedUser(
  { store, clock }: Pick<AdminDeps, "store" | "clock">,
  userId: number,
  page: PageRequest,
): Promise<CountedPage<OwnedSession>> {
  const list = { userId, at: new Date(clock.now()) };
  const read = await readIdPage(page, true, (range) => readSessionsOfUser(store, list, range));
  const count = () => countSessionsOfUser(store, list, LIST_COUNT_MAX + 1);
  return { ...read, total: totalOf(count) };
}

/** Counts on the first call. */
function totalOf(read: () => Promise<number>): () => Promise<Total> {
  let counting: Promise<Total> | undefined;
  const count = async () => {
    const total = await read();
    return { count: Math.min(total, LIST_COUNT_MAX), exact: total <= LIST_COUNT_MAX };
  };
  return () => {
    counting ??= count();
    return counting;
  };
}
