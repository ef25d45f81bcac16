import { Fault } from "../../../src/core/errors";
import { inboxOf } from "../../../src/domain/calls/inbox/bus-keys";
import type { StartPosition } from "../../../src/domain/calls/inbox/subscriber";
import { type Bus, INBOX_ENTRIES_MAX, INBOX_TTL_MS } from "../../../src/platform/bus/bus";
import { openLocalBus } from "../../../src/platform/bus/local";
import {
  ann,
  bob,
  busWith,
  device,
  log,
  nodeOn,
  quiet,
  signal,
  type TestDevice,
  until,
} from "./subscribers";

let now: number;
let bus: Bus;
let router: ReturnType<typeof nodeOn>;
beforeEach(() => {
  now = 1_000_000;
  bus = openLocalBus({ now: () => now }, log);
  router = nodeOn(bus);
});

/** Connects and disconnects a tab of Ann that receives a signal. Returns its cursor. */
async function cursorOfClosedTab(): Promise<string> {
  const tab = device("tab", "graphql");
  const { detach } = await router.attach(tab);
  await router.send("xmpp", signal("seen"));
  await until(() => tab.ids().length === 1);
  await detach();
  return tab.cursor("seen");
}
async function reconnect(
  start: StartPosition,
  resource = "tab",
  answersOnly = false,
): Promise<TestDevice> {
  const tab = { ...device(resource, "graphql"), answersOnly };
  await router.attach(tab, start);
  return tab;
}
const toAnswerEntry = (resource: string, answerType: string, callId: string) =>
  router.send(
    "graphql",
    signal(answerType, { type: answerType, callId, from: { ...ann, resource }, to: bob }),
  );

describe("a device that resumes after its cursor", () => {
  test("is not affected by acknowledgements of another device", async () => {
    const after = await cursorOfClosedTab();
    const attachment = await router.attach(device("phone"));
    attachment.acknowledge("");
    await attachment.detach();
    now += 90_000;
    const phone = device("phone");
    const again = await router.attach(phone);
    await router.send("xmpp", signal("new"));
    await until(() => phone.ids().length === 1);
    again.acknowledge(phone.cursor("new"));
    const tab = await reconnect({ after });
    await until(() => tab.ids().length > 0);
    expect([tab.ids(), tab.closed]).toEqual([["new"], []]);
    await again.detach();
  });

  test.each([
    ["a signal to all", () => router.send("xmpp", signal("missed"))],
    [
      "a signal to another device",
      () => router.send("xmpp", signal("missed", { to: { ...ann, resource: "other" } })),
    ],
    ["an answer", () => toAnswerEntry("phone", "reject", "s")],
  ] as const)("is refused when %s is gone", async (_name, send) => {
    const after = await cursorOfClosedTab();
    await send();
    now += 90_000;
    await router.send("xmpp", signal("later"));
    for (const answersOnly of [false, true]) {
      await expect(reconnect({ after }, "tab", answersOnly)).rejects.toMatchObject({
        code: "INVALID",
        fields: { after: [expect.any(String)] },
      });
    }
  });

  test("receives what is left if it allows a gap, and is told of the gap alone", async () => {
    const after = await cursorOfClosedTab();
    const resume = async (start: StartPosition) => {
      const tab = device("tab", "graphql");
      let gaps = 0;
      tab.onPossibleGap = () => {
        gaps += 1;
      };
      const { detach } = await router.attach(tab, start);
      await router.send("xmpp", signal("live"));
      await until(() => tab.ids().includes("live"));
      await detach();
      return { ids: tab.ids(), gaps, closed: tab.closed };
    };
    await router.send("xmpp", signal("kept"));
    const complete = await resume({ after, allowGap: true });
    expect(complete).toEqual({ ids: ["kept", "live"], gaps: 0, closed: [] });
    now += 90_000;
    const empty = await resume({ after, allowGap: true });
    expect(empty).toEqual({ ids: ["live"], gaps: 1, closed: [] });
    // An answer to a call that the device made after an outage, before it has subscribed again.
    await router.send("xmpp", signal("accept", { type: "accept" }));
    const gapped = await resume({ after, allowGap: true });
    expect(gapped).toEqual({ ids: ["live", "accept", "live"], gaps: 1, closed: [] });
    const foreign = await resume({ after: "of another bus", allowGap: true });
    expect(foreign).toEqual({ ids: ["live", "accept", "live", "live"], gaps: 1, closed: [] });
  });
});

