import { systemClock } from "../../../src/core/clock";
import { Fault } from "../../../src/core/errors";
import { openMetrics } from "../../../src/core/metrics";
import { ApplicationCounters } from "../../../src/core/statistics/application-counters";
import { DRAIN_TIMEOUT_MS } from "../../../src/domain/calls/inbox/attached-subscriber";
import { inboxOf } from "../../../src/domain/calls/inbox/bus-keys";
import { openRouter } from "../../../src/domain/calls/router";
import { type Bus, INBOX_ENTRIES_MAX, INBOX_TTL_MS } from "../../../src/platform/bus/bus";
import { openLocalBus } from "../../../src/platform/bus/local";
import { eventually } from "../../support/moving-clock";
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
  valuesWith,
} from "./subscribers";

let now: number;
let bus: Bus;
beforeEach(() => {
  now = 1_000_000;
  bus = openLocalBus({ now: () => now }, log);
});
const answerEntries = async () =>
  (await bus.read(inboxOf(ann), "")).entries
    .map(({ body }) => JSON.parse(body))
    .filter((content) => "kind" in content);

describe("a device that was disconnected", () => {
  test("receives what it has not acknowledged on another node, and nothing twice", async () => {
    const [one, two] = [nodeOn(bus), nodeOn(bus)];
    const phone = device("phone");
    await one.send("xmpp", signal("before"));
    const attachment = await one.attach(phone);
    attachment.acknowledge("");
    for (const id of ["1", "2", "3"]) await one.send("xmpp", signal(id));
    await until(() => phone.ids().length === 3);
    attachment.acknowledge(phone.cursor("2"));
    // The second acknowledgement within a second is written on detach, or a second later.
    await attachment.detach();
    await one.send("xmpp", signal("4"));
    const again = device("other");
    await two.attach(again, { resumed: "phone" });
    await two.send("xmpp", signal("5"));
    await until(() => again.ids().includes("5"));
    expect(again.ids()).toEqual(["3", "4", "5"]);
    expect(again.cursor("3")).toBe(phone.cursor("3"));
  });

  test("receives everything since it was bound when it acknowledged nothing, including a ringing call", async () => {
    const [one, two] = [nodeOn(bus), nodeOn(bus)];
    await one.send("xmpp", signal("before"));
    await one.send("xmpp", signal("call", { type: "call", callId: "s" }));
    const phone = device("phone");
    (await one.attach(phone)).acknowledge("");
    await until(() => phone.ids().length === 1);
    await one.send("xmpp", signal("1"));
    const again = device("phone");
    await two.attach(again, { resumed: "phone" });
    await until(() => again.ids().length === 2);
    await quiet();
    expect(again.ids()).toEqual(["call", "1"]);
    expect(phone.closed).toEqual(["replaced"]);
  });

  test("receives everything that is left when its acknowledgement has expired", async () => {
    const [one, two] = [nodeOn(bus), nodeOn(bus)];
    (await one.attach(device("phone"))).acknowledge("");
    await quiet();
    now += INBOX_TTL_MS + 1;
    await one.send("xmpp", signal("1"));
    const again = device("phone");
    await two.attach(again, { resumed: "phone" });
    await until(() => again.ids().length > 0);
    expect(again.ids()).toEqual(["1"]);
  });

  test.each([
    ["is told when the inbox has evicted entries that it has not acknowledged", true],
    ["is not told when they were evicted before its last acknowledgement", false],
  ])("%s", async (_name, lateEviction) => {
    const [one, two] = [nodeOn(bus), nodeOn(bus)];
    const phone = device("phone");
    const attachment = await one.attach(phone);
    const fill = async () => {
      for (let count = 0; count <= INBOX_ENTRIES_MAX; count++)
        await one.send("xmpp", signal("more"));
    };
    if (!lateEviction) await fill();
    await one.send("xmpp", signal("seen"));
    await until(() => phone.ids().includes("seen"));
    attachment.acknowledge(phone.cursor("seen"));
    await attachment.detach();
    if (lateEviction) await fill();
    const again = device("other");
    let gaps = 0;
    again.onPossibleGap = () => {
      gaps++;
    };
    await two.attach(again, { resumed: "phone" });
    expect(gaps).toBe(lateEviction ? 1 : 0);
  });

  test("writes acknowledgements throttled, and only when the cursor has moved", async () => {
    const written: string[] = [];
    const one = nodeOn(
      busWith(bus, {
        values: valuesWith(bus, {
          set(key, cursor) {
            written.push(cursor);
            return bus.values.set(key, cursor);
          },
        }),
      }),
    );
    const before = await one.send("xmpp", signal("before"));
    const phone = device("phone");
    const attachment = await one.attach(phone);
    attachment.acknowledge("");
    attachment.acknowledge("");
    for (let count = 0; count < 30; count++) await one.send("xmpp", signal(String(count)));
    await until(() => phone.ids().length === 30);
    for (let count = 0; count < 30; count++) attachment.acknowledge(phone.cursor(String(count)));
    await quiet();
    expect(written).toEqual([before]);
    await eventually(
      async () => written,
      ({ length }) => length > 1,
    );
    const expected = [before, phone.cursor("29")];
    expect(written).toEqual(expected);
    attachment.acknowledge(phone.cursor("29"));
    await attachment.detach();
    expect(written).toEqual(expected);
  });

  test("has its long name hashed on the bus", async () => {
    const keys: string[] = [];
    const one = nodeOn(
      busWith(bus, {
        values: valuesWith(bus, {
          async set(key) {
            keys.push(key);
          },
        }),
      }),
    );
    const { acknowledge, detach } = await one.attach(device("phone".repeat(200)));
    acknowledge("");
    await detach();
    expect([...new Set(keys)]).toEqual([expect.stringMatching(/^position:user:7:42:[\w-]{43}$/)]);
  });
});

