import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../scripts/services/postgres-server";
import { packageRoot } from "../src/core/package-root";
import { SyntheticPeers } from "../tools/conferences/synthetic-peer";
import { type BenchmarkRun, startRun } from "./benchmark-run";
import { startBare } from "./conference/bare-engine";
import { toConferenceTables } from "./conference/conference-tables";
import { type ConferenceFigures, measureConference } from "./conference/measure-conference";
import { measureRecovery } from "./conference/recovery";
import { toRecoveryTable } from "./conference/recovery-table";
import type { EngineName, Subject, Way } from "./conference/subject";
import { startGateway } from "./conference/through-gateway";
import { putIntoReadme } from "./markdown";
import { pinDriver } from "./process-pins";
import { seedSessions } from "./seed";
import { readApplication, type ServiceLocation, startService } from "./service";

/**
 * Measures conferences of synthetic participants on both engines, through the gateway and without it, and how long
 * participants miss each other after a failure.
 */

const USAGE = `npm run bench:conference -- [--quick] [--only TEXT] [--runs N] [--profile] [--write]
  --quick    short windows and two conferences each, for a rough result
  --only     run only what contains TEXT ("embedded, gateway", "Janus, bare", …)
  --recovery measure failures instead ("Janus, engine killed", "Janus, rejoin", …)
  --runs     number of conferences that are filled on each, and of failures of each kind (default 5)
  --profile  write a CPU profile of each service process to dist/bench/profiles
  --write    write the tables into bench/README.md`;

/** The command that writes the tables. */
const COMMAND = "npm run bench:conference --";
/** Time limit of a run, in milliseconds. */
const LIMIT_MS = 3_600_000;
const NORMAL = { runs: 5, seconds: 20 };
const QUICK = { runs: 2, seconds: 4 };
/** Number of participants that need a session. */
const PARTICIPANTS = 12;

interface Options {
  quick: boolean;
  recovery: boolean;
  profile: boolean;
  write: boolean;
  only: string;
  runs: number;
}

async function main(run: BenchmarkRun, options: Options): Promise<void> {
  await pinDriver();
  const { location, tokens } = await prepare(run);
  if (options.recovery) {
    const measured = await measureRecovery(run, location, tokens, options.runs, options.only);
    const table = toRecoveryTable(measured);
    console.log(`\n${table}`);
    if (options.write) putIntoReadme(`${COMMAND} --recovery --write`, table);
    return;
  }
  const profile = options.profile ? join(packageRoot(), "dist/bench/profiles") : undefined;
  const { seconds } = options.quick ? QUICK : NORMAL;

  const figures: ConferenceFigures[] = [];
  for (const engine of ["embedded", "Janus"] satisfies EngineName[]) {
    for (const way of ["bare", "gateway"] satisfies Way[]) {
      if (!`${engine}, ${way}`.includes(options.only)) continue;
      // Janus has no candidates of the loopback interface.
      const address = engine === "Janus" ? {} : { bindAddress: "127.0.0.1" };
      const peers = new SyntheticPeers({ eager: true, ...address });
      run.onCleanUp(() => peers.close());
      const subject: Subject =
        way === "bare"
          ? await startBare(engine, peers)
          : await startGateway(engine, location, tokens, peers, profile);
      run.onCleanUp(() => subject.stop());
      figures.push(await measureConference(subject, options.runs, seconds));
      await run.cleanUpLast();
      await run.cleanUpLast();
      console.log(`${engine}, ${way}`);
    }
  }
  const tables = toConferenceTables(figures);
  console.log(`\n${tables}`);
  if (options.write) putIntoReadme(`${COMMAND} --write`, tables);
}

/** Starts PostgreSQL with users who have a session each. */
async function prepare(
  run: BenchmarkRun,
): Promise<{ location: ServiceLocation & { databaseUrl: string }; tokens: string[] }> {
  const postgres = await startPostgres();
  run.onCleanUp(() => postgres.stop());
  const location = { dataDir: await run.createTempFolder(), databaseUrl: postgres.url };
  const first = await startService(location);
  await first.stop();
  const { applicationId } = readApplication(location.dataDir);
  const sessions = await seedSessions(postgres.url, applicationId);
  return { location, tokens: sessions.slice(0, PARTICIPANTS).map(({ token }) => token) };
}

const flag = { type: "boolean", default: false } as const;
const { values } = parseArgs({
  options: {
    quick: flag,
    recovery: flag,
    profile: flag,
    write: flag,
    help: flag,
    only: { type: "string", default: "" },
    runs: { type: "string" },
  },
});
const runs = Number(values.runs ?? (values.quick ? QUICK : NORMAL).runs);
if (values.help || !(Number.isInteger(runs) && runs > 0)) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 1;
} else {
  startRun(LIMIT_MS, (run) => main(run, { ...values, runs }));
}
