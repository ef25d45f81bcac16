import type { Config } from "../../core/config";
import { SharedLoads } from "../../core/loads/shared-loads";
import { KeySets } from "../sign-in/key-sets";
import type { SignInDeps } from "../sign-in/sign-in-deps";
import { ActivityTracker, type ActivityTrackerDeps } from "./activity-tracker";
import { SessionCache } from "./session-cache";
import type { SessionDeps } from "./session-deps";

/** The open module. */
export interface SessionModule extends SessionDeps {
  /** Writes the last activity. */
  close(): Promise<void>;
}

/** Opens sessions and sign-ins, and starts to write activity periodically. */
export function openSessions(
  deps: Omit<SignInDeps, "config" | "keySets"> &
    Pick<SessionDeps, "webOrigins"> &
    Pick<ActivityTrackerDeps, "sweepOthers"> & {
      config: Pick<Config, "PROVIDER_TIMEOUT_MS" | "REDIS_URL">;
    },
): SessionModule {
  const { config, connector, sessionEvents } = deps;
  // With Redis another node may end a session at any time, so only a single node may cache one.
  const sessionCache = config.REDIS_URL === undefined ? new SessionCache() : null;
  if (sessionCache) sessionEvents.addCache(sessionCache);
  const activity = new ActivityTracker(deps);
  return {
    ...deps,
    sessionCache,
    activity,
    boundSessions: new SharedLoads(),
    keySets: new KeySets({ connector, timeoutMs: config.PROVIDER_TIMEOUT_MS }, deps.clock),
    close: () => activity.close(),
  };
}
