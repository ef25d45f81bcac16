import { readFileSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { freePort } from "../scripts/services/binaries";
import { type MeasuredProcess, startMeasured } from "./measured-process";
import { tracingVariables } from "./tracing-sink";

/** The service under measurement. */
export interface Service extends MeasuredProcess {
  baseUrl: string;
}

/** The data locations of a service. */
export interface ServiceLocation {
  dataDir: string;
  databaseUrl?: string;
  redisUrl?: string;
}

/** Limits above any load. A limit of 0 would disable the counting, which must be measured too. */
const HIGH_LIMITS = Object.fromEntries([
  ...["REQUESTS", "SESSIONS", "SIGN_INS", "SIGN_UPS"].flatMap((what) =>
    ["IP", "APPLICATION"].map((whose) => [`RATE_${what}_PER_${whose}`, "100000000"]),
  ),
  ...["MESSAGES", "MESSAGE_BYTES", "NEW_CALLS", "CHAT_SIGN_INS", "PASSWORDS"].map((what) => [
    `RATE_${what}_PER_USER`,
    "100000000",
  ]),
  ["XMPP_BYTES_PER_SECOND", "1073741824"],
]);

/** Free ports for the endpoints of chat and of legacy conferences. */
const FREE_PORTS = Object.fromEntries(
  ["XMPP_WS", "XMPP_WSS", "XMPP_TCP", "XMPP_TLS", "CONFERENCE_WS", "CONFERENCE_WSS"].map((name) => [
    `${name}_PORT`,
    "0",
  ]),
);

const MAIN = join(__dirname, "../src/main.js");

/**
 * Starts the service as it is deployed: built, and with the default configuration except for ports and rate
 * limits. The limits are raised because all load comes from few clients; the counting stays on.
 * @param profile folder for a CPU profile, which is written when the service exits
 * @param more additional configuration variables
 */
export async function startService(
  location: ServiceLocation,
  profile?: string,
  more: Record<string, string> = {},
): Promise<Service> {
  const port = await freePort();
  const environment: Record<string, string> = {
    PORT: String(port),
    ...FREE_PORTS,
    DATA_DIR: location.dataDir,
    ...HIGH_LIMITS,
    ...(await tracingVariables()),
    ...more,
  };
  if (location.databaseUrl) {
    environment.DATABASE_URL = location.databaseUrl;
    environment.SECRET_KEY = "0".repeat(64);
  }
  if (location.redisUrl) environment.REDIS_URL = location.redisUrl;
  const profiling = profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : [];
  // Without a developer's .env.
  const args = [...profiling, MAIN, "--env-file", devNull];
  const measured = await startMeasured({ args, environment, ready: /"Signalbox is ready"/ });
  return { ...measured, baseUrl: `http://127.0.0.1:${port}` };
}

/** The application that the first start of the service created. */
export function readApplication(dataDir: string) {
  const text = readFileSync(join(dataDir, "credentials.json"), "utf8");
  const { application_id, auth_key, auth_secret } = JSON.parse(text) as {
    application_id: number;
    auth_key: string;
    auth_secret: string;
  };
  return { applicationId: application_id, authKey: auth_key, authSecret: auth_secret };
}

/** Starts the baseline with the same database. */
export async function startBaseline(databaseUrl: string): Promise<Service> {
  const port = await freePort();
  const measured = await startMeasured({
    args: [join(__dirname, "baseline.js"), String(port), databaseUrl],
    environment: {},
    ready: /^ready$/m,
  });
  return { ...measured, baseUrl: `http://127.0.0.1:${port}` };
}
