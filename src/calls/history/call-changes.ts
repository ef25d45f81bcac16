import { CoalescingQueue, changedBatches, oneByOne } from "../../bus/coalescing-queue";
import { warnRarely } from "../../core/log";
import type { UserViewer } from "../../core/viewer";
import { type Call, type CallLoads, findCalls } from "./call-list";
import type { HistoryDeps } from "./history-deps";
import type { RecordedCall } from "./recorded-calls";

const channelOf = (userId: number) => `calls:${userId}`;

/** A changed call in a message on the bus. */
type ChangedCall = [id: number, callId: string];

/** Publishes changed calls to the subscriptions of their participants, on all nodes. */
export async function publishChanges(
  { bus, log }: Pick<HistoryDeps, "bus" | "log">,
  calls: readonly RecordedCall[],
): Promise<void> {
  const byUser = new Map<number, ChangedCall[]>();
  for (const { id, callId, callerId, callees } of calls) {
    for (const userId of [callerId, ...callees.keys()]) {
      if (userId === null) continue;
      const changed = byUser.get(userId);
      if (changed) changed.push([id, callId]);
      else byUser.set(userId, [[id, callId]]);
    }
  }
  try {
    await Promise.all(
      [...byUser].map(([userId, changed]) =>
        bus.publish(channelOf(userId), JSON.stringify(changed)),
      ),
    );
  } catch (error) {
    // Best effort: the calls are in the database, where clients can query them.
    warnRarely(log, { err: error }, "failed to publish changed calls");
  }
}

/**
 * Yields the viewer's calls whenever they change, or only those of one sessionID. The queue of a slow
 * subscriber is bounded by dropping changes, and not by disconnecting it, since other users determine the
 * number of calls.
 */
export async function watchCalls(
  deps: Pick<HistoryDeps, "bus"> & CallLoads,
  viewer: UserViewer,
  callId: string | null,
): Promise<AsyncIterableIterator<Call>> {
  let unsubscribe: () => Promise<void> = async () => undefined;
  const queue = new CoalescingQueue(() => void unsubscribe());
  unsubscribe = await deps.bus.subscribe(channelOf(viewer.userId), (message) => {
    if (message === "") return;
    for (const [id, name] of JSON.parse(message) as ChangedCall[]) {
      if (callId === null || name === callId) queue.add(id);
    }
  });
  return oneByOne(changedBatches(queue, (ids) => findCalls(deps, viewer.userId, ids)));
}
