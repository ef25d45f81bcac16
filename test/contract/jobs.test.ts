import PgBoss from "pg-boss";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import type { JobRun, Jobs } from "../../src/platform/jobs/jobs";
import { openJobs } from "../../src/platform/jobs/pg-boss";
import { openStore } from "../../src/platform/store/open";
import type { Store } from "../../src/platform/store/store";
import { eventually } from "../support/moving-clock";
import {
  DATABASE_NAME,
  emptyFolder,
  type FreshDatabase,
  freshDatabase,
} from "../support/operations/database";

const log = openLog("silent");

const openOn = (database: FreshDatabase) =>
  openStore({ config: readConfig({ ...database.environment }), log, isNode: false });

describe(`jobs on the ${DATABASE_NAME} database`, () => {
  let database: FreshDatabase;
  let store: Store;
  const opened: Jobs[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    store = await openOn(database);
  });
  afterEach(async () => {
    for (const jobs of opened.splice(0)) await jobs.close();
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  const open = (pollMs = 20): Jobs => {
    const jobs = openJobs({ store, log, pollMs, singleNode: false });
    opened.push(jobs);
    return jobs;
  };
  const sql = <Row>(text: string, values: unknown[] = []) =>
    store.query<Row>({ name: "test", text }, values);
  const states = async (name: string) =>
    (
      await sql<{ state: string }>(
        "SELECT state::text FROM pgboss.job WHERE name = $1 ORDER BY created_on",
        [name],
      )
    ).map(({ state }) => state);

  test("nodes that start at once create their queues without a deadlock", async () => {
    const logged: string[] = [];
    const capturing = openLog("info", { write: (line) => void logged.push(line) });
    const names = Array.from({ length: 8 }, (_, index) => `at-once-${index}`);
    const nodes = Array.from({ length: 4 }, () =>
      openJobs({ store, log: capturing, pollMs: 20, singleNode: false }),
    );
    opened.push(...nodes);
    const done: string[] = [];
    for (const node of nodes) {
      for (const name of names) node.work(name, async () => void done.push(name));
    }
    await Promise.all(nodes.flatMap((node) => names.map((name) => node.enqueue(name, {}))));
    await eventually(
      () => done.length,
      (count) => count === nodes.length * names.length,
    );
    expect(logged).toEqual([]);
    const queues = await sql<{ name: string }>(
      "SELECT name FROM pgboss.queue WHERE name LIKE 'at-once-%' AND policy = 'standard' ORDER BY name",
    );
    expect(queues.map(({ name }) => name)).toEqual(names);
  });

  test("opening does not access the database, and a queue that was never used can be closed", async () => {
    const asked: string[] = [];
    const jobs = openJobs({
      log,
      singleNode: true,
      store: {
        transaction: store.transaction,
        query: store.query,
        execute: async (text) => {
          asked.push(text);
          return { rows: [] };
        },
      },
    });
    jobs.work("never", async () => undefined);
    jobs.work("seldom", async () => undefined, { everySeconds: 3600 });
    await jobs.close();
    expect(asked).toEqual([]);
    await expect(jobs.enqueue("never", {})).rejects.toThrow("closed");
  });

  test("enqueueing wakes the worker of this node, which runs jobs in order, with their data", async () => {
    const jobs = open(3_600_000);
    const done: unknown[] = [];
    jobs.work("plain", async (data) => {
      done.push(data);
    });
    await jobs.enqueue("plain", { to: "ä@mail.example", parts: [1, { deep: null }] });
    await jobs.enqueue("plain", { to: "second" });
    await eventually(
      () => states("plain"),
      (all) => all.length === 2 && all.every((state) => state === "completed"),
    );
    expect(done).toEqual([{ to: "ä@mail.example", parts: [1, { deep: null }] }, { to: "second" }]);
  });

  test("a job survives the process that enqueued it", async () => {
    const first = open();
    await first.enqueue("later", { n: 1 });
    await first.close();
    if (store.kind === "embedded") {
      await store.close();
      store = await openOn(database);
    }
    const second = open();
    const done = new Promise((resolve) => {
      second.work("later", async (data) => resolve(data));
    });
    expect(await done).toEqual({ n: 1 });
    await eventually(
      () => states("later"),
      ([state]) => state === "completed",
    );
  });

  test("a failed job is retried with back-off, until its retries are used up", async () => {
    const jobs = open();
    let attempts = 0;
    const runs: JobRun[] = [];
    jobs.work("failing", async (_data, run) => {
      runs.push(run);
      attempts += 1;
      throw new Error(`attempt ${attempts}`);
    });
    await jobs.enqueue("failing", {});
    const delays: number[] = [];
    for (let turn = 1; turn <= 6; turn += 1) {
      const [row] = await eventually(
        () =>
          sql<{ state: string; retries: number; reason: string; wait: number }>(
            `SELECT state::text, retry_count AS retries, output->>'reason' AS reason,
               extract(epoch FROM start_after - now())::float8 AS wait
             FROM pgboss.job WHERE name = 'failing'`,
          ),
        ([each]) => each?.reason === `attempt ${turn}`,
      );
      expect(row).toMatchObject({ state: turn < 6 ? "retry" : "failed", retries: turn - 1 });
      delays.push(row?.wait ?? 0);
      await sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'failing'");
    }
    expect(attempts).toBe(6);
    expect(runs.map(({ repeated }) => repeated)).toEqual([false, true, true, true, true, true]);
    // Exponential back-off with jitter; these are lower bounds.
    expect(delays[0]).toBeGreaterThan(2);
    expect(delays[1]).toBeGreaterThan(7);
    expect(delays[4]).toBeGreaterThan(60);
  });

  test("another process runs a job whose process died", async () => {
    const jobs = open();
    await jobs.enqueue("orphan", { n: 1 });
    await sql(
      `UPDATE pgboss.job SET state = 'active', started_on = now() - interval '6 minutes',
         start_after = now() - interval '7 minutes' WHERE name = 'orphan'`,
    );
    // The library's periodic maintenance.
    const { execute } = store;
    const boss = new PgBoss({ db: { executeSql: execute }, schedule: false, supervise: false });
    await (await boss.start()).maintain();
    await boss.stop({ graceful: false });
    expect(await states("orphan")).toEqual(["retry"]);
    await sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'orphan'");
    const done = new Promise((resolve) => {
      jobs.work("orphan", async (data, run) => resolve([data, run]));
    });
    expect(await done).toEqual([{ n: 1 }, { repeated: true }]);
  });

  test("a single node runs jobs of a dead process at its next start", async () => {
    const first = open();
    await first.enqueue("released", { n: 1 });
    await sql("UPDATE pgboss.job SET state = 'active', started_on = now() WHERE name = 'released'");
    const others = open();
    others.work("released", async () => undefined);
    await others.enqueue("others", {});
    expect(await states("released")).toEqual(["active"]);
    await others.close();
    const alone = openJobs({ store, log, pollMs: 20, singleNode: true });
    opened.push(alone);
    const done = new Promise((resolve) => {
      alone.work("released", async (data, run) => resolve([data, run]));
    });
    expect(await done).toEqual([{ n: 1 }, { repeated: true }]);
  });

  test("concurrency is bounded", async () => {
    const jobs = open(3_600_000);
    let maximum = 0;
    let active = 0;
    const ends: Array<() => void> = [];
    jobs.work(
      "wide",
      async () => {
        maximum = Math.max(maximum, ++active);
        await new Promise<void>((resolve) => ends.push(resolve));
        active -= 1;
      },
      { concurrency: 3 },
    );
    for (let n = 0; n < 7; n += 1) await jobs.enqueue("wide", { n });
    for (let done = 0; done < 7; done += 1) {
      await eventually(
        () => ends.length,
        (waiting) => waiting > 0,
      );
      if (done === 0) {
        await eventually(
          () => active,
          (running) => running === 3,
        );
      }
      ends.shift()?.();
    }
    await eventually(
      () => states("wide"),
      (all) => all.every((state) => state === "completed"),
    );
    expect(maximum).toBe(3);
  });

  test("jobs of a transaction are enqueued atomically with its writes", async () => {
    const jobs = open(3_600_000);
    const done: unknown[] = [];
    jobs.work("atomic", async (data) => {
      done.push(data);
    });
    const enqueue = await jobs.openQueues("atomic");
    const write = (n: number, fails: boolean) =>
      store.transaction(async (transaction) => {
        const { query } = transaction;
        await query({ name: "test", text: "CREATE TABLE IF NOT EXISTS written (n bigint)" }, []);
        await query({ name: "test", text: "INSERT INTO written VALUES ($1)" }, [n]);
        await enqueue(transaction, "atomic", { n });
        if (fails) throw new Error("changed my mind");
        return n;
      });
    await expect(write(1, true)).rejects.toThrow("changed my mind");
    expect(await write(2, false)).toBe(2);
    await eventually(
      () => states("atomic"),
      (all) => all.join() === "completed",
    );
    expect(done).toEqual([{ n: 2 }]);
    expect(await sql("SELECT n FROM written")).toEqual([{ n: 2 }]);
    await expect(
      store.transaction((transaction) => enqueue(transaction, "other", {})),
    ).rejects.toThrow("the queue other is not open");
  });

  test("a delayed job does not start early", async () => {
    const jobs = open();
    jobs.work("waiting", async () => undefined);
    await jobs.enqueue("waiting", {}, { afterSeconds: 3600, retries: 7, leaseSeconds: 60 });
    const [row] = await sql<Record<string, unknown>>(
      `SELECT state::text, retry_limit, extract(epoch FROM expire_in)::int AS lease,
         round(extract(epoch FROM start_after - now()) / 60)::int AS minutes
       FROM pgboss.job WHERE name = 'waiting'`,
    );
    expect(row).toEqual({ state: "created", retry_limit: 7, lease: 60, minutes: 60 });
  });

  test("an array is enqueued as one job each, atomically", async () => {
    const jobs = open();
    const options = { afterSeconds: 60, retries: 7, leaseSeconds: 45 };
    const enqueue = await jobs.openQueues("many");
    await store.transaction(async (transaction) => {
      await enqueue(transaction, "many", [{ n: 1 }, { n: 2 }, { n: 3 }], options);
      await enqueue(transaction, "many", []);
    });
    const rows = await sql<Record<string, unknown>>(
      `SELECT data->>'n' AS n, retry_limit, extract(epoch FROM expire_in)::int AS lease,
         round(extract(epoch FROM start_after - now()) / 60)::int AS minutes
       FROM pgboss.job WHERE name = 'many' ORDER BY 1`,
    );
    expect(rows).toEqual(
      ["1", "2", "3"].map((n) => ({ n, retry_limit: 7, lease: 45, minutes: 1 })),
    );
  });

  test("a frequent scheduled job has a short lease", async () => {
    const jobs = open();
    jobs.work("often", async () => undefined, { everySeconds: 1 });
    const [row] = await eventually(
      () =>
        sql<{ lease: number }>(
          `SELECT extract(epoch FROM expire_in)::int AS lease FROM pgboss.job WHERE name = 'often'`,
        ),
      (rows) => rows.length > 0,
    );
    expect(row?.lease).toBe(60);
  });

  test("closing waits for the running job, which may enqueue others, and takes no other", async () => {
    const jobs = open();
    let started: () => void = () => undefined;
    let finish: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const mayFinish = new Promise<void>((resolve) => {
      finish = resolve;
    });
    jobs.work("slow", async () => {
      started();
      await mayFinish;
      const enqueue = await jobs.openQueues("follow-up");
      await store.transaction((transaction) => enqueue(transaction, "follow-up", {}));
    });
    await jobs.enqueue("slow", {});
    await jobs.enqueue("slow", {});
    await running;
    let ended = false;
    const closed = jobs.close().then(() => {
      ended = true;
    });
    for (let turn = 0; turn < 10; turn += 1) await store.execute("SELECT 1");
    expect(ended).toBe(false);
    finish();
    await closed;
    expect(await states("slow")).toEqual(["completed", "created"]);
    expect(await states("follow-up")).toEqual(["created"]);
  });

  test("a scheduled job runs once per period, however many nodes enqueue it", async () => {
    let runs = 0;
    for (const jobs of [open(), open(), open()]) {
      jobs.work(
        "scheduled",
        async () => {
          runs += 1;
        },
        { everySeconds: 1 },
      );
    }
    await eventually(
      () => runs,
      (count) => count >= 3,
    );
    for (const jobs of opened.splice(0)) await jobs.close();
    const [row] = await sql<{ periods: number; completed: number }>(
      `SELECT count(DISTINCT singleton_on) AS periods,
         count(*) FILTER (WHERE state = 'completed') AS completed
       FROM pgboss.job WHERE name = 'scheduled'`,
    );
    expect(row?.completed).toBe(runs);
    expect(row?.periods).toBeGreaterThanOrEqual(runs);
  });

  test("jobs continue after the database was unavailable", async () => {
    let unavailable = true;
    const jobs = openJobs({
      log,
      pollMs: 20,
      singleNode: false,
      store: {
        transaction: store.transaction,
        query: store.query,
        execute: (text, values) =>
          unavailable ? Promise.reject(new Error("unavailable")) : store.execute(text, values),
      },
    });
    opened.push(jobs);
    let done = 0;
    jobs.work("retried", async () => {
      done += 1;
      // The completion is lost, so the job stays active until its lease expires.
      unavailable = done === 1;
    });
    await expect(jobs.enqueue("retried", {})).rejects.toThrow("unavailable");
    unavailable = false;
    await jobs.enqueue("retried", {});
    await eventually(
      () => unavailable,
      (is) => is,
    );
    unavailable = false;
    await jobs.enqueue("retried", {});
    await eventually(
      () => states("retried"),
      (all) => all.join() === "active,completed",
    );
  });

  test("a failed script leaves no transaction open", async () => {
    await expect(store.execute("BEGIN; SELECT broken; COMMIT;")).rejects.toThrow("broken");
    expect(await store.execute("SELECT 1 AS one; SELECT 2 AS two")).toEqual({ rows: [{ two: 2 }] });
    expect(await store.execute("SELECT $1::int AS one", [1])).toEqual({ rows: [{ one: 1 }] });
    await store.execute("SELECT 1");
  });
});

test("the tables are created in a new embedded database, and the next start accepts them", async () => {
  const database = await emptyFolder();
  for (const turn of [1, 2]) {
    const store = await openOn(database);
    const jobs = openJobs({ store, log, pollMs: 20, singleNode: true });
    const done = new Promise((resolve) => jobs.work("first", async (data) => resolve(data)));
    await jobs.enqueue("first", { turn });
    expect(await done).toEqual({ turn });
    await jobs.close();
    await store.close();
  }
  await database.remove();
});
