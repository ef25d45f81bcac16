import type { TrickledCandidate } from "../../src/domain/conferences/engine/engine";
import { KeyCounter } from "../../src/platform/limits/key-counter";
import { TokenBucket } from "../../src/platform/limits/token-bucket";
import { Candidates } from "../../src/transports/janus-endpoint/room/candidates";
import { SerialTasks } from "../../src/transports/janus-endpoint/room/serial-tasks";
import { EventQueue } from "../../src/transports/janus-endpoint/session/event-queue";

/** The bounded queues and counters of the conference endpoint. */

describe("the outgoing queue", () => {
  const frame = (reason: string) => ({ janus: "event", reason });

  test("keeps the order, and reports when it is empty", async () => {
    let pushes = 0;
    const queue = new EventQueue(
      { frames: 10, bytes: 1_000 },
      () => pushes++,
      () => undefined,
    );
    await queue.whenDrained();
    for (const text of ["a", "b", "c"]) queue.push(frame(text));
    const drained = queue.whenDrained();
    expect(queue.take(2).map((text) => JSON.parse(text).reason)).toEqual(["a", "b"]);
    expect(queue.take(2)).toHaveLength(1);
    await drained;
    expect(pushes).toBe(3);
  });

  test.each([
    ["messages", { frames: 5, bytes: 1_000_000 }, "x"],
    ["bytes", { frames: 1_000, bytes: 500 }, "x".repeat(80)],
  ])("overflows once at its limit of %s, and then takes nothing", (_name, limits, text) => {
    let overflows = 0;
    const queue = new EventQueue(
      limits,
      () => undefined,
      () => overflows++,
    );
    for (let count = 0; count < 20; count += 1) queue.push(frame(text));
    expect(overflows).toBe(1);
    expect(queue.length).toBe(0);
  });
});

describe("the tasks of a handle", () => {
  test("run one after the other, whether or not they fail", async () => {
    const tasks = new SerialTasks(10);
    const log: string[] = [];
    const task = (name: string, fails = false) =>
      tasks.run(async () => {
        log.push(`${name} starts`);
        await new Promise(setImmediate);
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
      });
    const results = await Promise.allSettled([task("a"), task("b", true), task("c")]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(log).toEqual(["a", "b", "c"].flatMap((name) => [`${name} starts`, `${name} ends`]));
  });

  test("are bounded", async () => {
    const tasks = new SerialTasks(2);
    const running = [tasks.run(async () => undefined), tasks.run(async () => undefined)];
    expect(tasks.full).toBe(true);
    await Promise.all(running);
    expect(tasks.full).toBe(false);
  });
});

describe("candidates", () => {
  const candidate = (text: string): TrickledCandidate => ({
    candidate: text,
    sdpMid: "0",
    sdpMLineIndex: 0,
  });

  test("wait for their peer connection, up to a limit", async () => {
    const candidates = new Candidates();
    for (let count = 0; count < 1_000; count += 1) await candidates.add(candidate(`${count}`));
    const passed: string[] = [];
    await candidates.open(async (each) => void passed.push(each.candidate));
    await candidates.add(candidate("late"));
    expect(passed).toHaveLength(101);
    expect(passed.slice(0, 2)).toEqual(["0", "1"]);
    expect(passed.at(-1)).toBe("late");
  });

  test("that cannot be used end nothing", async () => {
    const candidates = new Candidates();
    await candidates.open(async () => {
      throw new Error("refused");
    });
    await expect(candidates.add(candidate("c"))).resolves.toBeUndefined();
  });
});

test("a token bucket allows bursts, and refills at its rate", () => {
  let now = 0;
  const bucket = new TokenBucket(10, 2, () => now);
  const taken = (count: number) => Array.from({ length: count }, () => bucket.take());
  expect(taken(25).filter(Boolean)).toHaveLength(20);
  now += 500;
  expect(taken(10).filter(Boolean)).toHaveLength(5);
  now += 3_600_000;
  expect(taken(100).filter(Boolean)).toHaveLength(20);
  expect(bucket.take(21)).toBe(false);
});

test("a counter of keys releases once, and forgets what is released", () => {
  const counter = new KeyCounter();
  const first = counter.take("a", 2);
  counter.take("a", 2);
  expect(counter.take("a", 2)).toBeNull();
  expect(counter.take("b", 2)).not.toBeNull();
  first?.();
  first?.();
  expect(counter.take("a", 2)).not.toBeNull();
  expect(counter.take("a", 2)).toBeNull();
});
