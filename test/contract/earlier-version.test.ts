import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { openLog } from "../../src/core/log";
import { fillEmbedded } from "../../src/platform/store/embedded";
import type { MigrationConnection } from "../../src/platform/store/migration/stoppable-connection";
import { openMigrationConnection } from "../../src/platform/store/migration-connection";
import { migrateStore } from "../../src/platform/store/open";
import { graphql } from "../../tools/graphql/graphql-http";
import { readCall, send, waitForCall } from "../support/calls/calls";
import { eventually } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";
import {
  DATABASE_NAME,
  emptyFolder,
  type FreshDatabase,
  freshServices,
  hasServices,
} from "../support/operations/database";
import { RecordingProviders } from "../support/push/recording-provider";
import { newUser, rest, signIn, type TestUser } from "../support/rest-client";

/**
 * A database of an earlier version, with rows in every table, is migrated while no node runs, and used by this version.
 * `tools/earlier-version/make.ts` made it.
 */

const FILES = join(__dirname, "../support/upgrade/earlier-version");
const DUMP = gunzipSync(readFileSync(`${FILES}.sql.gz`)).toString();
/** What the clients of the earlier version know. */
const USED: {
  /** When the dump was made. */
  time: string;
  application: TestNode["application"];
  owner: { email: string; password: string };
  ann: TestUser;
  ben: TestUser;
  /** The device for which a push waits. */
  device: string;
  /** A call that has ended, and one that still rings. */
  callId: string;
  ringingId: string;
  conference: { id: string };
} = JSON.parse(readFileSync(`${FILES}.json`, "utf8"));

const log = openLog("silent");

/** Tables of the service and of its jobs, without partitions. */
const TABLES = `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname IN ('public', 'pgboss') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relname <> '_prisma_migrations' ORDER BY 1`;

/** Moves all points in time, as if the dump had been made now: nothing has expired since. */
const MOVE_TIMES = `DO $$ DECLARE each record; BEGIN
  FOR each IN SELECT format('%I.%I', n.nspname, c.relname) AS name, a.attname AS field FROM pg_attribute a
      JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname IN ('public', 'pgboss') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.atttypid = 'timestamptz'::regtype AND NOT a.attisdropped LOOP
    EXECUTE format('UPDATE %s SET %I = %I + (now() - %L::timestamptz)', each.name, each.field, each.field, '${USED.time}');
  END LOOP;
END $$`;

type Row = Record<string, unknown>;
type Content = Map<string, Row[]>;

async function contentOf(connection: MigrationConnection): Promise<Content> {
  const content: Content = new Map();
  for (const { name } of await connection.query<{ name: string }>(TABLES)) {
    const rows = await connection.query<{ row: string }>(
      `SELECT to_jsonb(t)::text AS row FROM ${name} t`,
    );
    content.set(
      name,
      rows.map(({ row }) => JSON.parse(row)),
    );
  }
  return content;
}

/** The rows with only these columns, in an order of their own. */
function narrowed(rows: Row[], columns: string[]): string[] {
  return rows.map((row) => JSON.stringify(columns.map((name) => [name, row[name]]))).sort();
}

/** A database with the dump. */
async function restored(): Promise<FreshDatabase> {
  const load = async (connection: MigrationConnection) => {
    await connection.exec(DUMP);
    // The dump has set it for the session.
    await connection.exec("RESET ALL");
  };
  if (hasServices) {
    const database = await freshServices("template0");
    await within(database, load);
    return database;
  }
  const database = await emptyFolder();
  const { DATA_DIR = "" } = database.environment;
  await fillEmbedded(DATA_DIR, log, { fill: load, addFiles: async () => undefined });
  return { ...database, environment: { DATA_DIR, SECRET_KEY: "0".repeat(64) } };
}

const configOf = ({ environment }: FreshDatabase) => ({
  DATA_DIR: environment.DATA_DIR ?? "",
  DATABASE_URL: environment.DATABASE_URL,
});

