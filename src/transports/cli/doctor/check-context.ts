import type { Config } from "../../../core/config";
import type { ServerAccess } from "../connection/server";

/** Input of the checks: the configuration, and what answers at the server's address. */
export interface CheckContext {
  config: Config;
  access: ServerAccess;
  server: RunningServer;
}

/** What answers at the server's address. */
export interface RunningServer {
  url: string;
  /** `none`: nothing answers. `other`: something answers that is not Signalbox. */
  state: "none" | "other" | "not ready" | "ready";
  /** Null if unknown. */
  version: string | null;
}
