import { ConfigError, readConfig } from "../../core/config";
import { resolveAccess } from "../client/server";
import { checkCertificate } from "./certificate";
import { checkChatServer } from "./chat-server";
import { checkNetworkClock } from "./clock";
import { checkConfiguration, checkSpelling, configurationProblems } from "./configuration";
import { checkDataFolder } from "./data-folder";
import { checkDatabase } from "./database";
import { checkExposure } from "./exposure";
import { type CheckContext, type Finding, withTimeout } from "./finding";
import { checkMail } from "./mail";
import { checkMediaServer } from "./media-server";
import { checkPorts } from "./ports";
import { checkProviders } from "./providers";
import { checkRedis } from "./redis";
import { checkServer, probeServer } from "./server";

/** Options of {@link runChecks}. */
export interface CheckOptions {
  url?: string;
  token?: string;
  /** A host, host:port, or `none`. */
  timeServer: string;
  /** Replaces process.env. */
  environment?: Record<string, string | undefined>;
}

/** Names of the checks, in output order. */
export const CHECK_ORDER = [
  "configuration",
  "server",
  "owner",
  "data folder",
  "secret files",
  "database",
  "migrations",
  "jobs",
  "secret key",
  "key strength",
  "redis",
  "redis access",
  "clock: database",
  "clock: redis",
  "clock: network",
  "port",
  "chat port",
  "chat port: wss",
  "chat port: tcp",
  "chat port: tls",
  "chat server",
  "media server",
  "certificate",
  "mail",
  "encryption",
  "proxy",
  "limits",
  "private networks",
  "schema",
  "metrics",
];

/**
 * Runs all checks concurrently, each with its own timeout. The embedded database of a running server is not
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
      return [...configurationProblems(error.problems), ...checkSpelling(options.environment)];
    }
    throw error;
  }
  const { config } = context;
  // Opening a folder last used from another container takes ten seconds: its lock is watched first.
  const databaseSeconds = config.DATABASE_URL === undefined ? 25 : 10;
  const groups = await Promise.all([
    checkConfiguration(config, checkSpelling(options.environment)),
    withTimeout(15, "server", "Check its log.", () => checkServer(context)),
    withTimeout(5, "data folder", "Check its disk.", () => checkDataFolder(config)),
    withTimeout(databaseSeconds, "database", "Check its log.", () => checkDatabase(context)),
    withTimeout(5, "exposure", "Correct BASE_URL.", () => checkExposure(context)),
    withTimeout(8, "redis", "Check its log.", () => checkRedis(config)),
    withTimeout(4, "clock: network", "Use another one: --time-server.", () =>
      checkNetworkClock(options.timeServer),
    ),
    withTimeout(10, "port", "Correct HOST.", () => checkPorts(config)),
    withTimeout(5, "certificate", "Check its disk.", () => checkCertificate(config)),
    withTimeout(5, "chat server", "Check its log.", () => checkChatServer(config)),
    withTimeout(8, "media server", "Check its log.", () => checkMediaServer(config)),
    withTimeout(8, "mail", "Correct SMTP_URL.", () => checkMail(config)),
    withTimeout(30, "providers", "Check the network.", () => checkProviders(context)),
  ]);
  const position = ({ check }: Finding) => {
    const index = CHECK_ORDER.indexOf(check);
    return index < 0 ? CHECK_ORDER.length : index;
  };
  return groups.flat().sort((a, b) => position(a) - position(b));
}
