import { shuffled } from "./random";

/** Milliseconds for each of a few: a handful need not be kept waiting for the whole window. */
const EACH_MS = 20;
/** Milliseconds between two steps. */
const STEP_MS = 50;

/**
 * Ends many things over a window, a few at a time and in no order, so that those who come back do not
 * all come at once. What ends by itself meanwhile is ended again, which must do nothing.
 * @param windowMs milliseconds at most; a few are ended sooner
 */
export async function spread<T>(
  items: Iterable<T>,
  windowMs: number,
  end: (item: T) => void,
): Promise<void> {
  const waiting = shuffled([...items]);
  const steps = Math.ceil(Math.min(windowMs, waiting.length * EACH_MS) / STEP_MS);
  for (let step = 0; step < steps; step++) {
    const share = Math.ceil(waiting.length / (steps - step));
    for (const item of waiting.splice(0, share)) end(item);
    if (waiting.length > 0) await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  for (const item of waiting) end(item);
}
