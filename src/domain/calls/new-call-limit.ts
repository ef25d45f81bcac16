import { Fault } from "../../core/errors";
import type { Bus } from "../../platform/bus/bus";
import { newCallKey } from "./inbox/bus-keys";
import type { Party, Signal } from "./signals/signal";

/** The dependencies of {@link countNewCall}. */
export interface NewCallDeps {
  bus: Bus;
  /** Counts a new call of a user. @throws Fault LIMITED with the seconds to wait */
  countNewCall(user: Party): Promise<void>;
}

/**
 * Counts a `call` whose sessionID its sender has not used in the last minute, on any node: each makes rows that stay. A
 * caller repeats a `call` for a minute, which counts once. A refused one does not count as used. Where the bus cannot
 * be reached, the signal fails by itself.
 * @throws Fault LIMITED with the seconds to wait
 */
export async function countNewCall(
  { bus: { values }, countNewCall: count }: NewCallDeps,
  { from, callId }: Pick<Signal, "from" | "callId">,
): Promise<void> {
  if (!callId) return;
  const key = newCallKey(from, callId);
  if ((await values.setIfAbsent(key, "1")) !== undefined) return;
  try {
    await count(from);
  } catch (error) {
    if (error instanceof Fault && error.code === "LIMITED") await values.deleteIf(key, "1");
    throw error;
  }
}
