import { Fault } from "../../../core/errors";
import type { ConferenceEngine } from "../engine/engine";

/** The engine with CONFERENCES=off: nothing opens. */
export const disabledEngine: ConferenceEngine = {
  open: unsupported,
  connect: unsupported,
  signal: unsupported,
  close: async () => undefined,
};

function unsupported(): Promise<never> {
  return Promise.reject(new Fault("UNSUPPORTED", "Conferences are off on this server"));
}
