import { openLog } from "../../src/core/log";
import { watchApplicationCalls } from "../../src/domain/calls/history/call-changes";
import { type CallLoads, openCallLoads } from "../../src/domain/calls/history/call-list";
import type { HistoryDeps } from "../../src/domain/calls/history/history-deps";
import {
  type ConferenceWatchDeps,
  openConferenceLoads,
  watchConferences,
} from "../../src/domain/conferences/rooms/watch-conferences";
import { COMPARE_MS } from "../../src/platform/bus/watch-changes";
import type { Statement } from "../../src/platform/store/store";

/** Live lists of an application when a node commits a change and dies before it publishes it. */

interface Stored {
  id: number;
  application_id: number;
  /** The state of a call. */
  state: string;
  ended_at: Date | null;
  /** The last change of a conference. */
  sequence: number;
  closed_at: Date | null;
}

const ENDED = new Date(0);
const stored = new Map<number, Stored>();
/** Channels that are subscribed. */
const channels = new Set<string>();
let reads = 0;

const live = () =>
  [...stored.values()].reverse().filter((row) => row.ended_at === null && row.closed_at === null);
const byIds = (ids: unknown) => (ids as number[]).flatMap((id) => stored.get(id) ?? []);
const store = {
  query: async ({ name }: Statement, [ids]: unknown[]) => {
    reads += 1;
    if (name === "application_calls" || name === "live_conferences") return live();
    return name.endsWith("_by_ids") ? byIds(ids) : [];
  },
};
const deps = {
  ...openCallLoads({ store } as unknown as HistoryDeps),
  conferenceLoads: openConferenceLoads(store as never),
  log: openLog("silent"),
  bus: {
    subscribe: async (channel: string) => {
      channels.add(channel);
      return async () => void channels.delete(channel);
    },
  },
  store,
};

const put = (id: number, changes: Partial<Stored> = {}) => {
  const made = {
    id,
    application_id: 7,
    state: "ringing",
    ended_at: null,
    sequence: 1,
    closed_at: null,
  };
  stored.set(id, { ...made, ...stored.get(id), ...changes });
};

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] });
  stored.clear();
});
afterEach(() => void jest.useRealTimers());

describe.each([
  [
    "calls",
    () => watchApplicationCalls(deps as unknown as HistoryDeps & CallLoads, 7),
    (id: number) => put(id, { state: "accepted" }),
    (id: number) => put(id, { state: "hung_up", ended_at: ENDED }),
  ],
  [
    "conferences",
    () => watchConferences(deps as unknown as ConferenceWatchDeps, 7, null),
    (id: number) => put(id, { sequence: 2 }),
    (id: number) => put(id, { closed_at: ENDED }),
  ],
] as const)("missed changes of %s", (_what, watch, change, end) => {
  it("are found by a comparison, which delivers nothing else and ends with the subscription", async () => {
    for (const id of [1, 2, 3]) put(id);
    const watching: AsyncIterableIterator<{ id: number }[]> = await watch();
    const next = async () => (await watching.next()).value?.map(({ id }: { id: number }) => id);
    expect(await next()).toEqual([1, 2, 3]);
    change(1);
    end(2);
    put(4);
    const first = next();
    await jest.advanceTimersByTimeAsync(COMPARE_MS);
    expect((await first)?.sort()).toEqual([1, 2, 4]);

    const nothing = next();
    await jest.advanceTimersByTimeAsync(2 * COMPARE_MS);
    stored.delete(3);
    end(4);
    await jest.advanceTimersByTimeAsync(COMPARE_MS);
    expect(await nothing).toEqual([4]);

    expect([channels.size, jest.getTimerCount()]).toEqual([1, 1]);
    await watching.return?.();
    const before = reads;
    await jest.advanceTimersByTimeAsync(2 * COMPARE_MS);
    expect([channels.size, jest.getTimerCount(), reads]).toEqual([0, 0, before]);
  });
});
