import { Intake } from "../../src/xmpp/transport/intake";

/** When a transport stops reading, and reads again. */

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function open(limits: Partial<{ queue: number; bytesPerSecond: number }> = {}) {
  const said: string[] = [];
  const transport = {
    hold: () => void said.push("hold"),
    release: () => void said.push("release"),
  };
  return { said, intake: new Intake({ queue: 32, bytesPerSecond: 1_000, ...limits }, transport) };
}

test("four seconds' worth may come at once, and then no more than the rate", () => {
  const { said, intake } = open();
  intake.bytes(4_000);
  expect(said).toEqual([]);
  intake.bytes(500);
  expect(said).toEqual(["hold"]);
  jest.advanceTimersByTime(490);
  expect(said).toEqual(["hold"]);
  jest.advanceTimersByTime(20);
  expect(said).toEqual(["hold", "release"]);
  intake.bytes(2_000);
  expect(said).toEqual(["hold", "release", "hold"]);
});

test("what was read already and comes while it holds is waited for as well", () => {
  const { said, intake } = open();
  for (let count = 0; count < 5; count += 1) intake.bytes(1_000);
  intake.bytes(1_000);
  jest.advanceTimersByTime(1_500);
  expect(said).toEqual(["hold"]);
  jest.advanceTimersByTime(600);
  expect(said).toEqual(["hold", "release"]);
});

test("a pause saves up four seconds and no more", () => {
  const { said, intake } = open();
  jest.advanceTimersByTime(3_600_000);
  intake.bytes(4_000);
  expect(said).toEqual([]);
  intake.bytes(1);
  expect(said).toEqual(["hold"]);
});

test("0 is any", () => {
  const { said, intake } = open({ bytesPerSecond: 0 });
  intake.bytes(1_000_000_000);
  expect(said).toEqual([]);
});

test("two elements wait before signing in, more after it", () => {
  const { said, intake } = open({ queue: 8 });
  intake.waiting(1);
  expect(said).toEqual([]);
  intake.waiting(2);
  expect(said).toEqual(["hold"]);
  intake.widen();
  intake.waiting(2);
  expect(said).toEqual(["hold", "release"]);
  intake.waiting(7);
  expect(said).toEqual(["hold", "release"]);
  intake.waiting(8);
  intake.waiting(5);
  expect(said).toEqual(["hold", "release", "hold"]);
  intake.waiting(4);
  expect(said).toEqual(["hold", "release", "hold", "release"]);
});

test("it reads again once neither stands against it", () => {
  const { said, intake } = open();
  intake.waiting(2);
  intake.bytes(5_000);
  intake.waiting(0);
  expect(said).toEqual(["hold"]);
  jest.advanceTimersByTime(1_100);
  expect(said).toEqual(["hold", "release"]);
  intake.bytes(5_000);
  intake.waiting(2);
  jest.advanceTimersByTime(3_600_000);
  expect(said).toEqual(["hold", "release", "hold"]);
  intake.waiting(1);
  expect(said).toEqual(["hold", "release", "hold", "release"]);
});

test("nothing runs on after the end", () => {
  const { said, intake } = open();
  intake.bytes(5_000);
  intake.end();
  jest.advanceTimersByTime(3_600_000);
  expect(said).toEqual(["hold"]);
  expect(jest.getTimerCount()).toBe(0);
});
