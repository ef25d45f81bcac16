import type { Outcome, Provider } from "./provider";

/** What stands in for a provider whose credentials cannot even be read: it refuses, and says why. */
export function unusable(reason: string): Provider {
  const outcome: Outcome = { kind: "refused", reason };
  return {
    send: async () => outcome,
    check: async () => reason,
    close: async () => {},
  };
}
