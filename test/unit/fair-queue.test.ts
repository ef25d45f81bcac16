import { FairQueue } from "../../src/platform/limits/fair-queue";
import { MovingClock } from "../support/moving-clock";

/** Jobs that the test ends, and the order in which they started. */
function queueOf(limits: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}) {
  const clock = new MovingClock();
  clock.hold(true);
  const queue = new FairQueue(
    { concurrency: 1, maxWaiting: 100, waitMs: 2_000, ...limits },
    clock,
    () => new Error("too late"),
  );
  const started: string[] = [];
  const rejected: string[] = [];
  const ends: Array<() => void> = [];
  const add = (name: string, ...keys: string[]) =>
    queue
      .run(keys, () => {
        started.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      })
      .catch(() => rejected.push(name));
  /** Ends the oldest running job. */
  const end = async () => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  const drain = async () => {
    while (ends.length > 0) await end();
    return started;
  };
  return { clock, started, rejected, add, end, drain };
}

test("runs jobs with bounded concurrency, in order of arrival", async () => {
  const { started, add, end, drain } = queueOf({ concurrency: 2 });
  for (const name of ["a", "b", "c", "d"]) void add(name, name);
  expect(started).toEqual(["a", "b"]);
  await end();
  expect(started).toEqual(["a", "b", "c"]);
  expect(await drain()).toEqual(["a", "b", "c", "d"]);
});

test("a client with many jobs does not delay the others", async () => {
  const { add, drain } = queueOf();
  for (let count = 0; count < 5; count += 1) void add(`flood${count}`, "flooder");
  void add("one", "somebody");
  void add("two", "another");
  const order = await drain();
  expect(order.slice(0, 4)).toEqual(["flood0", "flood1", "one", "two"]);
  expect(order).toHaveLength(7);
});

test("clients take turns, however many jobs each has", async () => {
  const { add, drain } = queueOf();
  for (let count = 0; count < 3; count += 1) void add(`a${count}`, "a");
  for (let count = 0; count < 3; count += 1) void add(`b${count}`, "b");
  expect(await drain()).toEqual(["a0", "a1", "b0", "a2", "b1", "b2"]);
});

test("a job with several keys waits for all of them: one name from many addresses counts as one client", async () => {
  const { add, drain } = queueOf();
  void add("running", "x");
  for (let count = 0; count < 4; count += 1) void add(`flood${count}`, `address${count}`, "name");
  void add("other", "elsewhere", "another name");
  expect((await drain()).slice(0, 3)).toEqual(["running", "flood0", "other"]);
});

test("a job that waits too long is rejected", async () => {
  const { clock, started, rejected, add, end } = queueOf();
  void add("running", "a");
  void add("early", "b");
  clock.advance(2_001);
  void add("late", "c");
  await end();
  expect([started, rejected]).toEqual([["running", "late"], ["early"]]);
});

test("a full queue drops the last job of the client with the most jobs", async () => {
  const { rejected, add, drain } = queueOf({ maxWaiting: 3 });
  void add("running", "a");
  for (let count = 0; count < 4; count += 1) void add(`flood${count}`, "flooder");
  void add("one", "somebody");
  await new Promise(setImmediate);
  expect(rejected).toEqual(["flood3", "flood2"]);
  expect(await drain()).toEqual(["running", "flood0", "one", "flood1"]);
});

test("a failed job frees its slot", async () => {
  const { add, drain, started } = queueOf();
  const queue = new FairQueue(
    { concurrency: 1, maxWaiting: 1, waitMs: 1 },
    new MovingClock(),
    Error,
  );
  await expect(queue.run([], () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await queue.run([], async () => "next")).toBe("next");
  void add("only");
  expect(await drain()).toBe(started);
});
