import PgBoss from "pg-boss";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import type { Jobs } from "../../src/jobs/jobs";
import { openJobs } from "../../src/jobs/pg-boss";
import { openStore } from "../../src/store/open";
import type { Store } from "../../src/store/store";
import { DATABASE_NAME, emptyFolder, type FreshDatabase, freshDatabase } from "../support/database";
import { eventually } from "../support/moving-clock";

const log = openLog("silent");

const openOn = (database: FreshDatabase) =>
  openStore({ config: readConfig({ ...database.environment }), log, exclusive: false });

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
    const jobs = openJobs({ store, log, pollMs, alone: false });
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

  test("nodes that start at once make their queues without a deadlock", async () => {
    const complaints: string[] = [];
    const watched = openLog("info", { write: (line) => void complaints.push(line) });
    const names = Array.from({ length: 8 }, (_, index) => `at-once-${index}`);
    const nodes = Array.from({ length: 4 }, () =>
      openJobs({ store, log: watched, pollMs: 20, alone: false }),
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
    expect(complaints).toEqual([]);
    const queues = await sql<{ name: string }>(
      "SELECT name FROM pgboss.queue WHERE name LIKE 'at-once-%' AND policy = 'standard' ORDER BY name",
    );
    expect(queues.map(({ name }) => name)).toEqual(names);
  });

  test("opening asks nothing of the database, and closing what never began is well", async () => {
    const asked: string[] = [];
    const jobs = openJobs({
      log,
      alone: true,
      store: {
        transaction: store.transaction,
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

  test("a job is done with its data, in the order of asking, by the one who is woken", async () => {
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

  test("a job survives the end of who asked for it", async () => {
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

  test("a job that fails waits and is tried again, until it has failed for good", async () => {
    const jobs = open();
    let attempts = 0;
    jobs.work("failing", async () => {
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
    // Backing off: the second wait is 5 to 10 s doubled, each at most.
    expect(delays[0]).toBeGreaterThan(2);
    expect(delays[1]).toBeGreaterThan(7);
    expect(delays[4]).toBeGreaterThan(60);
  });

  test("a job whose process died in the middle is done by another", async () => {
    const jobs = open();
    await jobs.enqueue("orphan", { n: 1 });
    await sql(
      `UPDATE pgboss.job SET state = 'active', started_on = now() - interval '6 minutes',
         start_after = now() - interval '7 minutes' WHERE name = 'orphan'`,
    );
    // What the library does by itself every two minutes.
    const { execute } = store;
    const boss = new PgBoss({ db: { executeSql: execute }, schedule: false, supervise: false });
    await (await boss.start()).maintain();
    await boss.stop({ graceful: false });
    expect(await states("orphan")).toEqual(["retry"]);
    await sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'orphan'");
    const done = new Promise((resolve) => {
      jobs.work("orphan", async (data) => resolve(data));
    });
    expect(await done).toEqual({ n: 1 });
  });

  test("a job of a dead process is done at the next start where there is one node", async () => {
    const first = open();
    await first.enqueue("released", { n: 1 });
    await sql("UPDATE pgboss.job SET state = 'active', started_on = now() WHERE name = 'released'");
    const others = open();
    others.work("released", async () => undefined);
    await others.enqueue("others", {});
    expect(await states("released")).toEqual(["active"]);
    await others.close();
    const alone = openJobs({ store, log, pollMs: 20, alone: true });
    opened.push(alone);
    const done = new Promise((resolve) => {
      alone.work("released", async (data) => resolve(data));
    });
    expect(await done).toEqual({ n: 1 });
  });

  test("as many jobs as said are under way at once, and no more", async () => {
    const jobs = open(3_600_000);
    let most = 0;
    let now = 0;
    const ends: Array<() => void> = [];
    jobs.work(
      "wide",
      async () => {
        most = Math.max(most, ++now);
        await new Promise<void>((resolve) => ends.push(resolve));
        now -= 1;
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
          () => now,
          (running) => running === 3,
        );
      }
      ends.shift()?.();
    }
    await eventually(
      () => states("wide"),
      (all) => all.every((state) => state === "completed"),
    );
    expect(most).toBe(3);
  });

  test("jobs of a transaction are there with what it wrote, or not at all", async () => {
    const jobs = open(3_600_000);
    const done: unknown[] = [];
    jobs.work("atomic", async (data) => {
      done.push(data);
    });
    const write = (n: number, fails: boolean) =>
      jobs.transaction(["atomic"], async ({ query }, enqueue) => {
        await query({ name: "test", text: "CREATE TABLE IF NOT EXISTS written (n bigint)" }, []);
        await query({ name: "test", text: "INSERT INTO written VALUES ($1)" }, [n]);
        await enqueue("atomic", { n });
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
      jobs.transaction([], (_transaction, enqueue) => enqueue("atomic", {})),
    ).rejects.toThrow("not begun for jobs atomic");
  });

  test("a job that is to wait is not begun before", async () => {
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

  test("a list of data is a job each, all or nothing", async () => {
    const jobs = open();
    const options = { afterSeconds: 60, retries: 7, leaseSeconds: 45 };
    await jobs.transaction(["many"], async (_transaction, enqueue) => {
      await enqueue("many", [{ n: 1 }, { n: 2 }, { n: 3 }], options);
      await enqueue("many", []);
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

  test("a node that dies in what runs every few seconds keeps nobody from it for long", async () => {
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

  test("closing waits for the job under way, and takes no other", async () => {
    const jobs = open();
    let begun: () => void = () => undefined;
    let finish: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const may = new Promise<void>((resolve) => {
      finish = resolve;
    });
    jobs.work("slow", async () => {
      begun();
      await may;
    });
    await jobs.enqueue("slow", {});
    await jobs.enqueue("slow", {});
    await running;
    let ended = false;
    const closed = jobs.close().then(() => {
      ended = true;
    });
    for (let turn = 0; turn < 10; turn += 1) await store.check();
    expect(ended).toBe(false);
    finish();
    await closed;
    expect(await states("slow")).toEqual(["completed", "created"]);
  });

  test("a schedule runs once in each period, however many ask", async () => {
    let runs = 0;
    for (const jobs of [open(), open(), open()]) {
      jobs.work(
        "clockwork",
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
       FROM pgboss.job WHERE name = 'clockwork'`,
    );
    expect(row?.completed).toBe(runs);
    expect(row?.periods).toBeGreaterThanOrEqual(runs);
  });

  test("a database that is away ends nothing; the jobs go on when it is back", async () => {
    let away = true;
    const jobs = openJobs({
      log,
      pollMs: 20,
      alone: false,
      store: {
        transaction: store.transaction,
        execute: (text, values) =>
          away ? Promise.reject(new Error("away")) : store.execute(text, values),
      },
    });
    opened.push(jobs);
    let done = 0;
    jobs.work("patient", async () => {
      done += 1;
      // The mark that it is done is lost, so it is done again once its time has run out.
      away = done === 1;
    });
    await expect(jobs.enqueue("patient", {})).rejects.toThrow("away");
    away = false;
    await jobs.enqueue("patient", {});
    await eventually(
      () => away,
      (is) => is,
    );
    away = false;
    await jobs.enqueue("patient", {});
    await eventually(
      () => states("patient"),
      (all) => all.join() === "active,completed",
    );
  });

  test("a script that fails leaves no transaction open", async () => {
    await expect(store.execute("BEGIN; SELECT broken; COMMIT;")).rejects.toThrow("broken");
    expect(await store.execute("SELECT 1 AS one; SELECT 2 AS two")).toEqual({ rows: [{ two: 2 }] });
    expect(await store.execute("SELECT $1::int AS one", [1])).toEqual({ rows: [{ one: 1 }] });
    await store.check();
  });
});

test("the tables are made in an embedded database that is new, and the next start agrees", async () => {
  const database = await emptyFolder();
  for (const turn of [1, 2]) {
    const store = await openOn(database);
    const jobs = openJobs({ store, log, pollMs: 20, alone: true });
    const done = new Promise((resolve) => jobs.work("first", async (data) => resolve(data)));
    await jobs.enqueue("first", { turn });
    expect(await done).toEqual({ turn });
    await jobs.close();
    await store.close();
  }
  await database.remove();
});
