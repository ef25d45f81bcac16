import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { newToken } from "../../src/core/random";
import { isUnreachable, uniqueViolation } from "../../src/platform/store/database-errors";
import { openStore } from "../../src/platform/store/open";
import type { Store } from "../../src/platform/store/store";
import { UNIQUE_INDEXES } from "../../src/platform/store/unique-indexes";
import { DATABASE_NAME, type FreshDatabase, freshDatabase } from "../support/operations/database";

const log = openLog("silent");

describe(`the ${DATABASE_NAME} store`, () => {
  let database: FreshDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await freshDatabase();
    const config = readConfig({ ...database.environment, DATABASE_POOL: "1" });
    store = await openStore({ config, log, isNode: true });
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  const one = async (text: string, values: unknown[] = []) =>
    (await store.query<Record<string, unknown>>({ name: "test", text }, values))[0];
  const thrown = async (attempt: () => Promise<unknown>): Promise<unknown> => {
    try {
      await attempt();
    } catch (error) {
      return error;
    }
    throw new Error("no error was thrown");
  };
  let count = 0;
  async function account() {
    const accountKey = `key-${++count}`;
    const made = await store.db.account.create({ data: { name: "a", accountKey } });
    return { id: made.id, accountKey };
  }

  test("knows its kind, and runs a statement", async () => {
    expect(store.kind).toBe(DATABASE_NAME);
    await store.execute("SELECT 1");
  });

  test("returns columns as documented", async () => {
    const row = await one(
      `SELECT 9007199254740991::int8 AS big, 7::int4 AS small, count(*) AS counted,
         ARRAY[1, NULL, -9007199254740991]::int8[] AS bigs, '{}'::int8[] AS none,
         ARRAY['a,b', '"', 'ü{}']::text[] AS texts, true AS yes, NULL::text AS nothing,
         '2026-11-21T10:00:00.123Z'::timestamptz AS moment, '{"a": [1]}'::jsonb AS json,
         '\\x00ff'::bytea AS bytes, 1.50::numeric AS exact`,
    );
    expect(row).toMatchObject({
      big: 9007199254740991,
      small: 7,
      counted: 1,
      bigs: [1, null, -9007199254740991],
      none: [],
      texts: ["a,b", '"', "ü{}"],
      yes: true,
      nothing: null,
      json: { a: [1] },
      exact: "1.50",
    });
    // Not instanceof: the embedded database creates these outside of jest's realm.
    expect(Object.prototype.toString.call(row?.moment)).toBe("[object Date]");
    expect(JSON.stringify(row?.moment)).toBe('"2026-11-21T10:00:00.123Z"');
    expect(Buffer.from(row?.bytes as Uint8Array).toString("hex")).toBe("00ff");
  });

  test("accepts parameters of every type in use", async () => {
    const moment = new Date("2026-11-21T10:00:00.123Z");
    const row = await one(
      `SELECT $1::int8 + 1 AS big, 3 = ANY($2::int8[]) AS among, $3::timestamptz AS moment,
         $4::text[] AS texts, encode($5::bytea, 'hex') AS bytes, $6::jsonb ->> 'a' AS json,
         $7::text IS NULL AS nothing, $8::boolean AS yes`,
      [41, [1, 3], moment, ["a,b", '"'], Buffer.from([0, 255]), { a: "b" }, null, true],
    );
    expect(JSON.parse(JSON.stringify(row))).toEqual({
      big: 42,
      among: true,
      moment: moment.toISOString(),
      texts: ["a,b", '"'],
      bytes: "00ff",
      json: "b",
      nothing: true,
      yes: true,
    });
  });

  test("Prisma and prepared statements agree on timestamps, whatever the server's time zone", async () => {
    const createdAt = new Date("2026-11-21T23:59:59.999Z");
    const { id } = await store.db.account.create({
      data: { name: "a", accountKey: `moment-${DATABASE_NAME}`, createdAt },
    });
    const row = await one(
      "SELECT (extract(epoch FROM created_at) * 1000)::int8 AS ms FROM accounts WHERE id = $1",
      [Number(id)],
    );
    expect(row).toEqual({ ms: createdAt.getTime() });
    await one("UPDATE accounts SET created_at = $2 WHERE id = $1", [
      Number(id),
      new Date("2026-01-02T03:04:05.006Z"),
    ]);
    const read = await store.db.account.findUniqueOrThrow({ where: { id } });
    expect(read.createdAt.toISOString()).toBe("2026-01-02T03:04:05.006Z");
  });

  test("parsing int8 as numbers does not affect Prisma", async () => {
    const { id } = await account();
    expect(await one("SELECT id FROM accounts WHERE id = $1", [Number(id)])).toEqual({
      id: Number(id),
    });
    expect((await store.db.account.findUniqueOrThrow({ where: { id } })).id).toBe(id);
    expect(typeof id).toBe("bigint");
  });

  test("any number of statements and variants can run", async () => {
    for (let shape = 0; shape < 300; shape++) {
      const text = `SELECT ${shape} AS shape, $1::int4 AS value`;
      expect(await one(text, [shape])).toEqual({ shape, value: shape });
    }
    for (let other = 0; other < 200; other++) {
      const statement = { name: `statement-${other}`, text: `SELECT ${other} AS other` };
      expect(await store.query(statement, [])).toEqual([{ other }]);
      expect(await store.query(statement, [])).toEqual([{ other }]);
    }
    if (store.kind === "postgresql") {
      const [row] = await store.query<{ shapes: number; others: number }>(
        {
          name: "count",
          text: `SELECT count(*) FILTER (WHERE name LIKE 'test:%') AS shapes,
            count(*) FILTER (WHERE name LIKE 'statement-%') AS others FROM pg_prepared_statements`,
        },
        [],
      );
      expect(row?.shapes).toBe(60);
      expect(row?.others).toBeGreaterThan(100);
      expect((row?.shapes ?? 0) + (row?.others ?? 0)).toBeLessThanOrEqual(200);
    }
  });

  test("the list of unique indexes matches the database", async () => {
    const rows = await store.query<{ name: string; columns: string[] }>(
      {
        name: "indexes",
        text: `SELECT i.relname::text AS name, array_agg(a.attname::text ORDER BY k.place) AS columns
          FROM pg_index x
          JOIN pg_class i ON i.oid = x.indexrelid
          JOIN pg_class t ON t.oid = x.indrelid
          CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY AS k(number, place)
          JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number
          WHERE x.indisunique AND t.relnamespace = 'public'::regnamespace
            AND t.relname <> '_prisma_migrations'
          GROUP BY i.relname`,
      },
      [],
    );
    const found = rows.map((row) => [
      row.name,
      row.columns.map((column) => column.replace(/_(.)/g, (_, letter) => letter.toUpperCase())),
    ]);
    expect(Object.fromEntries(found)).toEqual(UNIQUE_INDEXES);
  });

  test("a unique violation names the fields of the model, from every interface", async () => {
    const { id: accountId, accountKey } = await account();
    const again = { data: { name: "b", accountKey } };
    const app = await store.db.application.create({
      data: { name: "a", accountId, authKey: "k", authSecret: "s" },
    });
    const user = { applicationId: app.id, loginKey: "alice", emailKey: "alice@example.org" };
    await store.db.user.create({ data: user });
    const nonce = { applicationId: app.id, ts: 1, nonce: 2 };
    const cases: [string[], () => Promise<unknown>][] = [
      [["accountKey"], () => store.db.account.create(again)],
      [
        ["accountKey"],
        () => store.transaction(async ({ prisma }) => (await prisma()).account.create(again)),
      ],
      [["accountKey"], () => store.db.$transaction([store.db.account.create(again)])],
      [
        ["accountKey"],
        () =>
          store.db
            .$executeRaw`INSERT INTO accounts (name, account_key, updated_at) VALUES ('b', ${accountKey}, now())`,
      ],
      [
        ["accountKey"],
        () =>
          one("INSERT INTO accounts (name, account_key, updated_at) VALUES ('b', $1, now())", [
            accountKey,
          ]),
      ],
      [
        ["applicationId", "loginKey"],
        () => store.db.user.create({ data: { ...user, emailKey: "b" } }),
      ],
      [
        ["applicationId", "emailKey"],
        () => store.db.user.create({ data: { ...user, loginKey: "b" } }),
      ],
      [["applicationId", "ts", "nonce"], () => store.db.nonce.createMany({ data: [nonce, nonce] })],
    ];
    for (const [fields, attempt] of cases) {
      const error = await thrown(attempt);
      expect(uniqueViolation(error)).toEqual(fields);
      expect(isUnreachable(error)).toBe(false);
    }
  });

  test("other errors are neither a unique violation nor an outage", async () => {
    const errors = [
      await thrown(() =>
        store.db.application.create({
          data: { name: "a", accountId: 999_999, authKey: "k", authSecret: "s" },
        }),
      ),
      await thrown(() => one("SELECT nothing_like_it")),
      await thrown(() => store.db.account.findUniqueOrThrow({ where: { id: 999_999 } })),
      new Error("anything"),
      null,
      "text",
    ];
    for (const error of errors) {
      expect(uniqueViolation(error)).toBeNull();
      expect(isUnreachable(error)).toBe(false);
    }
  });

  test("a statement that the server cancels, as at its time limit, can be repeated", async () => {
    const cancelled = { code: "57014", message: "canceling statement due to statement timeout" };
    expect(isUnreachable(Object.assign(new Error(cancelled.message), cancelled))).toBe(true);
    if (store.kind !== "postgresql") return;
    const error = await thrown(() =>
      store.transaction(async ({ query, execute }) => {
        await execute("SET LOCAL statement_timeout = 50", []);
        await query({ name: "test", text: "SELECT pg_sleep(5)" }, []);
      }),
    );
    expect(error).toMatchObject({ code: "UNAVAILABLE" });
    const prisma = await thrown(() =>
      store.transaction(async ({ execute, prisma: open }) => {
        await execute("SET LOCAL statement_timeout = 50", []);
        await (await open()).$queryRaw`SELECT pg_sleep(5)::text`;
      }),
    );
    expect(prisma).toMatchObject({ code: "UNAVAILABLE" });
  });

  test("an error does not contain the values of the statement", async () => {
    const { accountKey } = await account();
    const error = await thrown(() =>
      one("INSERT INTO accounts (name, account_key, updated_at) VALUES ($2, $1, now())", [
        accountKey,
        "a-secret-value",
      ]),
    );
    const shown = JSON.stringify({ ...(error as object), message: String(error) });
    expect(shown).toContain("accounts_account_key_key");
    expect(shown).not.toContain("a-secret-value");
    expect(shown).not.toContain(accountKey);
  });

  describe("a transaction", () => {
    const COUNT = {
      name: "test",
      text: "SELECT count(*) AS n FROM accounts WHERE account_key = $1",
    };
    const countOf = async (query: Store["query"], accountKey: string) =>
      (await query<{ n: number }>(COUNT, [accountKey]))[0]?.n;
    const newKey = () => newToken();

    test("is one for statements and for the Prisma client, which see each other's writes", async () => {
      const accountKey = newKey();
      const id = await store.transaction(async ({ query, execute, prisma }) => {
        const db = await prisma();
        const created = await db.account.create({ data: { name: "a", accountKey } });
        expect(await countOf(query, accountKey)).toBe(1);
        await execute("UPDATE accounts SET name = 'b' WHERE account_key = $1", [accountKey]);
        expect(await db.account.findUnique({ where: { accountKey } })).toMatchObject({ name: "b" });
        // A nested write, for which Prisma needs a transaction.
        const application = { name: "a", authKey: "k", authSecret: "s" };
        const data = { applications: { create: application } };
        await (await prisma()).account.update({ where: { accountKey }, data });
        return created.id;
      });
      expect(await countOf(store.query, accountKey)).toBe(1);
      expect(await store.db.application.count({ where: { accountId: id } })).toBe(1);
    });

    test("that fails is rolled back, and the connection stays usable", async () => {
      const [before, after] = [newKey(), newKey()];
      const called: string[] = [];
      const failure = new Error("changed my mind");
      const error = await thrown(() =>
        store.transaction(async ({ execute, prisma, onCommit }) => {
          const insert =
            "INSERT INTO accounts (name, account_key, updated_at) VALUES ('b', $1, now())";
          await execute(insert, [before]);
          await (await prisma()).account.create({ data: { name: "a", accountKey: after } });
          onCommit(() => called.push("committed"));
          throw failure;
        }),
      );
      expect(error).toBe(failure);
      expect(await countOf(store.query, before)).toBe(0);
      expect(await countOf(store.query, after)).toBe(0);
      expect(called).toEqual([]);
      await store.execute("SELECT 1");
    });

    test("is rolled back when a write of the Prisma client fails", async () => {
      const accountKey = newKey();
      const error = await thrown(() =>
        store.transaction(async ({ prisma }) => {
          const db = await prisma();
          await db.account.create({ data: { name: "a", accountKey } });
          await db.account.create({ data: { name: "b", accountKey } });
        }),
      );
      expect(uniqueViolation(error)).toEqual(["accountKey"]);
      expect(await countOf(store.query, accountKey)).toBe(0);
    });

    test("calls what waits for the commit after it", async () => {
      const accountKey = newKey();
      const seen: Array<Promise<number | undefined>> = [];
      await store.transaction(async ({ prisma, onCommit }) => {
        onCommit(() => seen.push(countOf(store.query, accountKey)));
        await (await prisma()).account.create({ data: { name: "a", accountKey } });
        expect(seen).toEqual([]);
      });
      expect(await Promise.all(seen)).toEqual([1]);
    });

    test("does not include what runs outside of it, also at the same time", async () => {
      const keys = Array.from({ length: 8 }, newKey);
      await Promise.all(
        keys.map((accountKey, n) =>
          n % 2 === 0
            ? thrown(() =>
                store.transaction(async ({ prisma }) => {
                  await (await prisma()).account.create({ data: { name: "a", accountKey } });
                  throw new Error("changed my mind");
                }),
              )
            : store.db.$transaction([
                store.db.account.create({ data: { name: "a", accountKey } }),
                store.db.account.count(),
              ]),
        ),
      );
      const counts = await Promise.all(keys.map((key) => countOf(store.query, key)));
      expect(counts).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
    });
  });

  test("is UNAVAILABLE once it is closed", async () => {
    const own = await freshDatabase();
    const config = readConfig(own.environment);
    const closing = await openStore({ config, log, isNode: true });
    await closing.close();
    await expect(closing.execute("SELECT 1")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(closing.db.account.findFirst()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    // The database can be opened again.
    await (await openStore({ config, log, isNode: true })).close();
    await own.remove();
  });
});
