import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { dumpDatabase } from "../../src/platform/backup/dump";
import { linesOf } from "../../src/platform/backup/lines";
import { loadDump } from "../../src/platform/backup/load";
import {
  type OpenMigrationConnection,
  openMigrationConnection,
} from "../../src/platform/store/migration-connection";
import { migrateStore } from "../../src/platform/store/open";
import {
  DATABASE_NAME,
  type FreshDatabase,
  freshFolder,
  freshServices,
  hasServices,
} from "../support/operations/database";
import { contentOf } from "../support/operations/dump-lines";

/** A dump of the embedded database, stored in an embedded one and on a PostgreSQL server. */

const log = openLog("silent");
const databases: FreshDatabase[] = [];
const open: OpenMigrationConnection[] = [];
let source: OpenMigrationConnection;
let target: OpenMigrationConnection;

/** Opens a migrated, empty database. */
async function opened(fresh: Promise<FreshDatabase>): Promise<OpenMigrationConnection> {
  const database = await fresh;
  databases.push(database);
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  await migrateStore(config, log);
  const connection = await openMigrationConnection(config);
  open.push(connection);
  return connection;
}

beforeEach(async () => {
  source = await opened(freshFolder());
  target = await opened(hasServices ? freshServices("template0") : freshFolder());
});
afterEach(async () => {
  for (const { close } of open.splice(0)) await close();
  for (const { remove } of databases.splice(0)) await remove();
});

const load = () => loadDump(linesOf(dumpDatabase(source.connection)), target.connection, log);
const setSource = (sql: string) => source.connection.exec(sql);

/** Values of each type of the service whose text is not obvious. */
const AWKWARD = `CREATE TYPE "Mood" AS ENUM ('so so', 'it''s');
  CREATE TABLE "Awk ward" (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, parent bigint REFERENCES "Awk ward" (id),
    "a ""text""" text, list text[], numbers bigint[], data jsonb, raw bytea, flag boolean, real double precision,
    at timestamptz, day timestamp, span interval, mood "Mood", exact numeric, key uuid,
    twice bigint GENERATED ALWAYS AS (id * 2) STORED)`;
const ROWS = `INSERT INTO "Awk ward" (parent, "a ""text""", list, numbers, data, raw, flag, real, at, day, span, mood, exact, key)
  VALUES
    (NULL, E'tab\\t, line\\n, \\\\ "quotes" ''both''\\u2028\\u2029 \\U0001f600', '{"a b","",NULL,"c\\"d","{}"}', '{9223372036854775807,-1}',
      '{"a": [null, 1.50, "\\u2028"], "b": 9007199254740993}', '\\x00ff5c', true, 0.1, '2026-11-30 12:00:00.123456+05', '2026-01-01 00:00:00.000001',
      '1 mon 2 days 03:04:05.678', 'it''s', 123456789012345678901234567890.123, '00000000-0000-0000-0000-000000000001'),
    (1, '', '{}', NULL, 'null', '', false, '-0', 'infinity', '-infinity', '-1 day', 'so so', 'NaN', NULL),
    (1, NULL, NULL, '{}', NULL, NULL, NULL, 'Infinity', '0001-01-01 00:00:00+00 BC', NULL, NULL, NULL, 1e-20, NULL)`;

describe(`a dump that is stored in the ${DATABASE_NAME} database`, () => {
  it("keeps every value, and what identity columns count", async () => {
    await setSource(AWKWARD);
    await setSource(ROWS);
    await target.connection.exec(AWKWARD);
    const { rows } = await load();
    expect(rows['"Awk ward"']).toBe(3);
    const [before, after] = [
      await contentOf(source.connection),
      await contentOf(target.connection),
    ];
    expect(before.get('"Awk ward"')).toHaveLength(3);
    expect(after).toEqual(before);
    const [next] = await target.connection.query<{ id: string }>(
      `INSERT INTO "Awk ward" DEFAULT VALUES RETURNING id::text`,
    );
    expect(next?.id).toBe("4");
  });

  it("has the same rows of a table that is read and inserted in many parts", async () => {
    await setSource(`INSERT INTO accounts (name, account_key, updated_at)
      SELECT repeat('ä', n % 300), 'key ' || n, now() FROM generate_series(1, 2345) AS n`);
    await setSource("DELETE FROM accounts WHERE id % 7 = 0");
    const { rows } = await load();
    expect(rows.accounts).toBe(2345 - 335);
    expect(await contentOf(target.connection)).toEqual(await contentOf(source.connection));
  });

  it("leaves a target with data as it was, and stores nothing of a dump that ends early", async () => {
    await setSource(
      "INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'k', now())",
    );
    const parts = async function* () {
      for await (const line of linesOf(dumpDatabase(source.connection))) {
        if (line.includes('"applications"')) throw new Error("the source is gone");
        yield line;
      }
    };
    await expect(loadDump(parts(), target.connection, log)).rejects.toThrow("the source is gone");
    const short = async function* () {
      for await (const line of linesOf(dumpDatabase(source.connection))) {
        yield line;
        if (line.startsWith("[")) return;
      }
    };
    await expect(loadDump(short(), target.connection, log)).rejects.toThrow(
      "The backup ends within a table",
    );
    await load();
    const stored = await contentOf(target.connection);
    expect(stored.get("accounts")).toHaveLength(1);
    await expect(load()).rejects.toThrow(/already holds data \(in the table accounts\)/);
    expect(await contentOf(target.connection)).toEqual(stored);
  });

  it("refuses what does not fit the tables, or its own numbers", async () => {
    await setSource(
      "INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'k', now())",
    );
    const changes: [from: string | RegExp, to: string, message: RegExp][] = [
      [/"jobs":\d+/, '"jobs":1', /The jobs in the backup have version 1/],
      ['"table":"accounts"', '"table":"pg_authid"', /pg_authid is unknown/],
      ['"columns":["id"', '"columns":["id) SELECT 1; --"', /is unknown, or not where it must be/],
      ['{"rows":1}', '{"rows":2}', /The table accounts has 1 rows, 2 are expected/],
      ['{"sequence":"', '{"sequence":"x', /is unknown, or not where it must be/],
      ['{"sequence":"', '{"another":"', /an entry that this version does not know/],
      ['{"table":"users"', '{"table":"accounts"', /accounts is unknown, or not where it must be/],
    ];
    for (const [from, to, message] of changes) {
      const changed = async function* () {
        for await (const line of linesOf(dumpDatabase(source.connection))) {
          yield line.replace(from, to);
        }
      };
      await expect(loadDump(changed(), target.connection, log)).rejects.toThrow(message);
    }
    await load();
    expect(await contentOf(target.connection)).toEqual(await contentOf(source.connection));
  });
});
