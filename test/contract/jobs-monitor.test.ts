import PgBoss from "pg-boss";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import {
  countJobs,
  deleteFailedRuns,
  dueQueues,
  type FailedJobRange,
  lockFailedJob,
  readFailedJobs,
} from "../../src/platform/jobs/job-queries";
import { FAILED_DAYS, type JobMonitor, type Jobs } from "../../src/platform/jobs/jobs";
import { openJobs } from "../../src/platform/jobs/pg-boss";
import { openStore } from "../../src/platform/store/open";
import type { Store } from "../../src/platform/store/store";
import { explainAnalyze } from "../../tools/explain";
import { eventually } from "../support/moving-clock";
import { DATABASE_NAME, type FreshDatabase, freshDatabase } from "../support/operations/database";

const log = openLog("silent");
const EVERY: FailedJobRange = {
  above: [0, "00000000-0000-0000-0000-000000000000"],
  below: [9_000_000_000_000_000, "ffffffff-ffff-ffff-ffff-ffffffffffff"],
  descending: true,
  limit: 100,
};

describe(`failed jobs on the ${DATABASE_NAME} database`, () => {
  let database: FreshDatabase;
  let store: Store;
  const opened: Jobs[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    const config = readConfig({ ...database.environment });
    store = await openStore({ config, log, isNode: false });
  });
  afterEach(async () => {
    for (const jobs of opened.splice(0)) await jobs.close();
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  const open = (): Jobs & JobMonitor => {
    const jobs = openJobs({ store, log, pollMs: 20, singleNode: false });
    opened.push(jobs);
    return jobs;
  };
  const sql = <Row>(text: string, values: unknown[] = []) =>
    store.query<Row>({ name: "test", text }, values);
  const countsOf = async (jobs: JobMonitor, name: string) =>
    (await jobs.counts()).find((queue) => queue.name === name);
  /** Runs the library's periodic maintenance. */
  const maintain = async () => {
    const boss = new PgBoss({
      db: { executeSql: store.execute },
      schedule: false,
      supervise: false,
      archiveCompletedAfterSeconds: 600,
      archiveFailedAfterSeconds: FAILED_DAYS * 86_400,
    });
    await (await boss.start()).maintain();
    await boss.stop({ graceful: false });
  };

  test("are none before the first job", async () => {
    await store.execute("DROP SCHEMA pgboss CASCADE");
    expect(await open().counts()).toEqual([]);
    expect(await open().failed([1], EVERY)).toEqual([]);
  });

  test("are counted, belong to the application that the queue finds, and run once more", async () => {
    const jobs = open();
    const done: object[] = [];
    let fails = true;
    jobs.work<{ owner: number }>(
      "owned",
      async (data) => {
        if (fails) throw new Error(`x${"y".repeat(2_000)}`);
        done.push(data);
      },
      { applicationOf: async ({ owner }) => (owner === 0 ? null : owner) },
    );
    for (const owner of [7, 8, 0]) await jobs.enqueue("owned", { owner }, { retries: 0 });
    await eventually(
      () => countsOf(jobs, "owned"),
      (counts) => counts?.failed === 3,
    );
    const [found, ...more] = await jobs.failed([7, 99], EVERY);
    expect([found, more]).toMatchObject([{ name: "owned", applicationId: 7, attempts: 1 }, []]);
    expect(found?.reason).toHaveLength(1_000);
    expect(JSON.stringify(found)).not.toContain("owner");
    const id = found?.id ?? "";

    // Nobody else's job, and not one that does not exist.
    expect(await jobs.retry(8, id)).toBeNull();
    expect(
      await jobs.retry(
        7,
        id.replace(/./g, (c) => (c === "-" ? c : "0")),
      ),
    ).toBeNull();
    // It failed long ago; the maintenance must not take the retried job for a completed one.
    await sql(
      "UPDATE pgboss.job SET completed_on = now() - interval '2 days' WHERE id = $1::text::uuid",
      [id],
    );
    await maintain();
    await jobs.close();
    const elsewhere = open();
    expect(await elsewhere.retry(7, id)).toBe("owned");
    expect(await elsewhere.retry(7, id)).toBeNull();
    await maintain();
    expect(await countsOf(elsewhere, "owned")).toMatchObject({ waiting: 1, failed: 2 });
    fails = false;
    elsewhere.work("owned", async (data) => void done.push(data));
    await eventually(
      () => done,
      (all) => all.length > 0,
    );
    expect(done).toEqual([{ owner: 7 }]);
    expect(await elsewhere.failed([7], EVERY)).toEqual([]);
  });

  test("that fail again are failed jobs again", async () => {
    const jobs = open();
    let attempts = 0;
    jobs.work(
      "stubborn",
      async () => {
        attempts += 1;
        throw new Error(`attempt ${attempts}`);
      },
      { applicationOf: async () => 21 },
    );
    await jobs.enqueue("stubborn", {}, { retries: 0 });
    const reasons = () => jobs.failed([21], EVERY);
    const [first] = await eventually(reasons, ([job]) => job?.reason === "attempt 1");
    expect(await jobs.retry(21, first?.id ?? "")).toBe("stubborn");
    const [second] = await eventually(reasons, ([job]) => job?.reason === "attempt 2");
    expect(second).toMatchObject({ id: first?.id, attempts: 2 });
  });

  test("are kept for three days and then deleted", async () => {
    const jobs = open();
    jobs.work("old", async () => Promise.reject(new Error("no")), {
      applicationOf: async () => 31,
    });
    await jobs.enqueue("old", {}, { retries: 0 });
    await eventually(
      () => countsOf(jobs, "old"),
      (counts) => counts?.failed === 1,
    );
    const age = (hours: number) =>
      sql(
        "UPDATE pgboss.job SET completed_on = now() - $1 * interval '1 hour' WHERE name = 'old'",
        [hours],
      );
    await age(FAILED_DAYS * 24 - 1);
    await maintain();
    expect(await countsOf(jobs, "old")).toMatchObject({ failed: 1 });
    await age(FAILED_DAYS * 24 + 1);
    await maintain();
    expect(await countsOf(jobs, "old")).toMatchObject({ failed: 0 });
  });

  test("of a schedule are one, until the next success", async () => {
    const jobs = open();
    let runs = 0;
    let fails = true;
    const work = async () => {
      runs += 1;
      if (fails) throw new Error(`run ${runs}`);
    };
    jobs.work("periodic", work, { everySeconds: 1 });
    await eventually(
      () => runs,
      (count) => count >= 3,
    );
    await eventually(
      () => countsOf(jobs, "periodic"),
      (counts) => counts?.failed === 1 && counts.active === 0,
    );
    fails = false;
    await eventually(
      () => countsOf(jobs, "periodic"),
      (counts) => counts?.failed === 0,
    );
  });

  test("of several applications form one list, latest first, page by page in both directions", async () => {
    const jobs = open();
    await jobs.openQueues("paged", "paged-too");
    await sql(
      `INSERT INTO pgboss.job (name, state, completed_on, output, policy)
        SELECT CASE n % 2 WHEN 0 THEN 'paged' ELSE 'paged-too' END, 'failed',
          now() - n / 3 * interval '1 microsecond', jsonb_build_object('reason', n, 'applicationId', 40 + n % 3),
          'standard' FROM generate_series(1, 30) n`,
    );
    const all = await jobs.failed([40, 41], EVERY);
    expect(all).toHaveLength(20);
    const order = all.map(({ micros, id }) => `${micros} ${id}`);
    expect(order).toEqual([...order].sort().reverse());
    const paged = [];
    let below = EVERY.below;
    for (;;) {
      const page = await jobs.failed([40, 41], { ...EVERY, below, limit: 3 });
      paged.push(...page);
      const last = page.at(-1);
      if (!last) break;
      below = [last.micros, last.id];
    }
    expect(paged).toEqual(all);
    const middle = all[10];
    if (!middle) throw new Error("no job");
    const newer = await jobs.failed([40, 41], {
      ...EVERY,
      above: [middle.micros, middle.id],
      descending: false,
      limit: 4,
    });
    expect(newer).toEqual(all.slice(6, 10).reverse());
  });

  test("and the waiting ones are found by index among 100,000, and counted up to 10,000", async () => {
    const jobs = open();
    await jobs.openQueues("many");
    await sql(
      `INSERT INTO pgboss.job (name, state, completed_on, output, policy)
        SELECT 'many', (CASE WHEN n % 3 = 0 THEN 'failed' WHEN n % 3 = 1 THEN 'created' ELSE 'completed' END)::pgboss.job_state,
          CASE n % 3 WHEN 0 THEN now() - n * interval '1 second' WHEN 2 THEN now() END,
          jsonb_build_object('applicationId', 1000 + n % 50), 'standard'
        FROM generate_series(1, 100000) n`,
    );
    await store.execute("ANALYZE pgboss.job");
    expect(await countsOf(jobs, "many")).toEqual({
      name: "many",
      waiting: 10_000,
      active: 0,
      failed: 10_000,
    });
    const reads: number[] = [];
    const query: Store["query"] = async (statement, values) => {
      const nodes = await explainAnalyze(store, statement.text, values);
      reads.push(...nodes.filter(({ type }) => type.endsWith("Scan")).map(({ rows }) => rows));
      return store.query(statement, values);
    };
    const mostRead = () => Math.max(...reads.splice(0));
    await countJobs(query);
    expect(mostRead()).toBe(10_000);
    const range = { ...EVERY, limit: 5 };
    const [job] = await readFailedJobs(query, [1000, 1001, 5], range);
    // At most a page of each application, and the few rows of other queues.
    expect(mostRead()).toBeLessThan(100);
    expect(await lockFailedJob(query, job?.applicationId ?? 0, job?.id ?? "")).toBe("many");
    expect(mostRead()).toBeLessThan(100);
    await deleteFailedRuns(query, "paged", job?.id ?? "");
    expect(mostRead()).toBeLessThan(100);
    expect(await dueQueues(query, ["many", "paged"])).toContain("many");
    expect(mostRead()).toBeLessThan(100);
    await sql(
      "UPDATE pgboss.job SET start_after = now() + interval '1 hour' WHERE name = 'many' AND state = 'created'",
    );
    await store.execute("ANALYZE pgboss.job");
    expect(await dueQueues(query, ["many", "paged"])).not.toContain("many");
    expect(mostRead()).toBeLessThan(100);
  });
});
