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

test("allows a burst of four seconds' worth, and then the rate", () => {
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

test("bytes that arrive after the pause lengthen it", () => {
  const { said, intake } = open();
  for (let count = 0; count < 5; count += 1) intake.bytes(1_000);
  intake.bytes(1_000);
  jest.advanceTimersByTime(1_500);
  expect(said).toEqual(["hold"]);
  jest.advanceTimersByTime(600);
  expect(said).toEqual(["hold", "release"]);
});

test("an idle client saves up four seconds and no more", () => {
  const { said, intake } = open();
  jest.advanceTimersByTime(3_600_000);
  intake.bytes(4_000);
  expect(said).toEqual([]);
  intake.bytes(1);
  expect(said).toEqual(["hold"]);
});

test("0 disables the rate limit", () => {
  const { said, intake } = open({ bytesPerSecond: 0 });
  intake.bytes(1_000_000_000);
  expect(said).toEqual([]);
});

test("queues two inputs before authentication, more after it", () => {
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

test("resumes only when both limits allow it", () => {
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

test("leaves no timer after stop", () => {
  const { said, intake } = open();
  intake.bytes(5_000);
  intake.end();
  jest.advanceTimersByTime(3_600_000);
  expect(said).toEqual(["hold"]);
  expect(jest.getTimerCount()).toBe(0);
});
