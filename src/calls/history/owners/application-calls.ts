import { Fault } from "../../../core/errors";
import { ListLoader } from "../../../core/loads/batch-loader";
import { SharedLoads } from "../../../core/loads/shared-loads";
import { parseId } from "../../../core/text/ids";
import type { Page, PageRequest } from "../../../paging/page";
import { readTimePage, type TimeFilter } from "../../../paging/time-page";
import { watchApplicationCalls } from "../application-changes";
import { type Call, type CallLoads, type CallWithCallees, withCallees } from "../call-list";
import type { CallState } from "../call-states";
import type { HistoryDeps } from "../history-deps";
import { findTimeLines, type TimeLineRow } from "../timeline/time-line-queries";
import { type ApplicationCallRow, listCallsOfApplication } from "./application-call-queries";
import { type CallEndReason, endReasonOf } from "./end-reason";

/** A call as the owners of its application see it. */
export interface ApplicationCall extends Call {
  endReason: CallEndReason | null;
  timeLineTruncated: boolean;
}

/** Which calls of an application to list, and the page. */
export interface ApplicationCallRequest extends PageRequest, TimeFilter {
  states?: CallState[] | null;
  userId?: string | null;
}

/** What the owners' subscriptions and lists of a node share. */
export interface OwnerCallLoads extends CallLoads {
  /** The live calls of applications, newest first. */
  live: SharedLoads<ApplicationCallRow[]>;
  /** The time lines of calls, in the order of their signals. */
  timeLines: ListLoader<TimeLineRow>;
}

/** Opens the loads of a node. */
export function openOwnerCallLoads(
  { store }: Pick<HistoryDeps, "store">,
  loads: CallLoads,
): OwnerCallLoads {
  const timeLines = new ListLoader<TimeLineRow>(
    (ids) => findTimeLines(store, ids),
    (row) => row.call_id,
  );
  return { ...loads, live: new SharedLoads(), timeLines };
}

const LIVE: CallState[] = ["ringing", "accepted"];
const STATES: CallState[] = [...LIVE, "rejected", "hung_up", "missed", "failed"];
/** Maximum number of live calls that a subscription begins with: the newest. */
const LIVE_MAX = 1_000;
/** How long after the first `accept` candidates count as part of connecting, in milliseconds. */
const CONNECT_MS = 30_000;

/**
 * Returns a page of the calls of an application, newest first.
 * @throws Fault INVALID as {@link readTimePage}, and on `userId`
 */
export async function listApplicationCalls(
  deps: HistoryDeps,
  applicationId: number,
  { states, userId, since, until, ...page }: ApplicationCallRequest,
): Promise<Page<ApplicationCall>> {
  const listed = {
    applicationId,
    states: states ? [...new Set(states)] : STATES,
    userId: readUserId(userId),
  };
  const { nodes, ...neighbours } = await readTimePage(page, { since, until }, (range) =>
    listCallsOfApplication(deps.store, listed, range),
  );
  const calls = await withCallees(deps, nodes);
  return { nodes: calls.map(toApplicationCall), ...neighbours };
}

/** Finds a call of an application by the id of its record; null if the application has no such call. */
export async function findApplicationCall(
  deps: CallLoads,
  applicationId: number,
  id: string,
): Promise<ApplicationCall | null> {
  const parsed = parseId(id);
  if (parsed === null) return null;
  const [call] = await findApplicationCalls(deps, applicationId, [parsed]);
  return call ?? null;
}

