import { inTurns } from "../../src/core/loads/in-turns";

/** Work that is split over turns of the event loop. */

it.each([0, 1, 3, 4, 10])("visits %i items in order, three in a turn", async (count) => {
  const items = Array.from({ length: count }, (_, index) => index);
  const visited: number[] = [];
  const inTurn: number[] = [];
  let running = true;
  let before = 0;
  const endOfTurn = () => {
    inTurn.push(visited.length - before);
    before = visited.length;
    if (running) setImmediate(endOfTurn);
  };
  setImmediate(endOfTurn);
  await inTurns(items, 3, (item) => void visited.push(item));
  running = false;
  await new Promise((resolve) => setImmediate(resolve));
  expect(visited).toEqual(items);
  expect(Math.max(...inTurn)).toBeLessThanOrEqual(3);
});

it("stops at an item that fails", async () => {
  const visited: number[] = [];
  const visit = (item: number) => {
    visited.push(item);
    if (item === 2) throw new Error("two");
  };
  await expect(inTurns([1, 2, 3, 4], 1, visit)).rejects.toThrow("two");
  expect(visited).toEqual([1, 2]);
});
