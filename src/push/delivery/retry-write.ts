import { setTimeout as wait } from "node:timers/promises";
import { Fault } from "../../core/errors";
import { isDeadlock } from "../../store/database-errors";

/** Delays between attempts, in milliseconds: ten seconds in total. */
const DELAYS_MS = [100, 400, 1_500, 3_000, 5_000];

/**
 * Retries a write on deadlock or lost connection. Only this process knows what was sent; if the write is
 * lost, the pushes are sent again.
 * @param act must be idempotent: a write may have succeeded although its response was lost
 * @throws the error of the last attempt
 */
export async function retryWrite(act: () => Promise<void>): Promise<void> {
  for (const ms of DELAYS_MS) {
    try {
      return await act();
    } catch (error) {
      if (!isDeadlock(error) && !(error instanceof Fault && error.code === "UNAVAILABLE"))
        throw error;
      await wait(ms);
    }
  }
  return act();
}
