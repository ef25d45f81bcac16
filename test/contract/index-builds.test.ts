import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { openLog } from "../../src/core/log";
import {
  buildIndexes,
  type ConcurrentIndex,
  unbuiltIndexes,
} from "../../src/platform/store/concurrent-indexes";
import { migrate } from "../../src/platform/store/migrate";
import type { MigrationConnection } from "../../src/platform/store/migration/stoppable-connection";
import { migrateStore, openStore } from "../../src/platform/store/open";
import {
  describeServices,
  type FreshDatabase,
  freshDatabase,
  freshServices,
  hasServices,
} from "../support/operations/database";
import {
  MIGRATION_DATABASE,
  type MigrationDatabase,
} from "../support/operations/migration-database";
import { sample } from "../support/operations/migrations";

/** Indexes that are built while nodes serve, without a migration. */

const log = openLog("silent");
const TABLE = sample({
  name: "1_first",
  script:
    "CREATE TABLE a (id INT, b INT); INSERT INTO a SELECT n, n FROM generate_series(1, 100) n;",
});
const INDEXES: ConcurrentIndex[] = [
  { name: "a_b_idx", table: "a", definition: '("b", "id") WHERE "b" IS NOT NULL' },
  { name: "a_id_idx", table: "a", definition: '("id")' },
];
const NAMES = INDEXES.map(({ name }) => name);

