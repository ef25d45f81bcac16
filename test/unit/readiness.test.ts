import { Readiness } from "../../src/transports/http/readiness";

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("all who ask within a second share one check and its answer", async () => {
  let checks = 0;
  let fails = false;
  const readiness = new Readiness(async () => {
    checks += 1;
    if (fails) throw new Error("no");
  });
  const ask = () => Promise.all(Array.from({ length: 100 }, () => readiness.isReady()));
  expect(new Set(await ask())).toEqual(new Set([true]));
  fails = true;
  jest.advanceTimersByTime(999);
  expect([new Set(await ask()), checks]).toEqual([new Set([true]), 1]);
  jest.advanceTimersByTime(1);
  expect([new Set(await ask()), checks]).toEqual([new Set([false]), 2]);
  fails = false;
  jest.advanceTimersByTime(1_000);
  expect([new Set(await ask()), checks]).toEqual([new Set([true]), 3]);
});

test("a check that does not end counts as failed after five seconds, and is the only one", async () => {
  let checks = 0;
  let end = () => {};
  const readiness = new Readiness(() => {
    checks += 1;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  const first = readiness.isReady();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(await first).toBe(false);
  await jest.advanceTimersByTimeAsync(1_000);
  expect([await readiness.isReady(), checks]).toEqual([false, 1]);
  end();
  await jest.advanceTimersByTimeAsync(0);
  const next = readiness.isReady();
  end();
  expect([await next, checks]).toEqual([true, 2]);
});
