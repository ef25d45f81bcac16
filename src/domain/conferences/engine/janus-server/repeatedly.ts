/**
 * Repeats work at an interval, but never while the last run is still going on.
 * @param act must not reject
 * @returns stops it
 */
export function repeatedly(ms: number, act: () => Promise<void>): () => void {
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    void act().finally(() => {
      running = false;
    });
  }, ms);
  timer.unref();
  return () => clearInterval(timer);
}
