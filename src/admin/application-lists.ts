import { Fault } from "../core/errors";
import { parseId } from "../core/text/ids";
import { PAGE_MAX } from "../paging/page";
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

/** Start and size of a page. */
export interface OffsetPageRequest {
  /** Id of the last entry seen; the page starts after it (keyset pagination). */
  after?: string | null;
  offset?: number | null;
  limit?: number | null;
}

/** Number of entries of a list. */
export interface Total {
  /** At most {@link LIST_COUNT_MAX}. */
  count: number;
  /** Whether the count is not capped. */
  exact: boolean;
}

/** A page of a list. `total` counts the list lazily, and only once. */
export interface OffsetPage<T> {
  nodes: T[];
  offset: number;
  limit: number;
  total(): Promise<Total>;
}

/**
 * Lists the users of an application by id: all, or those whose login or e-mail starts with a text
 * (case-insensitive).
 * @throws Fault INVALID on after, offset, limit or search
 */
export async function listApplicationUsers(
  { store }: Pick<AdminDeps, "store">,
  applicationId: number,
  request: OffsetPageRequest & { search?: string | null },
): Promise<OffsetPage<User>> {
  const { after = 0, offset, limit } = bounds(request);
  const search = request.search?.toLowerCase() || null;
  const list = { applicationId, search };
  const nodes = await readApplicationUsers(store, list, { after, offset, limit });
  const count = () => countApplicationUsers(store, list, LIST_COUNT_MAX + 1);
  return { nodes, offset, limit, total: totalOf(count) };
}

/** Lists the live sessions of an application, newest first. @throws Fault INVALID */
export async function listApplicationSessions(
  { store, clock }: Pick<AdminDeps, "store" | "clock">,
  applicationId: number,
  request: OffsetPageRequest,
): Promise<OffsetPage<OwnedSession>> {
  const { after = Number.MAX_SAFE_INTEGER, offset, limit } = bounds(request);
  const list = { applicationId, at: new Date(clock.now()) };
  const nodes = await readLiveSessions(store, list, { after, offset, limit });
  const count = () => countLiveSessions(store, list, LIST_COUNT_MAX + 1);
  return { nodes, offset, limit, total: totalOf(count) };
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

function bounds(request: OffsetPageRequest): { after?: number; offset: number; limit: number } {
  const { after: lastId } = request;
  const after = lastId === undefined || lastId === null ? undefined : parseId(lastId);
  if (after === null) throw Fault.field("after", "is not an id");
  const offset = request.offset ?? 0;
  if (offset < 0) throw Fault.field("offset", "must not be negative");
  const limit = request.limit ?? PAGE_MAX;
  if (limit < 1) throw Fault.field("limit", "must be at least 1");
  return { after, offset, limit: Math.min(limit, PAGE_MAX) };
}
