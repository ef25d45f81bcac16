import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { newId } from "../../../src/core/random";
import { ApplicationCounters } from "../../../src/core/statistics/application-counters";
import { readSockets } from "../../../src/domain/statistics/open-sockets-queries";
import { type Period, statisticsOf } from "../../../src/domain/statistics/statistics";
import {
  purgeStatistics,
  sampleApplications,
} from "../../../src/domain/statistics/statistics-jobs";
import { StatisticsWriter } from "../../../src/domain/statistics/statistics-writer";
import { openStore } from "../../../src/platform/store/open";
import type { Store } from "../../../src/platform/store/store";
import { eventually, HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { type FreshDatabase, freshDatabase } from "../../support/operations/database";

const DAY = 24 * HOUR;
const log = openLog("silent");

let database: FreshDatabase;
let store: Store;
/** A time in the middle of a day, at the start of an hour. */
let clock: MovingClock;
let applicationId: number;
const writers: StatisticsWriter[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  store = await openStore({ config, log, isNode: true });
});
beforeEach(async () => {
  clock = new MovingClock();
  clock.hold(true);
  clock.advance(DAY - (clock.now() % DAY) + 12 * HOUR);
  await sql("DELETE FROM accounts");
  await sql("DELETE FROM statistics_nodes");
  applicationId = await newApplication();
});
afterEach(async () => {
  for (const writer of writers.splice(0)) await writer.close();
});
afterAll(async () => {
  await store.close();
  await database.remove();
});

async function sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  return store.query<Row>({ name: "test", text }, values);
}

async function newApplication(): Promise<number> {
  const [row] = await sql<{ id: number }>(
    `WITH a AS (INSERT INTO accounts (name, account_key, updated_at)
        VALUES ('a', gen_random_uuid()::text, now()) RETURNING id)
      INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
      SELECT id, 'x', 'k', 's', '{}', now() FROM a RETURNING id`,
  );
  return row?.id ?? 0;
}

/** A node, whose access to the database a test can end as the end of its process does. */
function openNode({ at = clock, intervalMs = HOUR } = {}) {
  const counters = new ApplicationCounters(at);
  let failure: Error | null = null;
  let answered: Promise<void> | null = null;
  const statements: string[] = [];
  const query: Store["query"] = async (statement, values) => {
    statements.push(statement.name);
    await answered;
    if (failure) throw failure;
    return store.query(statement, values);
  };
  const nodeId = newId();
  const writer = new StatisticsWriter({
    ...{ store: { ...store, query }, log, counters, nodeId, intervalMs },
    elapsedMs: () => at.now(),
  });
  writers.push(writer);
  const fail = (error: Error | null) => {
    failure = error;
  };
  /** Lets statements wait until the returned function is called. */
  const stall = () => {
    let resume: () => void = () => undefined;
    answered = new Promise((resolve) => {
      resume = resolve;
    });
    return () => resume();
  };
  return { counters, writer, fail, nodeId, statements, stall };
}

/** Moves the end of a node's lease to some seconds from now, by the clock of the database. */
const endLease = (nodeId: string, seconds: number) =>
  sql("UPDATE statistics_nodes SET lease_until = now() + $2 * interval '1 second' WHERE id = $1", [
    nodeId,
    seconds,
  ]);
/** The seconds for which a node's lease lasts. */
const leaseOf = async (nodeId: string) => {
  const [row] = await sql<{ seconds: number }>(
    "SELECT extract(epoch FROM lease_until - now())::float8 AS seconds FROM statistics_nodes WHERE id = $1",
    [nodeId],
  );
  return row?.seconds ?? 0;
};

const rows = () =>
  sql<{ seconds: number; starts_at: Date; sign_ups: number }>(
    "SELECT seconds, starts_at, sign_ups FROM application_statistics ORDER BY seconds, starts_at",
  );
const signUps = async (period: Period) => {
  const { series } = await statisticsOf({ store, clock }, [applicationId], period);
  return series.flatMap(({ startsAt, counts }) =>
    counts.signUps === 0 ? [] : [[startsAt.getTime(), counts.signUps]],
  );
};
const socketsNow = async () => (await readSockets(store, [applicationId])).graphql;

test("counts are in the minute, hour and day in which they happened, over each border", async () => {
  const { counters, writer } = openNode();
  const noon = clock.now();
  clock.advance(-1);
  counters.count(applicationId, "signUps");
  clock.advance(1);
  counters.count(applicationId, "signUps", 2);
  clock.advance(12 * HOUR - 1);
  counters.count(applicationId, "signUps", 4);
  clock.advance(1);
  counters.count(applicationId, "signUps", 8);
  // All of them in one write, in which rows of hours and days occur several times.
  await writer.flush();
  const midnight = noon + 12 * HOUR;
  expect(await signUps("hour")).toEqual([
    [midnight - MINUTE, 4],
    [midnight, 8],
  ]);
  expect(await signUps("day")).toEqual([
    [noon - HOUR, 1],
    [noon, 2],
    [midnight - HOUR, 4],
    [midnight, 8],
  ]);
  expect(await signUps("month")).toEqual([
    [midnight - DAY, 7],
    [midnight, 8],
  ]);
  expect((await statisticsOf({ store, clock }, [applicationId], "month")).totals.signUps).toBe(15);
});

