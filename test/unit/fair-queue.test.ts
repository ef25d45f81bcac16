import { FairQueue } from "../../src/limits/fair-queue";
import { MovingClock } from "../support/moving-clock";

/** Jobs that end when the test says so, and the order in which they were begun. */
function queueOf(limits: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}) {
  const clock = new MovingClock();
  clock.hold(true);
  const queue = new FairQueue(
    { concurrency: 1, waiting: 100, waitMs: 2_000, ...limits },
    clock,
    () => new Error("too late"),
  );
  const begun: string[] = [];
  const refused: string[] = [];
  const ends: Array<() => void> = [];
  const add = (name: string, ...keys: string[]) =>
    queue
      .run(keys, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      })
      .catch(() => refused.push(name));
  /** Ends the job that was begun first of those that run. */
  const end = async () => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  const drain = async () => {
    while (ends.length > 0) await end();
    return begun;
  };
  return { clock, begun, refused, add, end, drain };
}

test("runs as many at once as it may, and the others in the order they came", async () => {
  const { begun, add, end, drain } = queueOf({ concurrency: 2 });
  for (const name of ["a", "b", "c", "d"]) void add(name, name);
  expect(begun).toEqual(["a", "b"]);
  await end();
  expect(begun).toEqual(["a", "b", "c"]);
  expect(await drain()).toEqual(["a", "b", "c", "d"]);
});

test("one who asks for much does not keep the others waiting", async () => {
  const { add, drain } = queueOf();
  for (let count = 0; count < 5; count += 1) void add(`flood${count}`, "flooder");
  void add("one", "somebody");
  void add("two", "another");
  const order = await drain();
  expect(order.slice(0, 4)).toEqual(["flood0", "flood1", "one", "two"]);
  expect(order).toHaveLength(7);
});

test("they take turns, however much each has waiting", async () => {
  const { add, drain } = queueOf();
  for (let count = 0; count < 3; count += 1) void add(`a${count}`, "a");
  for (let count = 0; count < 3; count += 1) void add(`b${count}`, "b");
  expect(await drain()).toEqual(["a0", "a1", "b0", "a2", "b1", "b2"]);
});

test("a job of several comes when all of them have had their turn: one name from many addresses is one", async () => {
  const { add, drain } = queueOf();
  void add("running", "x");
  for (let count = 0; count < 4; count += 1) void add(`flood${count}`, `address${count}`, "name");
  void add("other", "elsewhere", "another name");
  expect((await drain()).slice(0, 3)).toEqual(["running", "flood0", "other"]);
});

test("what would wait too long is refused, by the clock", async () => {
  const { clock, begun, refused, add, end } = queueOf();
  void add("running", "a");
  void add("early", "b");
  clock.advance(2_001);
  void add("late", "c");
  await end();
  expect([begun, refused]).toEqual([["running", "late"], ["early"]]);
});

test("when too many wait, whoever has the most waiting loses the last", async () => {
  const { refused, add, drain } = queueOf({ waiting: 3 });
  void add("running", "a");
  for (let count = 0; count < 4; count += 1) void add(`flood${count}`, "flooder");
  void add("one", "somebody");
  await new Promise(setImmediate);
  expect(refused).toEqual(["flood3", "flood2"]);
  expect(await drain()).toEqual(["running", "flood0", "one", "flood1"]);
});

test("a job that fails gives its place to the next", async () => {
  const { add, drain, begun } = queueOf();
  const queue = new FairQueue({ concurrency: 1, waiting: 1, waitMs: 1 }, new MovingClock(), Error);
  await expect(queue.run([], () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await queue.run([], async () => "next")).toBe("next");
  void add("only");
  expect(await drain()).toBe(begun);
});