describe("a device that resumes after a cursor", () => {
  test("receives new signals after what it missed, with back-pressure, independently of others", async () => {
    const router = nodeOn(bus);
    const phone = device("phone");
    const { detach } = await router.attach(phone);
    await router.send("xmpp", signal("seen"));
    await until(() => phone.ids().length === 1);
    await detach();
    const missed = Array.from({ length: 1_500 }, (_, index) => `missed ${index}`);
    for (const id of missed) await router.send("xmpp", signal(id));
    const other = device("other");
    await router.attach(other);
    const slow = device("phone", "graphql");
    let take = () => {};
    slow.whenDrained = () => new Promise<void>((resolve) => (take = resolve));
    await router.attach(slow, { after: phone.cursor("seen") });
    await until(() => slow.ids().length > 0);
    await router.send("xmpp", signal("live"));
    await until(() => other.ids().includes("live"));
    await quiet();
    expect(slow.ids()).toHaveLength(1);
    slow.whenDrained = () => undefined;
    take();
    await until(() => slow.ids().includes("live"));
    await router.send("xmpp", signal("later"));
    await until(() => slow.ids().includes("later"));
    expect(slow.ids()).toEqual([...missed, "live", "later"]);
    expect(other.ids()).toEqual(["live", "later"]);
  });

  test("is closed when it does not read, or when the inbox evicts unread entries", async () => {
    const router = nodeOn(bus);
    const first = await router.send("xmpp", signal("first"));
    for (let count = 0; count < 100; count++) await router.send("xmpp", signal(String(count)));
    const [stuck, passed] = [device("stuck", "graphql"), device("passed", "graphql")];
    stuck.whenDrained = () => new Promise(() => undefined);
    let take = () => {};
    passed.whenDrained = () => new Promise<void>((resolve) => (take = resolve));
    await router.attach(passed, { after: first });
    await until(() => passed.ids().length > 0);
    jest.useFakeTimers({ doNotFake: ["setImmediate", "queueMicrotask", "nextTick"] });
    try {
      await router.attach(stuck, { after: first });
      await until(() => stuck.ids().length > 0);
      jest.advanceTimersByTime(DRAIN_TIMEOUT_MS - 1);
      await quiet();
      expect(stuck.closed).toEqual([]);
      jest.advanceTimersByTime(1);
      await until(() => stuck.closed.length > 0);
      expect(stuck.closed).toEqual(["behind"]);
    } finally {
      jest.useRealTimers();
    }
    for (let count = 0; count <= INBOX_ENTRIES_MAX; count++)
      await router.send("xmpp", signal("more"));
    passed.whenDrained = () => undefined;
    take();
    await until(() => passed.closed.length > 0);
    expect(passed.closed).toEqual(["behind"]);
  });

  test.each(["", "nonsense", "1.2", "0-0"])("is refused with the cursor %j", async (after) => {
    await nodeOn(bus).send("xmpp", signal("1"));
    await expect(nodeOn(bus).attach(device("phone"), { after })).rejects.toMatchObject({
      code: "INVALID",
      fields: { after: [expect.stringContaining("Resubscribe")] },
    });
  });

  test("is refused when something may be gone", async () => {
    const router = nodeOn(bus);
    const first = await router.send("xmpp", signal("1"));
    const second = await router.send("xmpp", signal("2"));
    now += INBOX_TTL_MS + 1;
    await expect(router.attach(device("a"), { after: first })).rejects.toMatchObject({
      code: "INVALID",
    });
    await router.attach(device("a"), { after: second });
  });

  test("misses nothing during a short outage of the bus", async () => {
    let away = false;
    const router = nodeOn(
      busWith(bus, {
        async read(inbox, after) {
          if (away) throw new Fault("UNAVAILABLE", "away");
          return bus.read(inbox, after);
        },
      }),
    );
    const first = await router.send("xmpp", signal("first"));
    for (let count = 0; count < 600; count++) await router.send("xmpp", signal(String(count)));
    const [late, live] = [device("late"), device("live")];
    await router.attach(live);
    await router.attach(late, { after: first });
    away = true;
    await router.send("xmpp", signal("meanwhile"));
    await quiet();
    expect(late.ids()).toHaveLength(500);
    away = false;
    // No notice arrives: the reader retries by itself.
    await eventually(late.ids, ({ length }) => length > 500);
    expect(late.ids()).toHaveLength(601);
    expect(new Set(late.ids()).size).toBe(601);
    expect(live.ids()).toEqual(["meanwhile"]);
  });
});

