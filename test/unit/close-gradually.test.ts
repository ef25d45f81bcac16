import { closeGradually } from "../../src/core/close-gradually";

/** Closes `count` items over a window. @returns the items in order, each with its time in milliseconds */
async function closeAll(count: number, windowMs: number) {
  jest.useFakeTimers({ advanceTimers: false });
  const startedAt = Date.now();
  const closed: Array<{ item: number; at: number }> = [];
  const items = Array.from({ length: count }, (_, index) => index);
  const done = closeGradually(items, windowMs, (item) =>
    closed.push({ item, at: Date.now() - startedAt }),
  );
  await jest.runAllTimersAsync();
  await done;
  jest.useRealTimers();
  return closed;
}

it("closes each item once, evenly over the window, in random order", async () => {
  const closed = await closeAll(10_000, 5_000);
  expect(new Set(closed.map(({ item }) => item)).size).toBe(10_000);
  expect(closed).toHaveLength(10_000);
  for (const quarter of [0, 1, 2, 3]) {
    const within = closed.filter(({ at }) => Math.floor(at / 1_250) === quarter);
    expect(within.length).toBeGreaterThan(2_300);
    expect(within.length).toBeLessThan(2_700);
  }
  const firsts = closed.slice(0, 100).map(({ item }) => item);
  expect(firsts).not.toEqual([...firsts].sort((a, b) => a - b));
});

it("takes less than the window for a few items", async () => {
  expect((await closeAll(5, 60_000)).at(-1)?.at).toBeLessThanOrEqual(100);
  expect(await closeAll(0, 60_000)).toEqual([]);
});

it("closes all items at once without a window", async () => {
  const closed = await closeAll(1_000, 0);
  expect(closed).toHaveLength(1_000);
  expect(closed.at(-1)?.at).toBe(0);
});
