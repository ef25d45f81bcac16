import type { Outcome, Provider } from "./provider";

/** Provider for unreadable credentials: refuses every push and check with the reason. */
export function rejectingProvider(reason: string): Provider {
  const outcome: Outcome = { kind: "failed", reason };
  return {
    send: async () => outcome,
    check: async () => reason,
    close: async () => {},
  };
}
