import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findProgram, run as runProgram } from "../scripts/services/binaries";
import { startPostgres } from "../scripts/services/postgres-server";
import { packageRoot } from "../src/core/package-root";
import { type BenchmarkRun, startRun } from "./benchmark-run";
import { Driver } from "./driver-process";
import type { Windows } from "./measure";
import { pinDriver } from "./process-pins";
import { seedSessions, USERS } from "./seed";
import { readApplication, type ServiceLocation, startService } from "./service";
import { ejabberd } from "./signals/ejabberd";
import { type Account, DOMAIN } from "./signals/job";
import {
  type ConnectionMeasurement,
  measureConnections,
  measureSignals,
  type SignalMeasurement,
} from "./signals/measure-signals";
import { prosody } from "./signals/prosody";
import { CONNECTION_ROWS, SIGNAL_ROWS } from "./signals/rows";
import type { Certificate, ChatServer, ComparedServer, ServerName } from "./signals/server";
import { toSignalTables, writeSignalTables } from "./signals/signal-tables";
import { signalbox } from "./signals/signalbox";

const USAGE = `npm run bench:signals -- [--quick] [--only TEXT] [--idle N] [--profile] [--write]
  --quick    use short windows, for a rough result
  --only     run only rows that contain TEXT ("signals, XMPP over WebSocket: Prosody", "connections, …")
  --idle     measure N idle connections besides the 1,000 (maximum ${USERS})
  --profile  write a CPU profile of each Signalbox process to dist/bench/profiles
  --write    write the tables into bench/README.md`;

/** Time limit of a run, in milliseconds. */
const LIMIT_MS = 3_600_000;
const NORMAL: Windows = { warmUp: 3, measured: 5 };
const QUICK: Windows = { warmUp: 1, measured: 2 };
/** Idle time before a server's memory is read, in milliseconds. */
const SETTLE_MS = { normal: 10_000, quick: 2_000 };
const CROWD = 1_000;
/** Additional open files of a process besides its connections. */
const FILES = 1_000;
/** Password of every account on the other servers. */
const PASSWORD = "secret";

interface Options {
  quick: boolean;
  profile: boolean;
  write: boolean;
  only: string;
  idle: number;
}

function readOptions(): Options {
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    options: {
      quick: flag,
      profile: flag,
      write: flag,
      help: flag,
      only: { type: "string", default: "" },
      idle: { type: "string", default: "0" },
    },
  });
  const idle = Number(values.idle);
  if (values.help || !(idle >= 0 && idle <= USERS)) {
    console.log(USAGE);
    process.exit(values.help ? 0 : 1);
  }
  return { ...values, idle };
}

async function main(run: BenchmarkRun, options: Options): Promise<void> {
  const chosen = <T extends { name: string }>(rows: T[]) =>
    rows.filter(({ name }) => name.includes(options.only));
  const sizes = options.idle > 0 ? [CROWD, options.idle] : [CROWD];
  await raiseFileLimit(Math.max(...sizes) + FILES);
  await pinDriver();
  const driver = new Driver();
  run.onCleanUp(() => driver.stop());
  const subjects = await prepare(run, options);
  const windows = options.quick ? QUICK : NORMAL;
  const settle = options.quick ? SETTLE_MS.quick : SETTLE_MS.normal;

  const measureOne = async <T>(
    row: { name: string; server: ServerName },
    measure: (server: ChatServer, accounts: Account[]) => Promise<T>,
  ): Promise<T> => {
    const subject = subjects[row.server];
    const server = await subject.start();
    run.onCleanUp(() => server.stop());
    const measured = await measure(server, subject.accounts);
    await run.cleanUpLast();
    console.log(row.name);
    return measured;
  };
  const signals: SignalMeasurement[] = [];
  for (const row of chosen(SIGNAL_ROWS)) {
    signals.push(
      await measureOne(row, (server, accounts) =>
        measureSignals(driver, server, accounts, row, windows),
      ),
    );
  }
  const connections: ConnectionMeasurement[] = [];
  for (const row of chosen(CONNECTION_ROWS)) {
    connections.push(
      ...(await measureOne(row, (server, accounts) =>
        measureConnections(driver, server, accounts, row, sizes, windows.measured, settle),
      )),
    );
  }

  const tables = toSignalTables(signals, connections);
  console.log(`\n${tables}`);
  if (options.write) writeSignalTables(tables);
}

/** Prepares the servers with the same users. */
async function prepare(
  run: BenchmarkRun,
  options: Options,
): Promise<Record<ServerName, ComparedServer>> {
  const postgres = await startPostgres();
  run.onCleanUp(() => postgres.stop());
  const location: ServiceLocation = {
    dataDir: await run.createTempFolder(),
    databaseUrl: postgres.url,
  };
  const first = await startService(location);
  await first.stop();
  const { applicationId } = readApplication(location.dataDir);
  const sessions = await seedSessions(postgres.url, applicationId);

  const certificate = await makeCertificate(await run.createTempFolder());
  const profile = options.profile ? join(packageRoot(), "dist/bench/profiles") : undefined;
  const tokens = sessions.map(({ userId, token }) => ({ userId, applicationId, secret: token }));
  const passwords = tokens.map((account) => ({ ...account, secret: PASSWORD }));
  return {
    Signalbox: signalbox(location, certificate, tokens, profile),
    Prosody: await prosody(await run.createTempFolder(), certificate, passwords),
    ejabberd: await ejabberd(await run.createTempFolder(), certificate, passwords),
  };
}

/** Creates a self-signed P-256 certificate, which all servers share. */
async function makeCertificate(folder: string): Promise<Certificate> {
  const certFile = join(folder, "cert.pem");
  const keyFile = join(folder, "key.pem");
  const bothFile = join(folder, "both.pem");
  await runProgram(findProgram("openssl"), [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
    "-subj",
    `/CN=${DOMAIN}`,
    "-addext",
    `subjectAltName=DNS:${DOMAIN}`,
    "-keyout",
    keyFile,
    "-out",
    certFile,
  ]);
  await writeFile(bothFile, (await readFile(certFile, "utf8")) + (await readFile(keyFile, "utf8")));
  return { certFile, keyFile, bothFile };
}

/**
 * Raises the limit of open files for this process and its children.
 * @throws Error if the system does not allow it
 */
async function raiseFileLimit(files: number): Promise<void> {
  const program = findProgram("prlimit");
  const args = ["--pid", String(process.pid)];
  const { stdout } = await runProgram(program, [
    ...args,
    "--nofile",
    "--output",
    "SOFT",
    "--noheadings",
  ]);
  const soft = stdout.trim();
  if (soft === "unlimited" || Number(soft) >= files) return;
  await runProgram(program, [...args, `--nofile=${files}:${files}`]);
}

const options = readOptions();
startRun(LIMIT_MS, (run) => main(run, options));