describe(`indexes on the ${MIGRATION_DATABASE.name} database`, () => {
  let server: MigrationDatabase;
  let connection: MigrationConnection;
  beforeAll(async () => {
    server = await MIGRATION_DATABASE.open();
    connection = server.connection;
  });
  beforeEach(async () => {
    await connection.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    await migrate(connection, TABLE, log);
  });
  afterAll(() => server.close());

  const unbuilt = async () =>
    (await unbuiltIndexes(connection, INDEXES)).map(({ name, isInvalid }) => ({ name, isInvalid }));
  const build = (by = connection, signal?: AbortSignal) =>
    buildIndexes(by, { indexes: INDEXES, concurrently: hasServices, log, signal });
  const another = async () => {
    const opened = await server.another?.();
    if (!opened) throw new Error("no further connection");
    return opened;
  };

  test("are built once, and again if they are missing", async () => {
    expect(await unbuilt()).toEqual(NAMES.map((name) => ({ name, isInvalid: false })));
    expect(await build()).toEqual(NAMES);
    expect(await build()).toEqual([]);
    const definitions = await connection.query<{ text: string }>(
      "SELECT indexdef AS text FROM pg_indexes WHERE tablename = 'a' ORDER BY indexname",
    );
    expect(definitions.map(({ text }) => text)).toEqual([
      "CREATE INDEX a_b_idx ON public.a USING btree (b, id) WHERE (b IS NOT NULL)",
      "CREATE INDEX a_id_idx ON public.a USING btree (id)",
    ]);
    await connection.exec("DROP INDEX a_id_idx");
    expect(await build()).toEqual(["a_id_idx"]);
    expect(await unbuilt()).toEqual([]);
  });

  test("that cannot be built are an error, and the lock is released", async () => {
    const indexes = [{ name: "x", table: "a", definition: '("missing")' }];
    const failing = buildIndexes(connection, { indexes, concurrently: hasServices, log });
    await expect(failing).rejects.toThrow(/"missing" does not exist/);
    const held = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()";
    expect(await connection.query(held)).toEqual([]);
  });

  describeServices("while others use it", () => {
    /** A transaction whose snapshot a concurrent build waits for. */
    const holdSnapshot = async () => {
      const holder = await another();
      await holder.connection.exec("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await holder.connection.query("SELECT count(*) FROM a");
      return async () => {
        await holder.connection.exec("ROLLBACK");
        await holder.close();
      };
    };
    const untilInvalid = async (): Promise<void> => {
      while (!(await unbuilt()).some(({ isInvalid }) => isInvalid)) await sleep(20);
    };

    /** Ends a build while it waits for a snapshot. */
    const interrupted = async (
      end: (pid: number, stopping: AbortController) => Promise<unknown>,
    ) => {
      const release = await holdSnapshot();
      const builder = await another();
      const [{ pid } = { pid: 0 }] = await builder.connection.query<{ pid: number }>(
        "SELECT pg_backend_pid() AS pid",
      );
      const stopping = new AbortController();
      const building = build(builder.connection, stopping.signal).catch((error) => String(error));
      await untilInvalid();
      // Nodes write to the table meanwhile.
      await connection.exec("INSERT INTO a VALUES (101, 101)");
      await end(pid, stopping);
      const reason = await building;
      await builder.close().catch(() => undefined);
      await release();
      return reason;
    };

    test.each([
      ["stopped", async (_pid: number, stopping: AbortController) => stopping.abort(), /aborted/],
      [
        "killed",
        (pid: number) => connection.query("SELECT pg_terminate_backend($1)", [pid]),
        /terminat/,
      ],
    ])("a build that is %s leaves an invalid index, which another process builds again", async (_how, end, reason) => {
      expect(await interrupted(end)).toMatch(reason);
      expect(await unbuilt()).toEqual([
        { name: "a_b_idx", isInvalid: true },
        { name: "a_id_idx", isInvalid: false },
      ]);
      expect(await build()).toEqual(NAMES);
      expect(await unbuilt()).toEqual([]);
    });

    test("one of several processes builds them, and the others wait", async () => {
      const release = await holdSnapshot();
      const builders = await Promise.all([another(), another(), another()]);
      const builds = builders.map((each) => build(each.connection));
      await untilInvalid();
      await release();
      expect((await Promise.all(builds)).flat()).toEqual(NAMES);
      for (const { close } of builders) await close();
    });
  });
});

describe("the service", () => {
  let database: FreshDatabase;
  afterEach(() => database.remove());
  const indexes = [{ name: "calls_test_idx", table: "calls", definition: '("ended_at")' }];
  const configOf = ({ environment }: FreshDatabase) => ({
    DATA_DIR: environment.DATA_DIR ?? "",
    DATABASE_URL: environment.DATABASE_URL,
    REDIS_URL: environment.REDIS_URL,
    DATABASE_POOL: 2,
  });

  test("builds its indexes with the command migrate, and at the start", async () => {
    database = await freshDatabase();
    const config = configOf(database);
    const migrated = { applied: [], indexes: ["calls_test_idx"] };
    expect(await migrateStore(config, log, undefined, indexes)).toEqual(migrated);
    expect(await migrateStore(config, log, undefined, indexes)).toEqual({
      applied: [],
      indexes: [],
    });
    const more = [
      ...indexes,
      { name: "calls_test2_idx", table: "calls", definition: '("ended_at")' },
    ];
    const store = await openStore({ config, log, isNode: true, indexes: more });
    try {
      while (!(await hasIndex(store, "calls_test2_idx"))) await sleep(20);
    } finally {
      await store.close();
    }
  });

  describeServices("on PostgreSQL", () => {
    test("starts and stops while an index is being built", async () => {
      database = await freshServices();
      const config = configOf(database);
      const held = await openStore({ config, log, isNode: false });
      const done = new EventTarget();
      const holding = held.transaction(async (open) => {
        await open.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        await open.execute("SELECT count(*) FROM calls");
        await once(done, "released");
      });
      const store = await openStore({ config, log, isNode: true, indexes });
      // The build waits for the transaction; the node serves meanwhile.
      while ((await invalidIndexes(store)).length === 0) await sleep(20);
      expect(await hasIndex(store, "calls_test_idx")).toBe(false);
      await store.close();
      done.dispatchEvent(new Event("released"));
      await holding;
      await held.close();
      const migrated = { applied: [], indexes: ["calls_test_idx"] };
      expect(await migrateStore(config, log, undefined, indexes)).toEqual(migrated);
    });
  });
});

type Opened = Awaited<ReturnType<typeof openStore>>;

async function hasIndex(store: Opened, name: string): Promise<boolean> {
  const { rows } = await store.execute(
    "SELECT FROM pg_index i WHERE i.indexrelid = to_regclass($1) AND i.indisvalid",
    [name],
  );
  return rows.length > 0;
}

async function invalidIndexes(store: Opened): Promise<unknown[]> {
  const { rows } = await store.execute("SELECT FROM pg_index WHERE NOT indisvalid");
  return rows;
}
