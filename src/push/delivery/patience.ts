import { setTimeout as wait } from "node:timers/promises";
import { Fault } from "../../core/errors";
import { deadlocked } from "../../store/conflicts";

/** Milliseconds between attempts to write what cannot be found out once more: ten seconds in all. */
const WAITS_MS = [100, 400, 1_500, 3_000, 5_000];

/**
 * Writes, and again where the database was away or chose another of two: what was sent is known here
 * alone, and would be sent once more.
 * @param act bears a repetition after it was done, since an answer may be lost
 * @throws whatever `act` throws last
 */
export async function untilWritten(act: () => Promise<void>): Promise<void> {
  for (const ms of WAITS_MS) {
    try {
      return await act();
    } catch (error) {
      if (!deadlocked(error) && !(error instanceof Fault && error.code === "UNAVAILABLE"))
        throw error;
      await wait(ms);
    }
  }
  return act();
}
