import type { Test } from "@jest/test-result";

const RandomOrder = require("../support/random-order.js");

/** Eighty small files, and twenty large ones, which take long. */
const TESTS = Array.from({ length: 100 }, (_, index) => {
  const getSize = () => (index % 5 === 0 ? 20_000 : 1_000);
  return { path: `/test/${index}.test.ts`, context: { hasteFS: { getSize } } } as unknown as Test;
});

function orderOf(seed: string, tests = TESTS): string[] {
  jest.replaceProperty(process, "env", { ...process.env, TEST_SEED: seed });
  const sequencer = new RandomOrder({ contexts: [], globalConfig: {} });
  sequencer.time = () => 0;
  return sequencer.sort(tests).map(({ path }: Test) => path);
}

afterEach(() => jest.restoreAllMocks());

test("a seed always gives the same order of all files, another seed another order", () => {
  expect(orderOf("1").sort()).toEqual(TESTS.map(({ path }) => path).sort());
  expect(orderOf("1")).toEqual(orderOf("1", [...TESTS].reverse()));
  expect(orderOf("1")).not.toEqual(orderOf("2"));
});

test("no large file starts in the last quarter", () => {
  const large = new Set(TESTS.filter((_, index) => index % 5 === 0).map(({ path }) => path));
  for (let seed = 1; seed <= 20; seed += 1) {
    const last = orderOf(String(seed)).slice(-25);
    expect(last.filter((path) => large.has(path))).toEqual([]);
  }
});
