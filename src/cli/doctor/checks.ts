import { ConfigError, readConfig } from "../../core/config";
import { accessOf } from "../server";
import { checkCertificate } from "./certificate";
import { checkChatServer } from "./chat-server";
import { checkNetworkClock } from "./clock";
import { checkConfiguration, configurationProblems } from "./configuration";
import { checkDataFolder } from "./data-folder";
import { checkDatabase } from "./database";
import { checkExposure } from "./exposure";
import { type Finding, type Patient, within } from "./finding";
import { checkMail } from "./mail";
import { checkPorts } from "./ports";
import { checkProviders } from "./providers";
import { checkRedis } from "./redis";
import { checkServer, findServer } from "./server";

/** How the checks are to be done. */
export interface CheckOptions {
  url?: string;
  token?: string;
  /** A host, host:port, or `none`. */
  timeServer: string;
  /** In place of the process' own. */
  environment?: Record<string, string | undefined>;
}

/** Names of the checks, in the order in which they are told. */
export const ORDER = [
  ...["configuration", "server", "owner", "data folder", "secret files", "database"],
  ...["migrations", "jobs", "secret key", "key strength", "redis", "redis access"],
  ...[
    "clock: database",
    "clock: redis",
    "clock: network",
    "port",
    "chat port",
    "chat port: wss",
    "chat port: tcp",
  ],
  ...["chat port: tls", "chat server", "certificate", "mail"],
  ...["encryption", "proxy", "limits", "private networks", "schema", "metrics"],
];

/**
 * Looks at everything that a server needs, all at once, each within its own time. The embedded
 * database of a running server is not opened: the server is asked in its place.
 */
export async function runChecks(options: CheckOptions): Promise<Finding[]> {
  let patient: Patient;
  try {
    const config = readConfig(options.environment);
    const access = accessOf(options, config);
    patient = { config, access, server: await findServer(access.url) };
  } catch (error) {
    if (error instanceof ConfigError) return configurationProblems(error.problems);
    throw error;
  }
  const { config } = patient;
  // A folder last used from another container is watched for ten seconds before it is opened.
  const databaseS = config.DATABASE_URL === undefined ? 25 : 10;
  const groups = await Promise.all([
    checkConfiguration(config),
    within(15, "server", "Look at its log.", () => checkServer(patient)),
    within(5, "data folder", "Look at the disk that it is on.", () => checkDataFolder(config)),
    within(databaseS, "database", "Look at its log.", () => checkDatabase(patient)),
    within(5, "exposure", "Correct BASE_URL.", () => checkExposure(patient)),
    within(8, "redis", "Look at its log.", () => checkRedis(config)),
    within(4, "clock: network", "Name another: --time-server.", () =>
      checkNetworkClock(options.timeServer),
    ),
    within(10, "port", "Correct HOST.", () => checkPorts(config)),
    within(5, "certificate", "Look at the disk that it is on.", () => checkCertificate(config)),
    within(5, "chat server", "Look at its log.", () => checkChatServer(config)),
    within(8, "mail", "Correct SMTP_URL.", () => checkMail(config)),
    within(30, "providers", "Look at the network.", () => checkProviders(patient)),
  ]);
  const place = ({ check }: Finding) => {
    const found = ORDER.indexOf(check);
    return found < 0 ? ORDER.length : found;
  };
  return groups.flat().sort((a, b) => place(a) - place(b));
}
