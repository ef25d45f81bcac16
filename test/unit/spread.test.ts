import { spread } from "../../src/core/spread";

/** Ends so many things over a window; answers what was ended, and when, in milliseconds. */
async function endings(count: number, windowMs: number) {
  jest.useFakeTimers({ advanceTimers: false });
  const begun = Date.now();
  const ended: Array<{ item: number; at: number }> = [];
  const items = Array.from({ length: count }, (_, index) => index);
  const all = spread(items, windowMs, (item) => ended.push({ item, at: Date.now() - begun }));
  await jest.runAllTimersAsync();
  await all;
  jest.useRealTimers();
  return ended;
}

it("ends each once, evenly over the window, in no order", async () => {
  const ended = await endings(10_000, 5_000);
  expect(new Set(ended.map(({ item }) => item)).size).toBe(10_000);
  expect(ended).toHaveLength(10_000);
  for (const quarter of [0, 1, 2, 3]) {
    const within = ended.filter(({ at }) => Math.floor(at / 1_250) === quarter);
    expect(within.length).toBeGreaterThan(2_300);
    expect(within.length).toBeLessThan(2_700);
  }
  const firsts = ended.slice(0, 100).map(({ item }) => item);
  expect(firsts).not.toEqual([...firsts].sort((a, b) => a - b));
});

it("keeps a few no longer than they need", async () => {
  expect((await endings(5, 60_000)).at(-1)?.at).toBeLessThanOrEqual(100);
  expect(await endings(0, 60_000)).toEqual([]);
});

it("ends all at once without a window", async () => {
  const ended = await endings(1_000, 0);
  expect(ended).toHaveLength(1_000);
  expect(ended.at(-1)?.at).toBe(0);
});
