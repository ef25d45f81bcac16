import { BatchLoader, ListLoader } from "../../src/core/loads/batch-loader";
import { SharedIntervals } from "../../src/core/loads/shared-intervals";
import { SharedLoads } from "../../src/core/loads/shared-loads";

/** What subscriptions share: each event is loaded once, and never from before it happened. */

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A loader whose loads wait for the test, and what each of them was asked for. */
function heldLoader() {
  const asked: number[][] = [];
  const release: Array<(error?: Error) => void> = [];
  const loader = new BatchLoader(async (ids: number[]) => {
    asked.push(ids);
    const load = asked.length;
    await new Promise<void>((resolve, reject) => {
      release.push((error) => (error ? reject(error) : resolve()));
    });
    return new Map(ids.filter((id) => id > 0).map((id) => [id, `${id} in ${load}`]));
  });
  return { asked, release, loader };
}

describe("BatchLoader", () => {
  it("loads once what many ask for in one turn", async () => {
    const { asked, release, loader } = heldLoader();
    const all = Promise.all(Array.from({ length: 300 }, () => loader.loadAll([2, 1, -1])));
    await turn();
    release[0]?.();
    expect(new Set((await all).map(String))).toEqual(new Set(["2 in 1,1 in 1"]));
    expect(asked).toEqual([[2, 1, -1]]);
  });

  it("answers from a later load those who ask while one runs, all from the same", async () => {
    const { asked, release, loader } = heldLoader();
    const early = loader.load(1);
    await turn();
    const late = Array.from({ length: 300 }, () => loader.load(1));
    const other = loader.load(2);
    await turn();
    expect(asked).toEqual([[1], [2]]);
    release[0]?.();
    release[1]?.();
    expect([await early, await other]).toEqual(["1 in 1", "2 in 2"]);
    await turn();
    release[2]?.();
    expect(new Set(await Promise.all(late))).toEqual(new Set(["1 in 3"]));
    expect(asked).toEqual([[1], [2], [1]]);
  });

  it("reports a failure to those who share the load, and loads again for others", async () => {
    const { asked, release, loader } = heldLoader();
    const failing = [loader.load(1), loader.load(1)];
    await turn();
    const later = loader.load(1);
    release[0]?.(new Error("gone"));
    for (const each of failing) await expect(each).rejects.toThrow("gone");
    await turn();
    release[1]?.();
    expect([await later, asked.length]).toEqual(["1 in 2", 2]);
  });

  it("loads at most 500 keys at once", async () => {
    const sizes: number[] = [];
    const loader = new BatchLoader(async (ids: number[]) => {
      sizes.push(ids.length);
      return new Map(ids.map((id) => [id, id]));
    });
    const ids = Array.from({ length: 1_200 }, (_, n) => n);
    expect(await loader.loadAll(ids)).toEqual(ids);
    expect(sizes).toEqual([500, 500, 200]);
  });

  it("groups the rows of lists", async () => {
    const rows = [
      { of: 1, n: 1 },
      { of: 2, n: 2 },
      { of: 1, n: 3 },
    ];
    const lists = new ListLoader(
      async () => rows,
      (row) => row.of,
    );
    expect(await Promise.all([lists.load(1), lists.load(3)])).toEqual([[rows[0], rows[2]], []]);
  });
});

describe("SharedLoads", () => {
  it("runs one load of a key at a time, and shares the next among all who ask meanwhile", async () => {
    const loads = new SharedLoads<number>();
    const release: Array<() => void> = [];
    let running = 0;
    const start = async () => {
      running += 1;
      const result = running;
      await new Promise<void>((resolve) => release.push(resolve));
      return result;
    };
    const first = [loads.load("a", start), loads.load("a", start)];
    await turn();
    const second = Array.from({ length: 300 }, () => loads.load("a", start));
    await turn();
    expect(running).toBe(1);
    release[0]?.();
    expect(await Promise.all(first)).toEqual([1, 1]);
    await turn();
    release[1]?.();
    expect(new Set(await Promise.all(second))).toEqual(new Set([2]));
    const third = loads.load("a", start);
    await turn();
    release[2]?.();
    expect(await third).toBe(3);
  });

  it("keeps the failure of a key from others, and from those who ask later", async () => {
    const loads = new SharedLoads<string>();
    const failing = loads.load("a", () => Promise.reject(new Error("refused")));
    const other = loads.load("b", async () => "b");
    await expect(failing).rejects.toThrow("refused");
    expect([await other, await loads.load("a", async () => "a")]).toEqual(["b", "a"]);
  });
});

it("SharedIntervals calls the listeners of a key together, and stops without any", () => {
  jest.useFakeTimers();
  try {
    const intervals = new SharedIntervals(100);
    const calls: string[] = [];
    const remove = intervals.add("a", () => calls.push("one"));
    jest.advanceTimersByTime(60);
    const removeTwo = intervals.add("a", () => calls.push("two"));
    intervals.add("b", () => calls.push("other"))();
    jest.advanceTimersByTime(40);
    expect(calls).toEqual(["one", "two"]);
    remove();
    remove();
    jest.advanceTimersByTime(100);
    expect(calls).toEqual(["one", "two", "two"]);
    removeTwo();
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
