import { ConfigError, readConfig } from "../../../core/config";
import {
  configurationProblems,
  unknownVariableProblems,
} from "../../../domain/health/checks/configuration";
import { type Finding, withTimeout } from "../../../domain/health/checks/finding";
import { inCheckOrder, runServiceChecks } from "../../../domain/health/checks/service-checks";
import { resolveAccess } from "../connection/server";
import type { CheckContext } from "./check-context";
import { checkStoredData } from "./database";
import { checkPorts } from "./ports";
import { checkProviders } from "./providers";
import { checkServer, probeServer } from "./server";

/** Options of {@link runChecks}. */
export interface CheckOptions {
  url?: string;
  token?: string;
  /** Replaces the environment of the process and its file. */
  environment?: Record<string, string | undefined>;
}

/**
 * Runs all checks concurrently, each with its own timeout: those of health/checks, which a running node runs as well,
 * and those that need no node or look at it from outside. The embedded database of a running server is not
 * opened; its state is derived from the server's readiness.
 */
export async function runChecks(options: CheckOptions): Promise<Finding[]> {
  let context: CheckContext;
  try {
    const config = readConfig(options.environment);
    const access = resolveAccess(options, config);
    context = { config, access, server: await probeServer(access.url) };
  } catch (error) {
    if (error instanceof ConfigError) {
      return [
        ...configurationProblems(error.problems),
        ...unknownVariableProblems(error.unknownVariables),
      ];
    }
    throw error;
  }
  const { config } = context;
  // Opening a folder last used from another container takes ten seconds: its lock is watched first.
  const databaseSeconds = config.DATABASE_URL === undefined ? 25 : 10;
  const groups = await Promise.all([
    runServiceChecks(config),
    withTimeout(15, "server", "Check its log.", () => checkServer(context)),
    withTimeout(databaseSeconds, "database", "Check its log.", () => checkStoredData(context)),
    withTimeout(10, "port", "Correct HOST.", () => checkPorts(config)),
    withTimeout(30, "providers", "Check the network.", () => checkProviders(context)),
  ]);
  return inCheckOrder(groups.flat());
}
