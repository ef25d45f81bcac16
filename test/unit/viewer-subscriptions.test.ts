import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import {
  VIEWER_SUBSCRIPTIONS_MAX,
  ViewerSubscriptions,
} from "../../src/domain/access/viewer-subscriptions";
import { type CallLoads, openCallLoads } from "../../src/domain/calls/history/call-list";
import type { HistoryDeps } from "../../src/domain/calls/history/history-deps";
import { openLocalBus } from "../../src/platform/bus/local";
import type { Context } from "../../src/transports/graphql/engine/context";
import { Engine, type OperationResult } from "../../src/transports/graphql/engine/engine";
import { signalboxSchema } from "../../src/transports/graphql/schema";

/** A subscription counts for its viewer from its start to its end, whatever ends it. */

const log = openLog("silent");
const engine = new Engine(signalboxSchema(), readConfig({}), log, openMetrics());
const QUERY = "subscription { callChanges { id } }";

/** A node whose bus and database the test holds. */
function held() {
  const local = openLocalBus({ now: () => 0 }, log);
  const viewerSubscriptions = new ViewerSubscriptions();
  const state = { subscribing: Promise.resolve(), broken: false, open: 0 };
  const store = {
    query: async () => {
      if (state.broken) throw new Error("gone");
      return [];
    },
  };
  const bus = {
    subscribe: async (channel: string, listener: (message: string) => void) => {
      await state.subscribing;
      const leave = await local.subscribe(channel, listener);
      state.open += 1;
      return async () => {
        state.open -= 1;
        await leave();
      };
    },
  };
  const loads: CallLoads = openCallLoads({ store } as unknown as HistoryDeps);
  const subscribe = (userId = 1) => {
    const viewer = { kind: "user", sessionId: 1, applicationId: 7, userId };
    const context = {
      viewerSubscriptions,
      caller: { ip: "127.0.0.1", requestId: "r" },
      limits: {
        countExtra: () => null,
        countForApplication: () => undefined,
      },
      auth: {
        notedApplication: null,
        require: async () => undefined,
        applicationId: async () => 7,
        viewerKey: async () => `user ${userId}`,
        userOrMember: async () => viewer,
      },
      callHistory: { bus, store, log, ...loads },
    };
    return engine.subscribe(engine.prepare(QUERY), context as unknown as Context, {}, "websocket");
  };
  return { state, viewerSubscriptions, subscribe, publish: local.publish.bind(local) };
}

/** The iterator of an accepted subscription. */
function iteratorOf(result: OperationResult): AsyncIterator<unknown> {
  if (Symbol.asyncIterator in result) return result[Symbol.asyncIterator]();
  throw new Error(JSON.stringify(result));
}

it("refuses one beyond the bound, of this viewer alone, and accepts it after an end", async () => {
  const { subscribe, viewerSubscriptions } = held();
  const iterators: AsyncIterator<unknown>[] = [];
  for (let n = 0; n < VIEWER_SUBSCRIPTIONS_MAX; n += 1) {
    iterators.push(iteratorOf(await subscribe()));
  }
  const refused = await subscribe();
  expect(refused).toMatchObject({ errors: [{ extensions: { code: "LIMITED", retryAfter: 1 } }] });
  iterators.push(iteratorOf(await subscribe(2)));
  const [first] = iterators;
  // Ending twice frees one place only.
  await first?.return?.();
  await first?.return?.();
  iterators.push(iteratorOf(await subscribe()));
  expect(await subscribe()).toMatchObject({ errors: [{ extensions: { code: "LIMITED" } }] });
  for (const iterator of iterators) await iterator.return?.();
  expect(viewerSubscriptions.total).toBe(0);
});

it("counts while it starts, and frees its place if the start fails or is given up", async () => {
  const { state, subscribe, viewerSubscriptions } = held();
  let begin: () => void = () => undefined;
  state.subscribing = new Promise((resolve) => {
    begin = resolve;
  });
  const starting = Array.from({ length: VIEWER_SUBSCRIPTIONS_MAX + 5 }, () => subscribe());
  begin();
  const started = await Promise.all(starting);
  expect(started.filter((each) => "errors" in each)).toHaveLength(5);
  // The socket has closed during the start.
  for (const each of started) if (!("errors" in each)) await iteratorOf(each).return?.();
  expect([viewerSubscriptions.total, state.open]).toEqual([0, 0]);

  const failed = Promise.reject(new Error("no bus"));
  failed.catch(() => undefined);
  state.subscribing = failed;
  expect(await subscribe()).toMatchObject({ errors: [{ extensions: { code: "INTERNAL" } }] });
  expect(viewerSubscriptions.total).toBe(0);
});

it("frees its place if an event cannot be loaded", async () => {
  const { state, subscribe, viewerSubscriptions, publish } = held();
  const iterator = iteratorOf(await subscribe());
  const next = iterator.next();
  state.broken = true;
  await publish("calls:1", JSON.stringify([[1, "s1"]]));
  await expect(next).rejects.toThrow("Internal server error");
  expect([viewerSubscriptions.total, state.open]).toEqual([0, 0]);
});
