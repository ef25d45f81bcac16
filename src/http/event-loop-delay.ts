import { elapsed } from "../core/clock";

/** Interval between samples, in milliseconds. */
const INTERVAL_MS = 100;

/** Starts sampling the delay of timers. @returns a function that stops it */
export type SampleDelay = (onSample: (delayMs: number) => void) => () => void;

/**
 * Samples the event-loop delay: how late a timer runs, in milliseconds. A new request waits behind the same
 * work as the timer.
 */
export const sampleEventLoopDelay: SampleDelay = (onSample) => {
  let due = elapsed() + INTERVAL_MS;
  let timer = setTimeout(sample, INTERVAL_MS);
  timer.unref();
  function sample() {
    const now = elapsed();
    onSample(Math.max(0, now - due));
    due = now + INTERVAL_MS;
    timer = setTimeout(sample, INTERVAL_MS);
    timer.unref();
  }
  return () => clearTimeout(timer);
};