async function within<T>(
  database: FreshDatabase,
  act: (connection: MigrationConnection) => Promise<T>,
): Promise<T> {
  const { connection, close } = await openMigrationConnection(configOf(database));
  try {
    return await act(connection);
  } finally {
    await close();
  }
}

const SIGN_IN = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";
const ACCOUNT = `{ account {
  applications { name }
  auditEntries { nodes { action outcome } }
  members { role }
} }`;

describe(`the ${DATABASE_NAME} database of an earlier version`, () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await restored();
  });
  afterAll(() => database.remove());

  test("is migrated, and keeps every row of every table", async () => {
    const before = await within(database, contentOf);
    const empty = [...before].filter(([, rows]) => rows.length === 0).map(([name]) => name);
    // Jobs go to the archive long after they have ended; the service uses neither of the others.
    expect(empty).toEqual(["pgboss.archive", "pgboss.schedule", "pgboss.subscription"]);
    const { applied } = await migrateStore(configOf(database), log);
    expect(applied.at(0)).toMatch(/password_token_form$/);
    const after = await within(database, contentOf);
    for (const [name, rows] of before) {
      const columns = Object.keys(rows[0] ?? {});
      expect([name, narrowed(after.get(name) ?? [], columns)]).toEqual([
        name,
        narrowed(rows, columns),
      ]);
    }
  });

  test("serves its users and members, and sends the push that waited", async () => {
    await within(database, (connection) => connection.exec(MOVE_TIMES));
    const { ann, ben, device, callId, ringingId, conference, application, owner } = USED;
    const providers = new RecordingProviders();
    const known = { application, environment: database.environment } as TestNode;
    const parts = { pushProvider: providers.open, jobsPollMs: 100 };
    const node = await startNode({}, parts, known);
    try {
      for (const user of [ann, ben]) {
        // By the token of before, and by a new one.
        const own = await rest(node, "GET", `/users/${user.id}`, { token: user.token });
        expect([own.status, own.body.user.login]).toEqual([200, user.login]);
        await signIn(node, user);
      }
      const read = async (path: string) => (await rest(node, "GET", path, ann)).text;
      expect(await read(`/users/by_login?login=${ben.login}`)).toContain(ben.login);
      expect(await read("/users/by_tags?tags=one")).toContain(ann.login);
      expect(await read("/subscriptions")).toContain(`udid-of-${ann.id}`);
      const pushes = await graphql(node, "{ pushEvents { nodes { id } } }", {}, ann.token);
      // Two that were sent, and one that is due in the far future.
      expect(pushes.data.pushEvents.nodes).toHaveLength(3);
      expect(await readCall(node, ann, callId)).toMatchObject({ state: "HUNG_UP" });
      // A call goes on where it was.
      await send(node, ann, ben, "accept", ringingId);
      await waitForCall(node, ann, ringingId, "ACCEPTED");
      const query = "query ($id: ID!) { conference(id: $id) { id } }";
      const found = await graphql(node, query, { id: conference.id }, ann.token);
      expect(found.data).toEqual({ conference: { id: conference.id } });

      const { data } = await graphql(node, SIGN_IN, { input: owner });
      const account = await graphql(node, ACCOUNT, {}, data.signInMember.token);
      expect(account.data.account).toMatchObject({
        applications: [{ name: "Renamed" }],
        members: expect.arrayContaining([{ role: "OWNER" }, { role: "SUPPORT" }]),
      });
      expect(account.data.account.auditEntries.nodes).toContainEqual({
        action: "updateApplication",
        outcome: "SUCCEEDED",
      });

      await node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'push-deliver'");
      await eventually(
        () => providers.tokens(),
        (tokens) => tokens.includes(device),
      );
      expect((await newUser(node)).id).toBeGreaterThan(ben.id);
    } finally {
      await node.stop();
    }
  });
});
