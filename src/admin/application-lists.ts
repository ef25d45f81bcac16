import { type Page, type PageRequest, readIdPage } from "../paging/page";
import {
  countLiveSessions,
  type OwnedSession,
  readLiveSessions,
} from "../sessions/application-session-queries";
import {
  countApplicationUsers,
  readApplicationUsers,
} from "../users/lists/application-user-queries";
import type { User } from "../users/user";
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

/**
 * Lists the users of an application by id: all, or those whose login or e-mail starts with a text
 * (case-insensitive).
 * @throws Fault INVALID on the arguments of the page
 */
export async function listApplicationUsers(
  { store }: Pick<AdminDeps, "store">,
  applicationId: number,
  { search: text, ...page }: PageRequest & { search?: string | null },
): Promise<CountedPage<User>> {
  const list = { applicationId, search: text?.toLowerCase() || null };
  const read = await readIdPage(page, false, (range) => readApplicationUsers(store, list, range));
  const count = () => countApplicationUsers(store, list, LIST_COUNT_MAX + 1);
  return { ...read, total: totalOf(count) };
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
