import { startPostgres } from "../../scripts/services/postgres-server";
import { startRedis } from "../../scripts/services/redis-server";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import { openRedisBus } from "../../src/platform/bus/redis";
import { openJobs } from "../../src/platform/jobs/pg-boss";
import { measured } from "../../src/platform/store/measured-store";
import { openStore } from "../../src/platform/store/open";
import { eventually } from "../support/moving-clock";
import { DATABASE_NAME, describeServices, freshDatabase } from "../support/operations/database";

/** The metrics of the database, of Redis and of background jobs. */

const log = openLog("silent");

/** The series of a metric, as Prometheus reads them. */
async function seriesOf({ registry }: ReturnType<typeof openMetrics>, name: string) {
  const lines = (await registry.getSingleMetricAsString(name)).split("\n");
  return lines.filter((line) => !line.startsWith("#"));
}

describe(`metrics of the ${DATABASE_NAME} database`, () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.remove());

  test("count statements, and the runs of each job by their outcome", async () => {
    const metrics = openMetrics();
    const config = readConfig({ ...database.environment });
    const store = measured(await openStore({ config, log, isNode: false }), metrics);
    await store.query({ name: "test", text: "SELECT 1" }, []);
    await expect(store.query({ name: "test", text: "SELECT none" }, [])).rejects.toThrow("none");
    expect(await seriesOf(metrics, "signalbox_database_statement_duration_seconds")).toContain(
      "signalbox_database_statement_duration_seconds_count 2",
    );
    const jobs = openJobs({ store, log, metrics, pollMs: 20, singleNode: false });
    try {
      jobs.work("right", async () => undefined);
      jobs.work("wrong", () => Promise.reject(new Error("a reason")));
      await jobs.enqueue("right", {});
      await jobs.enqueue("wrong", {}, { retries: 0 });
      const runs = await eventually(
        () => seriesOf(metrics, "signalbox_job_runs_total"),
        (series) => series.filter((each) => each.endsWith(" 1")).length === 2,
      );
      expect(runs.sort()).toEqual([
        'signalbox_job_runs_total{queue="right",outcome="completed"} 1',
        'signalbox_job_runs_total{queue="right",outcome="failed"} 0',
        'signalbox_job_runs_total{queue="wrong",outcome="completed"} 0',
        'signalbox_job_runs_total{queue="wrong",outcome="failed"} 1',
      ]);
      expect(await seriesOf(metrics, "signalbox_database_unavailable_total")).toEqual([
        "signalbox_database_unavailable_total 0",
      ]);
    } finally {
      await jobs.close();
      await store.close();
    }
  });
});

describeServices("metrics of services", () => {
  test("show the connections to PostgreSQL, and the statements that it does not take", async () => {
    const metrics = openMetrics();
    const server = await startPostgres();
    const config = readConfig({
      DATABASE_URL: server.url,
      DATABASE_POOL: "1",
      SECRET_KEY: "0".repeat(64),
    });
    const store = measured(await openStore({ config, log, isNode: true }), metrics);
    const connections = async () =>
      (await seriesOf(metrics, "signalbox_database_connections")).map((line) => line.slice(-1));
    try {
      await store.execute("SELECT 1");
      expect(await seriesOf(metrics, "signalbox_database_connections")).toEqual([
        'signalbox_database_connections{state="used"} 0',
        'signalbox_database_connections{state="idle"} 1',
        'signalbox_database_connections{state="waiting"} 0',
      ]);
      const { waiting } = await store.transaction(async () => {
        // The transaction has the only connection.
        const waiting = store.execute("SELECT 1");
        expect(await connections()).toEqual(["1", "0", "1"]);
        return { waiting };
      });
      await waiting;
      expect(await connections()).toEqual(["0", "1", "0"]);
      await server.pause();
      await expect(store.execute("SELECT 1")).rejects.toMatchObject({ code: "UNAVAILABLE" });
      expect(await seriesOf(metrics, "signalbox_database_unavailable_total")).toEqual([
        "signalbox_database_unavailable_total 1",
      ]);
    } finally {
      await store.close();
      await server.stop();
    }
  });

  test("show the connections to Redis, and the duration of commands", async () => {
    const metrics = openMetrics();
    let server = await startRedis();
    const { port } = server;
    const bus = await openRedisBus(server.url, log, undefined, metrics);
    const connected = () => seriesOf(metrics, "signalbox_redis_connected");
    const bothAre = (value: number) => [
      `signalbox_redis_connected{connection="commands"} ${value}`,
      `signalbox_redis_connected{connection="subscriptions"} ${value}`,
    ];
    try {
      expect((await connected()).sort()).toEqual(bothAre(1));
      await bus.append("inbox:1", "signal");
      expect(await seriesOf(metrics, "signalbox_redis_command_duration_seconds")).toContain(
        "signalbox_redis_command_duration_seconds_count 1",
      );
      await server.stop();
      await eventually(connected, (series) => `${series.sort()}` === `${bothAre(0)}`);
      server = await startRedis(port);
      await eventually(connected, (series) => `${series.sort()}` === `${bothAre(1)}`);
    } finally {
      await bus.close();
      await server.stop();
    }
  });
});