describe("answers", () => {
  const callTo = (id: string, callId = "s") => signal(id, { type: "call", callId });
  const answer = (type: string, resource: string, callId = "s") =>
    signal(type, { type, callId, from: { ...ann, resource }, to: bob });
  const answersTo = ({ messages }: TestDevice) =>
    messages.flatMap((message) =>
      message.kind === "answered" ? [[message.answerType, message.device, message.hangUp]] : [],
    );

  test("reach the user's other devices on every node, and again after a late repeat of the call", async () => {
    const [one, two] = [nodeOn(bus, true), nodeOn(bus, true)];
    const [a, b, c] = [device("a"), device("b"), device("c", "graphql")];
    await one.attach(a);
    await one.attach(b);
    await two.attach(c);
    await one.send("xmpp", callTo("call"));
    await one.send("xmpp", answer("accept", "a"));
    await one.send("xmpp", callTo("repeat"));
    await until(() => answersTo(b).length === 2 && answersTo(c).length === 2);
    await quiet();
    expect(answersTo(a)).toEqual([]);
    expect(answersTo(b)).toEqual([
      ["accept", "a", true],
      ["accept", "a", true],
    ]);
    expect(answersTo(c)[0]).toEqual(["accept", "a", false]);
    expect(b.messages.map(({ kind }) => kind)).toEqual([
      "signal",
      "answered",
      "signal",
      "answered",
    ]);
    // A repeated answer has the cursor of the call that it follows, so that cursors never go back.
    const places = b.messages.map((message) => "cursor" in message && message.cursor);
    expect(places[3]).toBe(places[2]);
    expect(new Set(places).size).toBe(3);
    expect(b.ids()).toEqual(["call", "repeat"]);
    await two.send("xmpp", signal("end", { type: "hangUp", callId: "s" }));
    await two.send("xmpp", callTo("again"));
    await until(() => b.ids().includes("again"));
    await quiet();
    expect(answersTo(b)).toHaveLength(2);
  });

  test("of a second device, if they accept, are refused and do not reach the caller", async () => {
    const router = nodeOn(bus);
    await router.send("xmpp", callTo("call"));
    await router.send("xmpp", answer("accept", "a"));
    await expect(router.send("xmpp", answer("accept", "b"))).rejects.toMatchObject({
      code: "CONFLICT",
    });
    const { entries } = await bus.read(inboxOf(bob), "");
    expect(entries.map(({ body }) => JSON.parse(body).from.resource)).toEqual(["a"]);
  });

  test("are delivered even if they cannot be recorded", async () => {
    const away = async () => {
      throw new Fault("UNAVAILABLE", "away");
    };
    const router = nodeOn(
      busWith(bus, {
        async append(inbox, body) {
          if (inbox === inboxOf(ann)) throw new Fault("UNAVAILABLE", "away");
          return bus.append(inbox, body);
        },
        values: valuesWith(bus, { setIfAbsent: away, deleteIf: away }),
      }),
    );
    for (const answerType of ["accept", "reject", "hangUp"]) {
      await router.send("xmpp", answer(answerType, "a"));
    }
    const { entries } = await bus.read(inboxOf(bob), "");
    expect(entries.map(({ body }) => JSON.parse(body).type)).toEqual([
      "accept",
      "reject",
      "hangUp",
    ]);
  });

  test("to an unknown user leave no entry", async () => {
    const router = openRouter({
      bus,
      clock: systemClock,
      log,
      metrics: openMetrics(),
      counters: new ApplicationCounters(systemClock),
      userExists: async () => false,
      isAnsweredElsewhereEnabled: async () => false,
    });
    await expect(router.send("xmpp", answer("accept", "a"))).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(await answerEntries()).toEqual([]);
  });

  test("cause no bus operations for other signals", async () => {
    let appends = 0;
    let reads = 0;
    const router = nodeOn(
      busWith(bus, {
        append(...words) {
          appends++;
          return bus.append(...words);
        },
        read(inbox, after) {
          reads++;
          return bus.read(inbox, after);
        },
      }),
    );
    const phone = device("phone");
    await router.attach(phone);
    await quiet();
    [appends, reads] = [0, 0];
    await router.send("xmpp", callTo("call"));
    await until(() => phone.ids().length === 1);
    await quiet();
    expect([appends, reads]).toEqual([1, 1]);
    await router.send("xmpp", { ...callTo("away"), to: bob });
    expect([appends, reads]).toEqual([2, 1]);
    await router.send("xmpp", answer("reject", "away"));
    expect(appends).toBe(4);
  });
});