describe("a connected device", () => {
  /** A bus whose reads can be made to fail, as if one node had lost Redis. */
  function unreliable() {
    const state = { away: false };
    const through = busWith(bus, {
      async read(...words) {
        if (state.away) throw new Fault("UNAVAILABLE", "away");
        return bus.read(...words);
      },
    });
    return { state, through };
  }
  const wake = () => bus.publish(inboxOf(ann), "");

  test("that may have missed something is closed, and none on other nodes", async () => {
    const warned = jest.spyOn(log, "warn");
    const { state, through } = unreliable();
    const unreliableNode = nodeOn(through);
    const [meant, tab, phone] = [device("meant"), device("tab", "graphql"), device("phone")];
    for (const each of [meant, tab]) await unreliableNode.attach(each);
    await router.attach(phone);
    await router.send("xmpp", signal("seen"));
    await until(() => [meant, tab, phone].every((each) => each.ids().length === 1));
    state.away = true;
    await router.send("xmpp", signal("missed", { to: { ...ann, resource: "meant" } }));
    await quiet();
    now += INBOX_TTL_MS + 10_000;
    await router.send("xmpp", signal("after"));
    state.away = false;
    await wake();
    await until(() => phone.ids().length === 2);
    await until(() => [meant, tab].every(({ closed }) => closed.length > 0));
    expect([meant, tab, phone].map(({ closed }) => closed)).toEqual([["behind"], ["behind"], []]);
    // A user can cause it at will, by flooding the own inbox.
    expect(warned.mock.calls.flat()).not.toContain("a device may have missed signals");
    warned.mockRestore();
    await router.send("xmpp", signal("live"));
    await until(() => phone.ids().length === 3);
    expect([meant, tab, phone].map((each) => each.ids())).toEqual([
      ["seen"],
      ["seen"],
      ["seen", "after", "live"],
    ]);
  });

  test("is closed when its inbox evicted unread entries, even before it received anything", async () => {
    const { state, through } = unreliable();
    const tab = device("tab", "graphql");
    await nodeOn(through).attach(tab);
    state.away = true;
    await quiet();
    for (let count = 0; count <= INBOX_ENTRIES_MAX; count++)
      await router.send("xmpp", signal("more"));
    state.away = false;
    await wake();
    await until(() => tab.closed.length > 0);
    expect([tab.ids(), tab.closed]).toEqual([[], ["behind"]]);
  });

  test("that receives nothing for days stays connected and receives the next signal", async () => {
    const [early, late] = [device("early"), device("late", "graphql")];
    await router.attach(early);
    await router.send("xmpp", signal("seen"));
    await until(() => early.ids().length === 1);
    await router.attach(late);
    for (let day = 0; day < 4; day++) {
      now += 25 * 3_600_000;
      await router.send("xmpp", { ...signal("else"), to: bob });
    }
    await router.send("xmpp", signal("new"));
    await until(() => late.ids().length > 0);
    expect([early, late].map((each) => [each.ids().at(-1), each.closed])).toEqual([
      ["new", []],
      ["new", []],
    ]);
  });

  test("that catches up is closed when an entry after its arrival is gone", async () => {
    const { state, through } = unreliable();
    for (let count = 0; count < 600; count++) {
      await router.send("xmpp", signal(`${count}`, { type: "call", callId: `s${count}` }));
    }
    const [slow, fast] = [device("slow"), device("fast")];
    let take = () => {};
    slow.whenDrained = () => new Promise<void>((resolve) => (take = resolve));
    await nodeOn(through).attach(slow);
    await nodeOn(through).attach(fast);
    await until(() => slow.ids().length === 1 && fast.ids().length === 600);
    // The calls that were ringing on arrival have expired, which is not a gap.
    now += INBOX_TTL_MS + 1;
    slow.whenDrained = () => undefined;
    take();
    await until(() => slow.ids().length === 500);
    await router.send("xmpp", signal("live"));
    await until(() => slow.ids().includes("live") && fast.ids().includes("live"));
    expect([slow.ids().length, slow.closed, fast.closed]).toEqual([501, [], []]);
    state.away = true;
    await router.send("xmpp", signal("lost"));
    await quiet();
    now += INBOX_TTL_MS + 1;
    state.away = false;
    await wake();
    await until(() => slow.closed.length > 0 && fast.closed.length > 0);
  });
});
