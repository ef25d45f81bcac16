import { warnRarely } from "../../../core/log";
import { mapStream, oneByOne } from "../../../core/map-stream";
import type { UserViewer } from "../../../core/viewer";
import { CoalescingQueue } from "../../../platform/bus/coalescing-queue";
import { type Watch, watchChanges } from "../../../platform/bus/watch-changes";
import {
  BY_START,
  type Call,
  type CallLoads,
  findApplicationCalls,
  findCalls,
  LIVE_STATES,
} from "./call-list";
import { type CallRow, listCallsOfApplication } from "./call-list-queries";
import type { CallState } from "./call-states";
import type { HistoryDeps } from "./history-deps";
import type { RecordedCall } from "./recorded-calls";

/** Maximum number of live calls that a subscription begins with: the newest. */
const LIVE_MAX = 1_000;

const userChannel = (userId: number) => `calls:${userId}`;
const applicationChannel = (applicationId: number) => `calls-of-application:${applicationId}`;

/** A changed call in a message to a user. */
type ChangedCall = [id: number, callId: string];

/** A message to the members who watch an application. */
interface ChangedCalls {
  /** Calls in a new state. */
  changed: number[];
  /** Calls with new signals. */
  seen: number[];
}

/**
 * Publishes changed calls to the subscriptions of their participants and of the members of their applications' accounts,
 * on all nodes: one message for each user and each application, however many subscribe.
 * @param changed calls in a new state
 * @param seen calls with new signals in their timelines, which only members watch
 */
export async function publishChanges(
  { bus, log }: Pick<HistoryDeps, "bus" | "log">,
  changed: readonly RecordedCall[],
  seen: readonly RecordedCall[] = [],
): Promise<void> {
  const messages = [...messagesToUsers(changed), ...messagesToApplications(changed, seen)];
  try {
    await Promise.all(
      messages.map(([channel, body]) => bus.publish(channel, JSON.stringify(body))),
    );
  } catch (error) {
    // Best effort: users query the database, and subscriptions of members compare with it.
    warnRarely(log, { err: error }, "failed to publish changed calls");
  }
}

function messagesToUsers(calls: readonly RecordedCall[]): Map<string, ChangedCall[]> {
  const messages = new Map<string, ChangedCall[]>();
  for (const { id, callId, callerId, callees } of calls) {
    for (const userId of [callerId, ...callees.keys()]) {
      if (userId === null) continue;
      const changed = messages.get(userChannel(userId));
      if (changed) changed.push([id, callId]);
      else messages.set(userChannel(userId), [[id, callId]]);
    }
  }
  return messages;
}

function messagesToApplications(
  changed: readonly RecordedCall[],
  seen: readonly RecordedCall[],
): Map<string, ChangedCalls> {
  const messages = new Map<string, ChangedCalls>();
  const messageOf = (applicationId: number) => {
    const channel = applicationChannel(applicationId);
    const message = messages.get(channel) ?? { changed: [], seen: [] };
    messages.set(channel, message);
    return message;
  };
  for (const { id, applicationId } of changed) messageOf(applicationId).changed.push(id);
  for (const { id, applicationId } of seen) messageOf(applicationId).seen.push(id);
  return messages;
}

/** Which calls of a user to watch; all when omitted. */
interface WatchedCalls {
  id?: number | null;
  /** The sessionID of their signals. */
  callId?: string | null;
}

/**
 * Yields the viewer's calls whenever they change. The queue of a slow subscriber is bounded by dropping changes, and not
 * by disconnecting it, since other users determine the number of calls.
 */
export async function watchCalls(
  deps: Pick<HistoryDeps, "bus"> & Pick<CallLoads, "calls">,
  viewer: UserViewer,
  { id = null, callId = null }: WatchedCalls = {},
): Promise<AsyncIterableIterator<Call>> {
  let unsubscribe: () => Promise<void> = async () => undefined;
  const queue = new CoalescingQueue(() => void unsubscribe());
  unsubscribe = await deps.bus.subscribe(userChannel(viewer.userId), (message) => {
    if (message === "") return;
    for (const [changedId, changedCallId] of JSON.parse(message) as ChangedCall[]) {
      if (id !== null && id !== changedId) continue;
      if (callId === null || callId === changedCallId) queue.add(changedId);
    }
  });
  return oneByOne(mapStream(queue, (ids) => findCalls(deps, viewer.userId, ids)));
}

/** Yields the live calls of an application, oldest first, then every call that changes its state, in batches. */
export function watchApplicationCalls(
  deps: HistoryDeps & CallLoads,
  applicationId: number,
): Promise<AsyncIterableIterator<Call[]>> {
  // What the subscriber believes to be live, so that it learns of changes that were missed.
  const live = new Map<number, CallState>();
  const findLive = () => deps.live.load(String(applicationId), () => readLive(deps, applicationId));
  return watch(deps, applicationId, null, {
    async current() {
      const page = await findLive();
      return [...live.keys(), ...page.map(({ id }) => id).reverse()];
    },
    async changed() {
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

/** Yields a call of an application, and again whenever it changes or its timeline grows, in batches. */
export function watchApplicationCall(
  deps: HistoryDeps & CallLoads,
  { id: callId, applicationId }: Call,
): Promise<AsyncIterableIterator<Call[]>> {
  let isLive = true;
  return watch(deps, applicationId, callId, {
    current: async () => [callId],
    // While it is live it is delivered as it is: also its timeline may have grown.
    changed: async () => (isLive ? [callId] : []),
    async load(ids) {
      const calls = await findApplicationCalls(deps, applicationId, ids);
      isLive = calls.some(({ endedAt }) => endedAt === null);
      return calls;
    },
  });
}

/** @param callId the only call to watch, also for new signals; null for every call, for its states */
function watch(
  deps: Pick<HistoryDeps, "bus" | "log">,
  applicationId: number,
  callId: number | null,
  source: Pick<Watch<Call>, "current" | "changed" | "load">,
): Promise<AsyncIterableIterator<Call[]>> {
  return watchChanges(deps, {
    ...source,
    channel: applicationChannel(applicationId),
    changedBy(message) {
      const { changed, seen } = JSON.parse(message) as ChangedCalls;
      return callId === null ? changed : [...changed, ...seen].filter((id) => id === callId);
    },
  });
}

function readLive(deps: Pick<HistoryDeps, "store">, applicationId: number): Promise<CallRow[]> {
  const listed = { applicationId, states: LIVE_STATES, userId: null };
  return listCallsOfApplication(deps.store, listed, {
    above: BY_START.lowest,
    below: BY_START.highest,
    descending: true,
    limit: LIVE_MAX,
  });
}