/** Yields the live calls of an application, oldest first, then every call that changes its state, in batches. */
export function watchLiveCalls(
  deps: HistoryDeps & OwnerCallLoads,
  applicationId: number,
): Promise<AsyncIterableIterator<ApplicationCall[]>> {
  // What the subscriber believes to be live, so that it learns of changes that were missed.
  const live = new Map<number, CallState>();
  const findLive = () => {
    const listed = { applicationId, states: LIVE, userId: null };
    return deps.live.load(String(applicationId), () =>
      readLive((range) => listCallsOfApplication(deps.store, listed, range)),
    );
  };
  return watchApplicationCalls<ApplicationCall>(deps, {
    applicationId,
    callId: null,
    async present() {
      const page = await findLive();
      return [...live.keys(), ...page.map(({ id }) => id).reverse()];
    },
    async stale() {
      const page = await findLive();
      const stored = new Map(page.toReversed().map(({ id, state }) => [id, state]));
      // A call that is not live any more has no state here, and is read by its id.
      return [...live.keys(), ...stored.keys()].filter((id) => live.get(id) !== stored.get(id));
    },
    async load(ids) {
      const calls = await findApplicationCalls(deps, applicationId, ids);
      for (const id of ids) live.delete(id);
      for (const { id, endedAt, state } of calls) {
        if (endedAt === null) live.set(id, state);
        const [oldest] = live.keys();
        if (live.size > LIVE_MAX && oldest !== undefined) live.delete(oldest);
      }
      return calls;
    },
  });
}

/** Yields a call, and again whenever it changes or its time line grows. @throws Fault NOT_FOUND */
export async function watchApplicationCall(
  deps: HistoryDeps & CallLoads,
  applicationId: number,
  id: string,
): Promise<AsyncIterableIterator<ApplicationCall[]>> {
  const call = await findApplicationCall(deps, applicationId, id);
  if (!call) throw new Fault("NOT_FOUND", "There is no such call");
  let isLive = true;
  return watchApplicationCalls(deps, {
    applicationId,
    callId: call.id,
    present: async () => [call.id],
    // While it is live it is delivered as it is: also its time line may have grown.
    stale: async () => (isLive ? [call.id] : []),
    async load(ids) {
      const calls = await findApplicationCalls(deps, applicationId, ids);
      isLive = calls.some(({ endedAt }) => endedAt === null);
      return calls;
    },
  });
}

/** Seconds from the first `call` to the first `accept`; null if nobody accepted. */
export function answerSeconds({ startedAt, acceptedAt }: Call): number | null {
  return acceptedAt === null ? null : (acceptedAt.getTime() - startedAt.getTime()) / 1000;
}

/**
 * Seconds from the first `accept` to the last candidates that were sent soon after it; null without any. Signals say no
 * more about the media.
 */
export function connectSeconds(
  { acceptedAt }: Call,
  timeLine: readonly TimeLineRow[],
): number | null {
  if (acceptedAt === null) return null;
  const times = timeLine
    .filter(({ kind }) => kind === "iceCandidates")
    .map(({ first_at: first, last_at: last }) => ({
      first: first.getTime() - acceptedAt.getTime(),
      last: last.getTime() - acceptedAt.getTime(),
    }))
    .filter(({ first, last }) => last >= 0 && first <= CONNECT_MS)
    .map(({ last }) => last);
  return times.length > 0 ? Math.max(...times) / 1000 : null;
}

async function readLive(
  read: (range: Parameters<typeof listCallsOfApplication>[2]) => Promise<ApplicationCallRow[]>,
): Promise<ApplicationCallRow[]> {
  const bounds = {
    above: { at: new Date(0), id: 0 },
    below: { at: new Date("9999-01-01"), id: 0 },
  };
  return read({ ...bounds, descending: true, limit: LIVE_MAX });
}

async function findApplicationCalls(
  { calls }: CallLoads,
  applicationId: number,
  ids: number[],
): Promise<ApplicationCall[]> {
  return (await calls.loadAll(ids))
    .filter(({ row }) => row.application_id === applicationId)
    .map(toApplicationCall);
}

function toApplicationCall({
  call,
  callees,
  row,
}: CallWithCallees<ApplicationCallRow>): ApplicationCall {
  return {
    ...call,
    endReason: endReasonOf(call, callees),
    timeLineTruncated: row.signals_truncated,
  };
}

/** @throws Fault INVALID */
function readUserId(userId: string | null | undefined): number | null {
  if (userId === null || userId === undefined) return null;
  const id = parseId(userId);
  if (id === null) throw Fault.field("userId", "must be the id of a user");
  return id;
}
