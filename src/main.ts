import "./core/startup/node-env";
import "./core/startup/young-generation";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type App, startApp } from "./app";
import { isLoopback } from "./core/client-address";
import { ConfigError, readConfig } from "./core/config";
import {
  isStdoutTerminal,
  onOutputClosed,
  printBanner,
  printProblem,
  printText,
  type ReadyNode,
} from "./core/console";
import { openLog } from "./core/log";
import { checkMachine } from "./core/startup/check-machine";
import { StartError } from "./core/startup/start-error";
import { notifySystemd } from "./core/startup/systemd";
import { letYoungGenerationGrow } from "./core/startup/young-generation";
import { describeUnknown } from "./core/unknown-variables";
import { CREDENTIALS_FILE, OWNER_FILE } from "./domain/applications/bootstrap";
import { UnusableDatabaseError } from "./platform/store/unusable-database-error";

/** Time after the drain timeout, or after a start was stopped, until the process exits in any case, in milliseconds. */
const FORCED_EXIT_MS = 5_000;

async function main(): Promise<void> {
  const config = readConfig();
  const log = openLog(config.LOG_LEVEL);
  for (const variable of config.unknownVariables) {
    log.warn({ variable: variable.given }, describeUnknown(variable));
  }
  await checkMachine(config);
  let app: App | null = null;
  const stopping = new AbortController();

  const end = (code: number) => {
    if (stopping.signal.aborted) return;
    const seconds = config.DRAIN_SPREAD_SECONDS + config.DRAIN_SECONDS;
    const limit = (app === null ? 0 : seconds * 1000) + FORCED_EXIT_MS;
    setTimeout(() => process.exit(code || 1), limit).unref();
    stopping.abort();
    notifySystemd("STOPPING=1", log);
    // A start that is stopped closes what it has opened, after a running migration has been rolled back.
    const closed = app === null ? starting.then((started) => started?.close()) : app.close();
    void closed.then(() => process.exit(code));
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => end(0));
  onOutputClosed(() => end(0));
  // SIGHUP of a closed terminal stops the process; SIGHUP to a service reloads the certificate.
  process.on("SIGHUP", () => {
    if (isStdoutTerminal()) end(0);
    else void app?.reload();
  });

  const starting = startApp(config, {
    log,
    signal: stopping.signal,
    onLockLost(reason) {
      app?.log.fatal(reason);
      end(1);
    },
  }).catch((error: unknown) => {
    if (stopping.signal.aborted) return null;
    throw error;
  });
  app = await starting;
  if (app === null || stopping.signal.aborted) return;
  letYoungGenerationGrow();
  notifySystemd("READY=1", log);
  const ready = describeNode(app, config.DATA_DIR);
  if (isStdoutTerminal()) {
    // A container's terminal is kept as a log. There, as on every server that other machines reach, the file has them.
    return printBanner(ready, isLoopback(config.HOST) ? app.created : null);
  }
  // Other outputs are logs, which consist of JSON lines and which other people may read. The log itself ignores that its
  // reader is gone, and the service ends then.
  const output = { write: (line: string) => printText(line.trimEnd()) };
  openLog(config.LOG_LEVEL, output).info(ready, "Signalbox is ready");
}

function describeNode(
  { addresses, dashboardUrl, chatUrls, conferenceUrls }: App,
  folder: string,
): ReadyNode {
  const owner = join(folder, OWNER_FILE);
  const credentials = join(folder, CREDENTIALS_FILE);
  return {
    rest: addresses.base_url,
    graphql: addresses.graphql_url,
    dashboard: dashboardUrl,
    chat: chatUrls,
    conferences: conferenceUrls,
    ...(existsSync(owner) ? { owner } : {}),
    ...(existsSync(credentials) ? { credentials } : {}),
  };
}

main().catch((error: unknown) => {
  // Errors that the operator can fix are printed without a stack trace.
  const expected =
    error instanceof ConfigError ||
    error instanceof StartError ||
    error instanceof UnusableDatabaseError ||
    cannotListen(error);
  printProblem(expected ? (error as Error).message : error);
  process.exit(1);
});

const LISTEN_CODES = ["EADDRINUSE", "EACCES", "EADDRNOTAVAIL"];

function cannotListen(error: unknown): boolean {
  return error instanceof Error && "code" in error && LISTEN_CODES.includes(String(error.code));
}
