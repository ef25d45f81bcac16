import { systemClock } from "../../../src/core/clock";
import { openLog } from "../../../src/core/log";
import { openMetrics } from "../../../src/core/metrics";
import { ApplicationCounters } from "../../../src/core/statistics/application-counters";
import { INBOX_DEVICES_MAX } from "../../../src/domain/calls/inbox/inbox";
import type {
  SignalSubscriber,
  SubscriberMessage,
} from "../../../src/domain/calls/inbox/subscriber";
import { openRouter } from "../../../src/domain/calls/router";
import type { Signal } from "../../../src/domain/calls/signals/signal";
import type { Bus } from "../../../src/platform/bus/bus";
import { openLocalBus } from "../../../src/platform/bus/local";
import { busWith } from "./subscribers";

const log = openLog("silent");
const ann = { applicationId: 7, userId: 42 };
const bob = { applicationId: 7, userId: 43 };
const signal = (id: string): Signal => ({ id, from: bob, to: ann, type: "probe", extra: [] });

/** A device that records what it receives. */
function device(resource: string): SignalSubscriber & { ids: string[] } {
  const ids: string[] = [];
  return {
    ids,
    party: { ...ann, resource },
    protocol: "graphql",
    receive(message: SubscriberMessage) {
      if (message.kind === "signal") ids.push(message.signal.id);
    },
    close() {},
  };
}

function routerOn(bus: Bus) {
  return openRouter({
    bus,
    clock: systemClock,
    log,
    metrics: openMetrics(),
    counters: new ApplicationCounters(systemClock),
    userExists: async () => true,
    isAnsweredElsewhereEnabled: async () => false,
  });
}

/** A bus whose reads block until they are released. */
function blockedReads(bus: Bus) {
  const waiting: Array<() => void> = [];
  let open = false;
  const slow = busWith(bus, {
    async read(inbox, after) {
      if (!open) await new Promise<void>((resolve) => waiting.push(resolve));
      return bus.read(inbox, after);
    },
  });
  return {
    slow,
    waiting,
    release() {
      open = true;
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function until(done: () => boolean): Promise<void> {
  while (!done()) await turn();
}

describe("a device that attaches", () => {
  test("receives nothing that was sent before", async () => {
    const router = routerOn(openLocalBus({ now: () => 0 }, log));
    await router.send("graphql", signal("old"));
    const phone = device("phone");
    await router.attach(phone);
    await router.send("graphql", signal("new"));
    await until(() => phone.ids.length > 0);
    await turn();
    expect(phone.ids).toEqual(["new"]);
  });

  test("receives nothing old when a notice arrives before its position is known", async () => {
    const bus = openLocalBus({ now: () => 0 }, log);
    await routerOn(bus).send("graphql", signal("old"));
    const { slow, waiting, release } = blockedReads(bus);
    const router = routerOn(slow);
    const phone = device("phone");
    const attached = router.attach(phone);
    await until(() => waiting.length > 0);
    await router.send("graphql", signal("meanwhile"));
    await turn();
    release();
    await attached;
    await router.send("graphql", signal("new"));
    await until(() => phone.ids.includes("new"));
    await turn();
    expect(phone.ids).not.toContain("old");
    expect(phone.ids.filter((id) => id === "new")).toEqual(["new"]);
  });

  test("to an inbox with other readers receives new signals as they do", async () => {
    const router = routerOn(openLocalBus({ now: () => 0 }, log));
    const [phone, tablet] = [device("phone"), device("tablet")];
    await router.attach(phone);
    await router.send("graphql", signal("1"));
    await until(() => phone.ids.length === 1);
    await router.attach(tablet);
    await router.send("graphql", signal("2"));
    await router.send("graphql", { ...signal("3"), to: { ...ann, resource: "tablet" } });
    await until(() => tablet.ids.length === 2);
    expect([phone.ids, tablet.ids]).toEqual([
      ["1", "2"],
      ["2", "3"],
    ]);
  });

  test("and detaches receives nothing more, nor what was sent before it attaches again", async () => {
    const router = routerOn(openLocalBus({ now: () => 0 }, log));
    const phone = device("phone");
    const { detach } = await router.attach(phone);
    await detach();
    await router.send("graphql", signal("away"));
    await turn();
    await router.attach(phone);
    await router.send("graphql", signal("back"));
    await until(() => phone.ids.length > 0);
    await turn();
    expect(phone.ids).toEqual(["back"]);
  });
});

describe("many devices that attach", () => {
  const call = (id: string, resource?: string): Signal => ({
    ...signal(id),
    type: "call",
    callId: id,
    to: { ...ann, resource },
  });

  test("concurrently share a read of the inbox, and each receives the calls that ring for it", async () => {
    const bus = openLocalBus({ now: () => 0 }, log);
    const sender = routerOn(bus);
    for (const id of ["1", "2"]) await sender.send("graphql", call(id));
    await sender.send("graphql", call("mine", "tablet"));
    await sender.send("graphql", signal("old"));
    await sender.send("graphql", { ...signal("end"), type: "hangUp", callId: "1" });
    let fullReads = 0;
    const counting = busWith(bus, {
      read(inbox, after) {
        if (after === "") fullReads++;
        return bus.read(inbox, after);
      },
    });
    const router = routerOn(counting);
    const devices = Array.from({ length: 100 }, (_, n) => device(n === 7 ? "tablet" : `d${n}`));
    await Promise.all(devices.map((each) => router.attach(each)));
    expect(fullReads).toBeLessThanOrEqual(2);
    await sender.send("graphql", signal("live"));
    await until(() => devices.every(({ ids }) => ids.includes("live")));
    for (const { ids, party } of devices) {
      const mine = party.resource === "tablet" ? ["2", "mine", "live"] : ["2", "live"];
      expect(ids).toEqual(mine);
    }
  });

  test("one after another, during a read, receive nothing that was sent before", async () => {
    const { slow, waiting, release } = blockedReads(openLocalBus({ now: () => 0 }, log));
    const router = routerOn(slow);
    const [first, second] = [device("first"), device("second")];
    const attached = [router.attach(first)];
    await until(() => waiting.length > 0);
    await router.send("graphql", signal("before the second"));
    attached.push(router.attach(second));
    await turn();
    release();
    await Promise.all(attached);
    await router.send("graphql", signal("live"));
    await until(() => first.ids.includes("live") && second.ids.includes("live"));
    expect(second.ids).toEqual(["live"]);
  });

  test("are limited for each user and node", async () => {
    const router = routerOn(openLocalBus({ now: () => 0 }, log));
    const devices = Array.from({ length: INBOX_DEVICES_MAX }, (_, n) => device(`d${n}`));
    const [first] = await Promise.all(devices.map((each) => router.attach(each)));
    await expect(router.attach(device("one more"))).rejects.toMatchObject({
      code: "LIMITED",
      retryAfter: expect.any(Number),
    });
    await router.attach({ ...device("phone"), party: { ...bob, resource: "phone" } });
    await first?.detach();
    await router.attach(device("one more"));
  });
});
