import { MediaLimit } from "../../../src/domain/conferences/engine/embedded/sfu/bounds/media-limit";

/** When a publisher's medium is dropped, forwarded again, and ends its peer. */

const CAP = 100_000;

/** What happens in each second of a series of rates, as multiples of the cap: forwarded, dropped, or closed. */
function run(rates: readonly number[], limit = new MediaLimit()): string {
  return rates
    .map((rate) => {
      if (!limit.update(rate * CAP, CAP, 1)) return "C";
      return limit.isDropped ? "d" : "f";
    })
    .join("");
}
const seconds = (count: number, rate: number) => Array<number>(count).fill(rate);

test.each([
  ["a rate at the limit is forwarded", seconds(60, 1.5), "f".repeat(60)],
  ["one beyond it is dropped after three seconds", seconds(10, 1.6), "ffdddddddd"],
  ["a burst of two seconds is forwarded", [2, 2, 1, 2, 2, 1], "ffffff"],
  [
    "what is dropped is forwarded again after three seconds within it",
    [...seconds(4, 2), 1, 1, 2, ...seconds(4, 1)],
    "ffdddddddff",
  ],
  [
    "a peer beyond three times is closed after thirty seconds",
    seconds(31, 4),
    `ff${"d".repeat(27)}CC`,
  ],
  ["one beyond twice is not closed", seconds(100, 2.9), `ff${"d".repeat(98)}`],
  [
    "thirty seconds are counted in a row",
    [...seconds(29, 4), 1, ...seconds(29, 4)],
    `ff${"d".repeat(57)}`,
  ],
])("%s", (_, rates, expected) => {
  expect(run(rates)).toBe(expected);
});

test("the time of a late call counts as it was", () => {
  const limit = new MediaLimit();
  limit.update(2 * CAP, CAP, 3.2);
  expect(limit.isDropped).toBe(true);
});
