import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { execute, startPostgres } from "../scripts/services/postgres-server";
import { asMember } from "../src/transports/cli/connection/member";
import type { Execute } from "../src/transports/cli/connection/server";
import { type BenchmarkRun, startRun } from "./benchmark-run";
import { pinDriver } from "./process-pins";
import { usageOf } from "./process-usage";
import { readApplication, startService } from "./service";

const USAGE = `npm run bench:push -- [--devices N] [--channel gcm|apns]
  --devices  number of recipients of the push (default 100,000)
  --channel  push channel (default gcm)`;

const WARM_UP = 5_000;
/** Timeout for the delivery of a push, in milliseconds. */
const DELIVERY_TIMEOUT_MS = 600_000;
/** Time limit of a run, in milliseconds. */
const LIMIT_MS = 900_000;

/** Creates users with a tag and one device each, with tokens in the form that the stand-ins accept. */
const FILL = `WITH made AS (
    INSERT INTO users (application_id, login, login_key, updated_at)
    SELECT $1, $2 || n, $2 || n, now() FROM generate_series(1, $3::int) n RETURNING id),
  tagged AS (INSERT INTO user_tags (user_id, application_id, tag, position)
    SELECT id, $1, $2, 0 FROM made)
  INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid, token,
    updated_at)
  SELECT $1, id, $4::push_channel, 'development',
    (CASE $4 WHEN 'apns' THEN 'ios' ELSE 'android' END)::push_platform, 'u' || id,
    CASE $4 WHEN 'apns' THEN encode(sha256(id::text::bytea), 'hex')
      ELSE 'registration-token-of-device-' || id END, now()
  FROM made`;

const SEND = `mutation ($input: CreatePushEventInput!) {
  createPushEvent(input: $input) { events { id } }
}`;
const LOOK =
  "query ($id: ID!) { pushEvent(id: $id) { acceptedCount failedCount unregisteredCount } }";

async function main(run: BenchmarkRun, devices: number, channel: string): Promise<void> {
  await pinDriver();
  const postgres = await startPostgres();
  run.onCleanUp(() => postgres.stop());
  const dataDir = await run.createTempFolder();
  const service = await startService({ dataDir, databaseUrl: postgres.url }, undefined, {
    ALLOW_PRIVATE_NETWORKS: "true",
  });
  run.onCleanUp(() => service.stop());
  const standIn = await startStandIns(service.baseUrl, dataDir);
  run.onCleanUp(() => standIn.stop());
  const { applicationId } = readApplication(dataDir);
  for (const [tag, count] of [
    ["warm", WARM_UP],
    ["crowd", devices],
  ] as const) {
    await execute(postgres.url, FILL, [applicationId, tag, count, channel]);
  }
  await execute(postgres.url, "ANALYZE");

  const sessionsFolder = join(dataDir, "sessions");
  const access = {
    url: service.baseUrl,
    dataDir,
    isAddressOfFolder: false,
    isDataOfFolder: false,
    sessionsFolder,
    timeoutMs: 60_000,
  };
  await asMember(access, async (ask) => {
    // Warm-up: opens connections, fetches tokens and compiles code before the measurement.
    await sendTo(ask, applicationId, "warm", WARM_UP);
    const databasePids = childrenOf("postgres");
    const read = () => ({
      gateway: service.usage().cpuMicros,
      database: databasePids.reduce((sum, pid) => sum + cpuOf(pid), 0),
      "stand-in": usageOf(standIn.pid).cpuMicros,
    });
    const before = read();
    let maxRssMb = 0;
    const sampler = setInterval(() => {
      maxRssMb = Math.max(maxRssMb, service.usage().rssMb);
    }, 200);
    const startedAt = performance.now();
    await sendTo(ask, applicationId, "crowd", devices);
    const seconds = (performance.now() - startedAt) / 1000;
    clearInterval(sampler);
    const after = read();
    report(devices, channel, seconds, before, after, maxRssMb);
  });
}

type Usages = Record<"gateway" | "database" | "stand-in", number>;

function report(
  devices: number,
  channel: string,
  seconds: number,
  before: Usages,
  after: Usages,
  rssMb: number,
): void {
  const names = ["gateway", "database", "stand-in"] as const;
  const each = names.map((name) => (after[name] - before[name]) / devices);
  const total = each.reduce((sum, one) => sum + one, 0);
  const shares = names.map(
    (name, at) =>
      `${name} ${each[at]?.toFixed(0)} (${Math.round(((each[at] ?? 0) / total) * 100)} %)`,
  );
  const perSecond = devices / seconds;
  console.log(`| push | deliveries per second | CPU µs each | most RSS MB of the gateway | aim |
| --- | ---: | --- | ---: | ---: |
| ${channel}, ${devices.toLocaleString("en-US")} devices | ${Math.round(perSecond).toLocaleString("en-US")} | ${shares.join(", ")} | ${Math.round(rssMb)} | ${perSecond >= 3_000 ? "met" : "**missed**"}: ≥ 3,000 |`);
}

/** Sends to everybody with a tag and waits until the push service took all of it. */
async function sendTo(
  ask: Execute,
  applicationId: number,
  tag: string,
  count: number,
): Promise<void> {
  const message = { notification: { body: "Hello" } };
  const input = { applicationId, environment: "DEVELOPMENT", message, tagsAny: [tag] };
  const { createPushEvent } = (await ask(SEND, { input })) as {
    createPushEvent: { events: Array<{ id: string }> };
  };
  const [event] = createPushEvent.events;
  for (let waited = 0; waited < DELIVERY_TIMEOUT_MS; waited += 100) {
    const { pushEvent: counts } = (await ask(LOOK, { id: event?.id })) as {
      pushEvent: Record<"acceptedCount" | "failedCount" | "unregisteredCount", number>;
    };
    if (counts.acceptedCount === count) return;
    if (counts.failedCount + counts.unregisteredCount > 0) throw new Error(JSON.stringify(counts));
    await wait(100);
  }
  throw new Error(`not all of the ${count} deliveries arrived in time`);
}

/** Starts the stand-ins on the driver's core; they register their credentials with the service. */
async function startStandIns(baseUrl: string, dataDir: string) {
  const args = ["--set-up", "--quiet", "--folder", join(dataDir, "stand-ins")];
  const ports = ["--apns-port", "0", "--fcm-port", "0", "--web-port", "0"];
  const script = join(__dirname, "../scripts/stand-ins.js");
  const child = spawn(process.execPath, [script, ...args, ...ports], {
    // Where there is no .env.
    cwd: dataDir,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, SIGNALBOX_URL: baseUrl },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const chunk of child.stdout) {
    if (String(chunk).includes("are ready")) break;
  }
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Ids of the PostgreSQL processes of this run. */
function childrenOf(name: string): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter(
      (pid) =>
        commandOf(pid).includes("signalbox-postgres-") || commandOf(pid).startsWith(`${name}:`),
    );
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function cpuOf(pid: number): number {
  try {
    return usageOf(pid).cpuMicros;
  } catch {
    return 0;
  }
}

const { values } = parseArgs({
  options: {
    devices: { type: "string", default: "100000" },
    channel: { type: "string", default: "gcm" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(USAGE);
else startRun(LIMIT_MS, (run) => main(run, Number(values.devices), values.channel));
