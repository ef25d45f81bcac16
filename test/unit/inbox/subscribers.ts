import { systemClock } from "../../../src/core/clock";
import { openLog } from "../../../src/core/log";
import { openMetrics } from "../../../src/core/metrics";
import { ApplicationCounters } from "../../../src/core/statistics/application-counters";
import type {
  CloseReason,
  SignalSubscriber,
  SubscriberMessage,
} from "../../../src/domain/calls/inbox/subscriber";
import { openRouter, type RouterDeps } from "../../../src/domain/calls/router";
import type { Signal } from "../../../src/domain/calls/signals/signal";
import type { Bus } from "../../../src/platform/bus/bus";
import type { Values } from "../../../src/platform/bus/values";

/** A silent log. */
export const log = openLog("silent");
export const ann = { applicationId: 7, userId: 42 };
export const bob = { applicationId: 7, userId: 43 };
/** A signal from Bob to Ann. */
export const signal = (id: string, fields: Partial<Signal> = {}): Signal => ({
  id,
  from: bob,
  to: ann,
  type: "probe",
  extra: [],
  ...fields,
});

/** A device of Ann that records what it receives. */
export interface TestDevice extends SignalSubscriber {
  messages: SubscriberMessage[];
  ids(): string[];
  cursor(id: string): string;
  closed: CloseReason[];
}

export function device(
  resource: string,
  protocol: SignalSubscriber["protocol"] = "xmpp",
): TestDevice {
  const messages: SubscriberMessage[] = [];
  const closed: CloseReason[] = [];
  const signals = () => messages.flatMap((message) => (message.kind === "signal" ? [message] : []));
  return {
    closed,
    party: { ...ann, resource },
    messages,
    protocol,
    ids: () => signals().map(({ signal }) => signal.id),
    cursor: (id) => signals().find(({ signal }) => signal.id === id)?.cursor ?? "",
    receive: (message) => void messages.push(message),
    close: (reason) => void closed.push(reason),
  };
}

/** A node on a bus. */
export function nodeOn(bus: Bus, hangUp = false, parts: Partial<RouterDeps> = {}) {
  return openRouter({
    bus,
    clock: systemClock,
    log,
    metrics: openMetrics(),
    counters: new ApplicationCounters(systemClock),
    userExists: async () => true,
    isAnsweredElsewhereEnabled: async () => hangUp,
    ...parts,
  });
}
export const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
export async function until(done: () => boolean): Promise<void> {
  while (!done()) await nextTurn();
}
export async function quiet(): Promise<void> {
  for (let count = 0; count < 20; count++) await nextTurn();
}

/** A bus with some operations replaced. */
export function busWith(bus: Bus, replaced: Partial<Bus>): Bus {
  return {
    append: (...words) => bus.append(...words),
    read: (...words) => bus.read(...words),
    haveSubscribers: (...words) => bus.haveSubscribers(...words),
    publish: (...words) => bus.publish(...words),
    subscribe: (...words) => bus.subscribe(...words),
    values: bus.values,
    ...replaced,
  };
}

/** The values of a bus with some operations replaced. */
export function valuesWith({ values }: Bus, replaced: Partial<Values>): Values {
  return {
    set: (...words) => values.set(...words),
    get: (...words) => values.get(...words),
    setIfAbsent: (...words) => values.setIfAbsent(...words),
    deleteIf: (...words) => values.deleteIf(...words),
    ...replaced,
  };
}
