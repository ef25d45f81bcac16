import { systemClock } from "../../../src/core/clock";
import { Fault } from "../../../src/core/errors";
import { openLog } from "../../../src/core/log";
import { openMetrics } from "../../../src/core/metrics";
import { ApplicationCounters } from "../../../src/core/statistics/application-counters";
import type { SentSignal } from "../../../src/domain/calls/history/call-event";
import { openRouter } from "../../../src/domain/calls/router";
import type { Signal } from "../../../src/domain/calls/signals/signal";
import { openLocalBus } from "../../../src/platform/bus/local";
import { busWith } from "./subscribers";

/** Which signals the router passes to the call recorder. */

const log = openLog("silent");
const ann = { applicationId: 7, userId: 42 };
const bob = { applicationId: 7, userId: 43 };
const call: Signal = { id: "i", from: bob, to: ann, type: "call", callId: "s", extra: [] };
const away = async () => {
  throw new Fault("UNAVAILABLE", "The chat server cannot be reached");
};

function routerWith(append: () => Promise<void>, forwardToChatServer: () => Promise<void>) {
  const observed: SentSignal[] = [];
  const bus = openLocalBus({ now: () => 0 }, log);
  const router = openRouter({
    bus: busWith(bus, { append: (inbox, body) => append().then(() => bus.append(inbox, body)) }),
    clock: systemClock,
    log,
    metrics: openMetrics(),
    counters: new ApplicationCounters(systemClock),
    forwardToChatServer,
    userExists: async () => true,
    isAnsweredElsewhereEnabled: async () => false,
    observe: (sent) => observed.push(sent),
  });
  return { router, observed };
}

test("a stored signal is recorded even if forwarding it to the chat server fails", async () => {
  const { router, observed } = routerWith(async () => undefined, away);
  await expect(router.send("graphql", call)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await new Promise((resolve) => setImmediate(resolve));
  const expected: Partial<SentSignal> = { protocol: "graphql", signal: call, hasSubscribers: true };
  expect(observed).toMatchObject([expected]);
});

test("a signal that could not be stored is not recorded", async () => {
  const { router, observed } = routerWith(away, async () => undefined);
  await expect(router.send("graphql", call)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(observed).toEqual([]);
});
