import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../scripts/services/postgres-server";
import { packageRoot } from "../src/core/package-root";
import { Driver } from "./driver-process";
import type { Windows } from "./measure";
import { pinDriver } from "./process-pins";
import { type Run, startRun } from "./run";
import { seedSessions, USERS } from "./seed";
import { type Place, readApplication, startService } from "./service";
import { makeCertificate } from "./signals/certificate";
import { ejabberd } from "./signals/ejabberd";
import { raiseFileLimit } from "./signals/file-limit";
import type { Account } from "./signals/job";
import { type Crowd, measureCrowds, measureTalk, type Talk } from "./signals/measure-signals";
import { prosody } from "./signals/prosody";
import { CROWDS, TALKS } from "./signals/rows";
import type { ChatServer, ServerName, Subject } from "./signals/server";
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
      ...{ quick: flag, profile: flag, write: flag, help: flag },
      ...{ only: { type: "string", default: "" }, idle: { type: "string", default: "0" } },
    },
  });
  const idle = Number(values.idle);
  if (values.help || !(idle >= 0 && idle <= USERS)) {
    console.log(USAGE);
    process.exit(values.help ? 0 : 1);
  }
  return { ...values, idle };
}

async function main(run: Run, options: Options): Promise<void> {
  const chosen = <T extends { name: string }>(rows: T[]) =>
    rows.filter(({ name }) => name.includes(options.only));
  const sizes = options.idle > 0 ? [CROWD, options.idle] : [CROWD];
  await raiseFileLimit(Math.max(...sizes) + FILES);
  await pinDriver();
  const driver = new Driver();
  run.undo(() => driver.stop());
  const subjects = await prepare(run, options);
  const windows = options.quick ? QUICK : NORMAL;
  const settle = options.quick ? SETTLE_MS.quick : SETTLE_MS.normal;

  const measureOne = async <T>(
    row: { name: string; server: ServerName },
    measure: (server: ChatServer, accounts: Account[]) => Promise<T>,
  ): Promise<T> => {
    const subject = subjects[row.server];
    const server = await subject.start();
    run.undo(() => server.stop());
    const measured = await measure(server, subject.accounts);
    await run.undoLast();
    console.log(row.name);
    return measured;
  };
  const signals: Talk[] = [];
  for (const row of chosen(TALKS)) {
    signals.push(
      await measureOne(row, (server, accounts) =>
        measureTalk(driver, server, accounts, row, windows),
      ),
    );
  }
  const connections: Crowd[] = [];
  for (const row of chosen(CROWDS)) {
    connections.push(
      ...(await measureOne(row, (server, accounts) =>
        measureCrowds(driver, server, accounts, row, sizes, windows.measured, settle),
      )),
    );
  }

  const tables = toSignalTables(signals, connections);
  console.log(`\n${tables}`);
  if (options.write) writeSignalTables(tables);
}

/** Prepares the servers with the same users. */
async function prepare(run: Run, options: Options): Promise<Record<ServerName, Subject>> {
  const postgres = await startPostgres();
  run.undo(() => postgres.stop());
  const place: Place = { dataDir: await run.folder(), databaseUrl: postgres.url };
  const first = await startService(place);
  await first.stop();
  const { applicationId } = readApplication(place.dataDir);
  const sessions = await seedSessions(postgres.url, applicationId);

  const certificate = await makeCertificate(await run.folder());
  const profile = options.profile ? join(packageRoot(), "dist/bench/profiles") : undefined;
  const tokens = sessions.map(({ userId, token }) => ({ userId, applicationId, secret: token }));
  const passwords = tokens.map((account) => ({ ...account, secret: PASSWORD }));
  return {
    Signalbox: signalbox(place, certificate, tokens, profile),
    Prosody: await prosody(await run.folder(), certificate, passwords),
    ejabberd: await ejabberd(await run.folder(), certificate, passwords),
  };
}

const options = readOptions();
startRun(LIMIT_MS, (run) => main(run, options));
