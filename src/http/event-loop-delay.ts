import { elapsed } from "../core/clock";

/** Milliseconds between two samples. */
const INTERVAL_MS = 100;

/** Samples how late timers run, and answers how to stop. */
export type SampleDelay = (onSample: (delayMs: number) => void) => () => void;

/**
 * Samples the delay of the event loop: how much later than due a timer runs, in milliseconds. A timer that
 * is late waited for all that the loop had to do first, as a new request does.
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
