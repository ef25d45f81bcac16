import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startPostgres } from "../scripts/services/postgres-server";
import { hashToken, newToken } from "../src/core/random";
import { type BenchmarkRun, startRun } from "./benchmark-run";
import { plansOfSlow, toDashboardTable } from "./dashboard/dashboard-table";
import { type FillSize, fillApplications } from "./dashboard/fill";
import {
  countRows,
  type Effort,
  type MeasuredOperation,
  measureOperation,
} from "./dashboard/measure-operation";
import { MemberClient } from "./dashboard/member-client";
import { CHEAPEST, dashboardOperations } from "./dashboard/operations";
import { PlanLog, preparePlans } from "./dashboard/rows-read";
import { putIntoReadme, whole } from "./markdown";
import { pinDriver } from "./process-pins";
import { readApplication, startService } from "./service";

/** Measures the operations of the dashboard's pages on a large and on a small application. */

const USAGE = `npm run bench:dashboard -- [--users N] [--deliveries N] [--quick]
                                [--only TEXT] [--plans FILE] [--write]
  --users       number of users of the large application (default 1,000,000)
  --deliveries  number of deliveries of its large event (default 10,000,000)
  --quick       send few requests, for a rough result
  --only        measure only operations that contain TEXT
  --plans       write the statements and plans of operations that miss an aim into FILE
  --write       write the table into bench/README.md`;

/** Time limit of a run, in milliseconds. */
const LIMIT_MS = 3_600_000;
const NORMAL: Effort = { requests: 100, seconds: 6 };
const QUICK: Effort = { requests: 10, seconds: 2 };
/** The application to compare with. */
const SMALL: FillSize = { users: 100, deliveries: 1_000 };

interface Options {
  size: FillSize;
  effort: Effort;
  only: string;
  plans?: string;
  write: boolean;
}

async function main(run: BenchmarkRun, options: Options): Promise<void> {
  await pinDriver();
  const postgres = await startPostgres();
  run.onCleanUp(() => postgres.stop());
  await withClient(postgres.url, preparePlans);
  await postgres.pause();
  await postgres.resume();
  const location = { dataDir: await run.createTempFolder(), databaseUrl: postgres.url };
  const first = await startService(location);
  await first.stop();
  const { applicationId } = readApplication(location.dataDir);

  const startedAt = performance.now();
  const { filled, tokens } = await withClient(postgres.url, async (client) => {
    const large = await ownerOf(client, applicationId);
    const small = await addAccount(client);
    const filled = await fillApplications(client, [
      { ...large, applicationId, size: options.size },
      { ...small, size: SMALL },
    ]);
    return { filled, tokens: [large.token, small.token] };
  });
  console.log(`Filled in ${whole((performance.now() - startedAt) / 1_000)} s.`);

  const service = await startService(location);
  run.onCleanUp(() => service.stop());
  const subjects = filled.map((application, index) => ({
    ...application,
    client: new MemberClient(service.baseUrl, tokens[index] ?? ""),
  }));
  const floor = await measureOperation(CHEAPEST, subjects, options.effort);
  const measured: MeasuredOperation[] = [];
  for (const operation of dashboardOperations()) {
    if (!operation.name.includes(options.only)) continue;
    const one = await measureOperation(operation, subjects, options.effort);
    measured.push(one);
    console.log(
      `${operation.name}: ${one.figures.map(({ p50 }) => p50.toFixed(1)).join(" / ")} ms`,
    );
  }
  await withClient(postgres.url, async (client) => {
    const log = await PlanLog.open(client);
    for (const each of [floor, ...measured]) await countRows(log, each, subjects);
  });
  const table = toDashboardTable(measured, floor, [options.size.users, SMALL.users]);
  console.log(`\n${table}`);
  if (options.plans) writeFileSync(options.plans, plansOfSlow(measured));
  if (options.write) putIntoReadme("npm run bench:dashboard -- --write", table);
}

async function withClient<T>(url: string, act: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

/** The account of an application, with a token of its owner. */
async function ownerOf(
  client: Client,
  applicationId: number,
): Promise<{ accountId: number; token: string }> {
  const { rows } = await client.query(
    `SELECT a.account_id::int AS account, m.id::int AS member FROM applications a
      JOIN account_members m ON m.account_id = a.account_id WHERE a.id = $1`,
    [applicationId],
  );
  return { accountId: rows[0].account, token: await signIn(client, rows[0].member) };
}

/** Adds an account with an application. */
async function addAccount(
  client: Client,
): Promise<{ accountId: number; applicationId: number; token: string }> {
  const { rows } = await client.query(`WITH account AS (
      INSERT INTO accounts (name, account_key, updated_at) VALUES ('small', 'small', now()) RETURNING id),
    member AS (INSERT INTO account_members (account_id, email, password_hash, role)
      SELECT id, 'owner@small.example', '-', 'owner' FROM account RETURNING id),
    application AS (INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
      SELECT id, 'small', 'small', '-', '{}', now() FROM account RETURNING id)
    SELECT account.id::int AS account, member.id::int AS member, application.id::int AS application
    FROM account, member, application`);
  const { account: accountId, member, application: applicationId } = rows[0];
  return { accountId, applicationId, token: await signIn(client, member) };
}

/** Adds a session of a member. @returns its token */
async function signIn(client: Client, memberId: number): Promise<string> {
  const token = `acct_${newToken()}`;
  await client.query(
    `INSERT INTO account_sessions (member_id, token_hash, expires_at, last_activity_at)
      VALUES ($1, $2, now() + interval '1 day', now())`,
    [memberId, hashToken(token)],
  );
  return token;
}

const count = (value: string) => {
  const number = Number(value.replaceAll(",", ""));
  if (!Number.isInteger(number) || number < 100) throw new Error(`${value} is too small\n${USAGE}`);
  return number;
};
const { values } = parseArgs({
  options: {
    users: { type: "string", default: "1000000" },
    deliveries: { type: "string", default: "10000000" },
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    plans: { type: "string" },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const { only, plans, write } = values;
const effort = values.quick ? QUICK : NORMAL;
const size = { users: count(values.users), deliveries: count(values.deliveries) };
startRun(LIMIT_MS, (run) => main(run, { size, effort, only, plans, write }));
