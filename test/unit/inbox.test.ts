import type { Bus } from "../../src/bus/bus";
import { openLocalBus } from "../../src/bus/local";
import type { Device, Parcel } from "../../src/calls/device";
import { openRouter } from "../../src/calls/router";
import type { Signal } from "../../src/calls/signal";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";

const log = openLog("silent");
const ann = { applicationId: 7, userId: 42 };
const bob = { applicationId: 7, userId: 43 };
const signal = (id: string): Signal => ({ id, from: bob, to: ann, type: "probe", extra: [] });

/** A device that keeps what it receives. */
function device(resource: string): Device & { ids: string[] } {
  const ids: string[] = [];
  return {
    ids,
    party: { ...ann, resource },
    door: "graphql",
    receive(parcel: Parcel) {
      if (parcel.kind === "signal") ids.push(parcel.signal.id);
    },
    close() {},
  };
}

function routerOn(bus: Bus) {
  return openRouter({ bus, log, metrics: openMetrics(), userExists: async () => true });
}

/** The bus with every read waiting until it is let go; answers how many wait. */
function slowReads(bus: Bus) {
  const waiting: Array<() => void> = [];
  let open = false;
  const slow: Bus = {
    append: (inbox, body) => bus.append(inbox, body),
    publish: (channel, message) => bus.publish(channel, message),
    subscribe: (channel, listener) => bus.subscribe(channel, listener),
    async read(inbox, after) {
      if (!open) await new Promise<void>((resolve) => waiting.push(resolve));
      return bus.read(inbox, after);
    },
  };
  return {
    slow,
    waiting,
    letGo() {
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
  test("hears nothing of what was sent before", async () => {
    const router = routerOn(openLocalBus({ now: () => 0 }, log));
    await router.send("graphql", signal("old"));
    const phone = device("phone");
    await router.attach(phone);
    await router.send("graphql", signal("new"));
    await until(() => phone.ids.length > 0);
    await turn();
    expect(phone.ids).toEqual(["new"]);
  });

  test("hears nothing old when it is woken before it has found its place", async () => {
    const bus = openLocalBus({ now: () => 0 }, log);
    await routerOn(bus).send("graphql", signal("old"));
    const { slow, waiting, letGo } = slowReads(bus);
    const router = routerOn(slow);
    const phone = device("phone");
    const attached = router.attach(phone);
    await until(() => waiting.length > 0);
    await router.send("graphql", signal("meanwhile"));
    await turn();
    letGo();
    await attached;
    await router.send("graphql", signal("new"));
    await until(() => phone.ids.includes("new"));
    await turn();
    expect(phone.ids).not.toContain("old");
    expect(phone.ids.filter((id) => id === "new")).toEqual(["new"]);
  });

  test("to an inbox that others read hears what they hear from then on", async () => {
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

  test("and detaches hears nothing more, nor what came while nobody was there", async () => {
    const router = routerOn(openLocalBus({ now: () => 0 }, log));
    const phone = device("phone");
    const detach = await router.attach(phone);
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