test("two nodes add up, also when they write at the same time", async () => {
  const nodes = [openNode(), openNode()];
  const others = await Promise.all(Array.from({ length: 20 }, newApplication));
  for (const { counters } of nodes) {
    for (const id of [applicationId, ...others]) counters.count(id, "signUps");
  }
  await Promise.all(nodes.map(({ writer }) => writer.flush()));
  expect(await signUps("hour")).toEqual([[clock.now(), 2]]);
  const { totals } = await statisticsOf({ store, clock }, [applicationId, ...others], "day");
  expect(totals.signUps).toBe(42);
});

test("what cannot be written is written later, once", async () => {
  const { counters, writer, fail } = openNode();
  counters.count(applicationId, "signUps");
  fail(new Error("the database is away"));
  await writer.flush();
  counters.count(applicationId, "signUps");
  await writer.flush();
  expect(await rows()).toEqual([]);
  fail(null);
  await writer.flush();
  await writer.flush();
  expect(await signUps("hour")).toEqual([[clock.now(), 2]]);
});

test("while a write lasts no other waits for it, and what is counted meanwhile is not lost", async () => {
  const { counters, writer, fail, statements, stall } = openNode({ intervalMs: 1 });
  const resume = stall();
  counters.count(applicationId, "signUps");
  await eventually(
    () => statements.length,
    (count) => count > 0,
  );
  for (let waited = 0; waited < 20; waited += 1) {
    counters.count(applicationId, "signUps");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  fail(new Error("the database is away"));
  resume();
  await writer.close();
  // The one that waited, and that of the shutdown.
  expect(statements).toEqual(Array(2).fill("add_application_statistics"));
  fail(null);
  await writer.flush();
  expect(await signUps("hour")).toEqual([[clock.now(), 21]]);
});

test("counts of applications that do not exist, or are deleted meanwhile, keep no others back", async () => {
  const { counters, writer } = openNode();
  const deleted = await newApplication();
  for (const id of [deleted, 9_007_199_254_740_000, applicationId]) counters.count(id, "signUps");
  counters.socketOpened(deleted, "graphql");
  await sql("DELETE FROM applications WHERE id = $1", [deleted]);
  await writer.flush();
  expect(await rows()).toHaveLength(3);
  expect(await signUps("hour")).toEqual([[clock.now(), 1]]);
});

test("a shutdown writes the last counts, and takes the sockets of the node away", async () => {
  const { counters, writer } = openNode();
  counters.socketOpened(applicationId, "graphql");
  await writer.flush();
  expect(await socketsNow()).toBe(1);
  counters.count(applicationId, "signUps");
  await writer.close();
  expect(await signUps("hour")).toEqual([[clock.now(), 1]]);
  expect(await socketsNow()).toBe(0);
  expect(await sql("SELECT 1 FROM statistics_nodes")).toEqual([]);
});

test("a node without traffic and sockets writes nothing", async () => {
  const { writer, fail } = openNode();
  fail(new Error("a statement was run"));
  await writer.flush();
  expect([await rows(), await sql("SELECT 1 FROM statistics_nodes")]).toEqual([[], []]);
});

describe("open sockets", () => {
  test("are those of all nodes, and those of a node that died vanish with its lease", async () => {
    const [living, dying] = [openNode(), openNode()];
    living.counters.socketOpened(applicationId, "graphql");
    const close = dying.counters.socketOpened(applicationId, "graphql");
    dying.counters.socketOpened(applicationId, "graphql");
    for (const { writer } of [living, dying]) await writer.flush();
    expect(await socketsNow()).toBe(3);
    close();
    await dying.writer.flush();
    expect(await socketsNow()).toBe(2);
    dying.fail(new Error("the process has ended"));
    for (const { nodeId } of [living, dying]) await endLease(nodeId, 10);
    clock.advance(MINUTE);
    for (const { writer } of [living, dying]) await writer.flush();
    expect(await leaseOf(living.nodeId)).toBeGreaterThan(15);
    expect(await leaseOf(dying.nodeId)).toBeLessThanOrEqual(10);
    expect(await socketsNow()).toBe(2);
    await endLease(dying.nodeId, -1);
    expect(await socketsNow()).toBe(1);
    await purgeStatistics({ store, clock });
    expect(await sql("SELECT 1 FROM statistics_nodes")).toHaveLength(2);
    await endLease(dying.nodeId, -601);
    await purgeStatistics({ store, clock });
    expect(await sql("SELECT id FROM statistics_nodes")).toEqual([{ id: living.nodeId }]);
    expect(await sql("SELECT 1 FROM application_sockets")).toHaveLength(1);
  });

  test("count also if the clock of their node is wrong", async () => {
    const late = new MovingClock();
    late.advance(-HOUR);
    const nodes = [openNode({ at: late }), openNode()];
    for (const { counters, writer } of nodes) {
      counters.socketOpened(applicationId, "graphql");
      await writer.flush();
    }
    expect(await socketsNow()).toBe(2);
    await purgeStatistics({ store, clock });
    await sampleApplications({ store, clock });
    const { series } = await statisticsOf({ store, clock }, [applicationId], "hour");
    expect(series.at(-1)?.sockets.graphql).toBe(2);
    for (const { nodeId } of nodes) expect(Math.abs((await leaseOf(nodeId)) - 30)).toBeLessThan(10);
  });

  test("of a node that could not write for so long that it was purged are written again", async () => {
    const node = openNode();
    node.counters.socketOpened(applicationId, "graphql");
    await node.writer.flush();
    node.fail(new Error("the database cannot be reached"));
    clock.advance(HOUR);
    await endLease(node.nodeId, -3_600);
    await purgeStatistics({ store, clock });
    expect(await sql("SELECT 1 FROM application_sockets")).toEqual([]);
    node.fail(null);
    await node.writer.flush();
    expect(await socketsNow()).toBe(1);
  });

  test("and live sessions have peaks in each bucket, of samples over all nodes", async () => {
    const [one, two] = [openNode(), openNode()];
    const sample = async () => {
      for (const { writer } of [one, two]) await writer.flush();
      await sampleApplications({ store, clock });
    };
    const close = [
      one.counters.socketOpened(applicationId, "graphql"),
      two.counters.socketOpened(applicationId, "graphql"),
      two.counters.socketOpened(applicationId, "xmpp"),
    ];
    await sql(
      `INSERT INTO sessions (application_id, token_hash, nonce, ts, expires_at, last_activity_at, updated_at)
        SELECT $1, sha256(convert_to(n::text, 'UTF8')), n, 1, $2, now(), now() FROM generate_series(1, 3) n`,
      [applicationId, new Date(clock.now() + MINUTE)],
    );
    await sample();
    close[0]?.();
    await sample();
    clock.advance(MINUTE);
    one.counters.count(applicationId, "requests");
    for (const end of close) end();
    await sample();
    const peaks = async (period: Period) =>
      (await statisticsOf({ store, clock }, [applicationId], period)).series
        .slice(-2)
        .map(({ sockets, sessions }) => [sockets.graphql, sockets.xmpp, sessions]);
    expect(await peaks("hour")).toEqual([
      [2, 1, 3],
      [0, 0, 0],
    ]);
    expect(await peaks("day")).toEqual([
      [0, 0, null],
      [2, 1, 3],
    ]);
  });

  test("are not sampled any more after the traffic has ended", async () => {
    const { counters, writer } = openNode();
    counters.count(applicationId, "requests");
    await writer.flush();
    for (let minute = 0; minute < 10; minute += 1) {
      await sampleApplications({ store, clock });
      clock.advance(MINUTE);
    }
    const written = await sql("SELECT 1 FROM application_statistics WHERE seconds = 60");
    expect(written.length).toBeGreaterThan(1);
    expect(written.length).toBeLessThan(5);
  });
});

test("the purge keeps the last hour, day and month, and the rows of an application are few", async () => {
  const { counters, writer } = openNode();
  const steps = 40 * 24;
  for (let hour = 0; hour < steps; hour += 1) {
    counters.count(applicationId, "signUps");
    // The last two hours have traffic in each minute.
    for (let minute = 0; hour >= steps - 2 && minute < 59; minute += 1) {
      clock.advance(MINUTE);
      counters.count(applicationId, "signUps");
    }
    clock.advance(hour >= steps - 2 ? MINUTE : HOUR);
  }
  await writer.flush();
  const before = await Promise.all((["hour", "day", "month"] as const).map(signUps));
  await purgeStatistics({ store, clock });
  expect(await Promise.all((["hour", "day", "month"] as const).map(signUps))).toEqual(before);
  const count = async (seconds: number) =>
    (await rows()).filter((row) => row.seconds === seconds).length;
  expect([await count(60), await count(3_600), await count(86_400)]).toEqual([59, 23, 30]);
});

test("the applications of a flush are bounded, and more than one statement holds are written", async () => {
  await sql(
    `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
      SELECT account_id, 'x', 'k', 's', '{}', now() FROM applications, generate_series(1, 1200)`,
  );
  const ids = (await sql<{ id: number }>("SELECT id FROM applications")).map(({ id }) => id);
  const { counters, writer } = openNode();
  for (const id of ids) {
    counters.count(id, "requests");
    counters.socketOpened(id, "graphql");
  }
  await writer.flush();
  await sampleApplications({ store, clock });
  const { totals, series } = await statisticsOf({ store, clock }, ids, "hour");
  expect([totals.requests, series.at(-1)?.sockets.graphql]).toEqual([1_201, 1_201]);
});
