import { Intake, type IntakeLimits } from "../../src/xmpp/transport/intake";
import type { ReadControl } from "../../src/xmpp/transport/transport";

/** When a transport pauses and resumes reading. */

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function open(limits: Partial<IntakeLimits> = {}) {
  const calls: string[] = [];
  const transport: ReadControl = {
    hold: () => void calls.push("pause"),
    release: () => void calls.push("resume"),
  };
  const throttle = new Intake({ queue: 32, bytesPerSecond: 1_000, ...limits }, transport);
  return { calls, throttle };
}

test("allows a burst of four seconds' worth, and then the rate", () => {
  const { calls, throttle } = open();
  throttle.bytes(4_000);
  expect(calls).toEqual([]);
  throttle.bytes(500);
  expect(calls).toEqual(["pause"]);
  jest.advanceTimersByTime(490);
  expect(calls).toEqual(["pause"]);
  jest.advanceTimersByTime(20);
  expect(calls).toEqual(["pause", "resume"]);
  throttle.bytes(2_000);
  expect(calls).toEqual(["pause", "resume", "pause"]);
});

test("bytes that arrive after the pause lengthen it", () => {
  const { calls, throttle } = open();
  for (let count = 0; count < 5; count += 1) throttle.bytes(1_000);
  throttle.bytes(1_000);
  jest.advanceTimersByTime(1_500);
  expect(calls).toEqual(["pause"]);
  jest.advanceTimersByTime(600);
  expect(calls).toEqual(["pause", "resume"]);
});

test("an idle client saves up four seconds and no more", () => {
  const { calls, throttle } = open();
  jest.advanceTimersByTime(3_600_000);
  throttle.bytes(4_000);
  expect(calls).toEqual([]);
  throttle.bytes(1);
  expect(calls).toEqual(["pause"]);
});

test("0 disables the rate limit", () => {
  const { calls, throttle } = open({ bytesPerSecond: 0 });
  throttle.bytes(1_000_000_000);
  expect(calls).toEqual([]);
});

test("queues two inputs before authentication, more after it", () => {
  const { calls, throttle } = open({ queue: 8 });
  throttle.waiting(1);
  expect(calls).toEqual([]);
  throttle.waiting(2);
  expect(calls).toEqual(["pause"]);
  throttle.widen();
  throttle.waiting(2);
  expect(calls).toEqual(["pause", "resume"]);
  throttle.waiting(7);
  expect(calls).toEqual(["pause", "resume"]);
  throttle.waiting(8);
  throttle.waiting(5);
  expect(calls).toEqual(["pause", "resume", "pause"]);
  throttle.waiting(4);
  expect(calls).toEqual(["pause", "resume", "pause", "resume"]);
});

test("resumes only when both limits allow it", () => {
  const { calls, throttle } = open();
  throttle.waiting(2);
  throttle.bytes(5_000);
  throttle.waiting(0);
  expect(calls).toEqual(["pause"]);
  jest.advanceTimersByTime(1_100);
  expect(calls).toEqual(["pause", "resume"]);
  throttle.bytes(5_000);
  throttle.waiting(2);
  jest.advanceTimersByTime(3_600_000);
  expect(calls).toEqual(["pause", "resume", "pause"]);
  throttle.waiting(1);
  expect(calls).toEqual(["pause", "resume", "pause", "resume"]);
});

test("leaves no timer after stop", () => {
  const { calls, throttle } = open();
  throttle.bytes(5_000);
  throttle.end();
  jest.advanceTimersByTime(3_600_000);
  expect(calls).toEqual(["pause"]);
  expect(jest.getTimerCount()).toBe(0);
});
