import {
  type InboundLimits,
  InboundThrottle,
} from "../../src/transports/xmpp/stream/inbound-throttle";
import type { ReadControl } from "../../src/transports/xmpp/stream/transport";

/** When a transport pauses and resumes reading. */

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function open(limits: Partial<InboundLimits> = {}) {
  const calls: string[] = [];
  const transport: ReadControl = {
    pauseReading: () => void calls.push("pause"),
    resumeReading: () => void calls.push("resume"),
  };
  const throttle = new InboundThrottle(
    { maxQueued: 32, bytesPerSecond: 1_000, ...limits },
    transport,
  );
  return { calls, throttle };
}

test("allows a burst of four seconds' worth, and then the rate", () => {
  const { calls, throttle } = open();
  throttle.countBytes(4_000);
  expect(calls).toEqual([]);
  throttle.countBytes(500);
  expect(calls).toEqual(["pause"]);
  jest.advanceTimersByTime(490);
  expect(calls).toEqual(["pause"]);
  jest.advanceTimersByTime(20);
  expect(calls).toEqual(["pause", "resume"]);
  throttle.countBytes(2_000);
  expect(calls).toEqual(["pause", "resume", "pause"]);
});

test("bytes that arrive after the pause lengthen it", () => {
  const { calls, throttle } = open();
  for (let count = 0; count < 5; count += 1) throttle.countBytes(1_000);
  throttle.countBytes(1_000);
  jest.advanceTimersByTime(1_500);
  expect(calls).toEqual(["pause"]);
  jest.advanceTimersByTime(600);
  expect(calls).toEqual(["pause", "resume"]);
});

test("an idle client saves up four seconds and no more", () => {
  const { calls, throttle } = open();
  jest.advanceTimersByTime(3_600_000);
  throttle.countBytes(4_000);
  expect(calls).toEqual([]);
  throttle.countBytes(1);
  expect(calls).toEqual(["pause"]);
});

test("0 disables the rate limit", () => {
  const { calls, throttle } = open({ bytesPerSecond: 0 });
  throttle.countBytes(1_000_000_000);
  expect(calls).toEqual([]);
});

test("queues two inputs before authentication, more after it", () => {
  const { calls, throttle } = open({ maxQueued: 8 });
  throttle.setQueueLength(1);
  expect(calls).toEqual([]);
  throttle.setQueueLength(2);
  expect(calls).toEqual(["pause"]);
  throttle.raiseQueueLimit();
  throttle.setQueueLength(2);
  expect(calls).toEqual(["pause", "resume"]);
  throttle.setQueueLength(7);
  expect(calls).toEqual(["pause", "resume"]);
  throttle.setQueueLength(8);
  throttle.setQueueLength(5);
  expect(calls).toEqual(["pause", "resume", "pause"]);
  throttle.setQueueLength(4);
  expect(calls).toEqual(["pause", "resume", "pause", "resume"]);
});

test("resumes only when both limits allow it", () => {
  const { calls, throttle } = open();
  throttle.setQueueLength(2);
  throttle.countBytes(5_000);
  throttle.setQueueLength(0);
  expect(calls).toEqual(["pause"]);
  jest.advanceTimersByTime(1_100);
  expect(calls).toEqual(["pause", "resume"]);
  throttle.countBytes(5_000);
  throttle.setQueueLength(2);
  jest.advanceTimersByTime(3_600_000);
  expect(calls).toEqual(["pause", "resume", "pause"]);
  throttle.setQueueLength(1);
  expect(calls).toEqual(["pause", "resume", "pause", "resume"]);
});

test("leaves no timer after stop", () => {
  const { calls, throttle } = open();
  throttle.countBytes(5_000);
  throttle.stop();
  jest.advanceTimersByTime(3_600_000);
  expect(calls).toEqual(["pause"]);
  expect(jest.getTimerCount()).toBe(0);
});
