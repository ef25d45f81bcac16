import { monotonicNow } from "../../core/clock";

/** Interval between samples, in milliseconds. */
const INTERVAL_MS = 100;

/** Starts sampling the delay of timers. @returns a function that stops it */
export type DelaySampler = (onSample: (delayMs: number) => void) => () => void;

/**
 * Samples the event-loop delay: how late a timer runs, in milliseconds. A new request waits behind the same
 * work as the timer.
 */
export const sampleEventLoopDelay: DelaySampler = (onSample) => {
  let due = monotonicNow() + INTERVAL_MS;
  let timer = setTimeout(sample, INTERVAL_MS);
  timer.unref();
  function sample() {
    const now = monotonicNow();
    onSample(Math.max(0, now - due));
    due = now + INTERVAL_MS;
    timer = setTimeout(sample, INTERVAL_MS);
    timer.unref();
  }
  return () => clearTimeout(timer);
};
