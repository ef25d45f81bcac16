import { openLog } from "../../src/core/log";
import type { UserViewer } from "../../src/core/viewer";
import { publishChanges, watchCalls } from "../../src/domain/calls/history/call-changes";
import { type CallLoads, openCallLoads } from "../../src/domain/calls/history/call-list";
import type { HistoryDeps } from "../../src/domain/calls/history/history-deps";
import type { RecordedCall } from "../../src/domain/calls/history/recorded-calls";
import { QUEUE_MAX } from "../../src/platform/bus/coalescing-queue";
import { openLocalBus } from "../../src/platform/bus/local";
import type { Statement } from "../../src/platform/store/store";

/** Changed calls for a slow subscriber. */

const log = openLog("silent");
const [ANN, BOB] = [1, 2];
const viewer: UserViewer = { kind: "user", sessionId: 1, applicationId: 7, userId: BOB };
const known = (id: number, callId = `s${id}`) =>
  ({ id, callId, callerId: ANN, callees: new Map([[BOB, {}]]) }) as unknown as RecordedCall;

/** A database in which every call exists, and a count of bus subscriptions. */
function depsWith() {
  const bus = openLocalBus({ now: () => 0 }, log);
  const queried: number[] = [];
  let subscriptions = 0;
  const store = {
    query: async ({ name }: Statement, [ids]: [number[]]) => {
      if (name === "participants_of_calls") {
        return ids.map((id) => ({
          call_id: id,
          user_id: BOB,
          rang_at: new Date(0),
          hang_ups: [],
        }));
      }
      if (name === "users_by_id") return ids.map((id) => ({ u_id: id, tags: null }));
      queried.push(...ids);
      return ids.map((id) => ({ id, session_id: `s${id}`, state: "ringing", ended_at: null }));
    },
  };
  const deps = {
    ...openCallLoads({ store } as unknown as HistoryDeps),
    bus: {
      publish: (channel: string, message: string) => bus.publish(channel, message),
      subscribe: async (channel: string, listener: (message: string) => void) => {
        const leave = await bus.subscribe(channel, listener);
        subscriptions += 1;
        return async () => {
          subscriptions -= 1;
          await leave();
        };
      },
    },
  } as unknown as HistoryDeps & CallLoads;
  return { deps, queried, subscriptions: () => subscriptions };
}

async function take(calls: AsyncIterator<{ id: number }>, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await calls.next()).value.id);
  return ids;
}

test("many changes at once disconnect no subscriber, and each call is read when it is dequeued", async () => {
  const { deps, queried } = depsWith();
  const calls = await watchCalls(deps, viewer);
  const list = Array.from({ length: 500 }, (_, n) => known(n + 1));
  await publishChanges({ ...deps, log }, list);
  // Changes of queued calls are coalesced.
  await publishChanges({ ...deps, log }, list);
  expect(queried).toEqual([]);
  expect(await take(calls, 500)).toEqual(list.map(({ id }) => id));
  await publishChanges({ ...deps, log }, [known(7)]);
  expect(await take(calls, 1)).toEqual([7]);
  expect(queried).toHaveLength(501);
});

test("beyond the limit the oldest changes are dropped, and the subscription continues", async () => {
  const { deps } = depsWith();
  const calls = await watchCalls(deps, viewer);
  const list = Array.from({ length: QUEUE_MAX + 20 }, (_, n) => known(n + 1));
  await publishChanges({ ...deps, log }, list);
  expect(await take(calls, QUEUE_MAX)).toEqual(list.slice(20).map(({ id }) => id));
  const next = take(calls, 1);
  await publishChanges({ ...deps, log }, [known(3)]);
  expect(await next).toEqual([3]);
});

test("a subscription to one call does not queue other calls", async () => {
  const { deps, queried } = depsWith();
  const calls = await watchCalls(deps, viewer, { callId: "s1" });
  await publishChanges({ ...deps, log }, [known(1)]);
  const list = Array.from({ length: QUEUE_MAX + 20 }, (_, n) => known(n + 2));
  await publishChanges({ ...deps, log }, list);
  expect(await take(calls, 1)).toEqual([1]);
  expect(queried).toEqual([1]);
});

test("returning the iterator ends it and unsubscribes from the bus", async () => {
  const { deps, subscriptions } = depsWith();
  const calls = await watchCalls(deps, viewer);
  const next = calls.next();
  expect(subscriptions()).toBe(1);
  await calls.return?.();
  expect(await next).toEqual({ value: undefined, done: true });
  expect(await calls.next()).toEqual({ value: undefined, done: true });
  expect(subscriptions()).toBe(0);
});
