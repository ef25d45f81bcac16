import { shuffled } from "./random";

/** Window per item, in milliseconds, so that a few items do not take the whole window. */
const ITEM_MS = 20;
/** Time between two steps, in milliseconds. */
const STEP_MS = 50;

/**
 * Closes many connections over a window, a few at a time and in random order, so that clients do not all
 * reconnect at once. `close` must be idempotent: a connection may end by itself first.
 * @param windowMs maximum length of the window, in milliseconds; a few connections take less
 */
export async function closeGradually<T>(
  items: Iterable<T>,
  windowMs: number,
  close: (item: T) => void,
): Promise<void> {
  const remaining = shuffled([...items]);
  const steps = Math.ceil(Math.min(windowMs, remaining.length * ITEM_MS) / STEP_MS);
  for (let step = 0; step < steps; step++) {
    const share = Math.ceil(remaining.length / (steps - step));
    for (const item of remaining.splice(0, share)) close(item);
    if (remaining.length > 0) await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  for (const item of remaining) close(item);
}
