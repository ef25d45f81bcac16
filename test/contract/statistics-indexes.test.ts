import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { countOpenCalls } from "../../src/domain/calls/history/call-list-queries";
import {
  countOpenConferences,
  countTakenSeats,
} from "../../src/domain/conferences/rows/open-conference-queries";
import {
  countLiveSessionsOfAll,
  countLiveSessionsOfEach,
} from "../../src/domain/sessions/application-session-queries";
import * as sockets from "../../src/domain/statistics/open-sockets-queries";
import * as statistics from "../../src/domain/statistics/statistics-queries";
import { openStore } from "../../src/platform/store/open";
import type { Store } from "../../src/platform/store/store";
import { explainAnalyze, explainStatements } from "../../tools/explain";
import {
  describeServices,
  type FreshDatabase,
  freshDatabase,
} from "../support/operations/database";
import { fillTables } from "../support/operations/fill-tables";

/** Rows of one application in each table. */
const ROWS = 100_000;
const MAX = 1_000;

/**
 * One application with many rows, of which all sessions, calls and conferences are open, and a thousand applications
 * with statistics, also of the coming minutes, in one of which the test asks for the last hour.
 */
const FILL = [
  `INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'key', now())`,
  `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
    SELECT id, 'x', 'k', 's', '{}', now() FROM accounts, generate_series(1, 1000)`,
  `INSERT INTO sessions (application_id, token_hash, nonce, ts, expires_at, last_activity_at, updated_at)
    SELECT a.id, sha256(convert_to(n::text, 'UTF8')), n, 1, now() + interval '1 hour', now(), now()
    FROM (SELECT min(id) AS id FROM applications) a, generate_series(1, ${ROWS}) n`,
  `INSERT INTO calls (application_id, session_id) SELECT a.id, 's' || n
    FROM (SELECT min(id) AS id FROM applications) a, generate_series(1, ${ROWS}) n`,
  `INSERT INTO conferences (application_id, name, seats, video, access, origin, bitrate)
    SELECT a.id, 'room' || n, 12, true, 'everyone', 'graphql', 600000
    FROM (SELECT min(id) AS id FROM applications) a, generate_series(1, ${ROWS}) n`,
  `INSERT INTO conference_members (conference_id, number, name, device, lease_until)
    SELECT id, 1, 'n', 'd', now() FROM conferences`,
  `INSERT INTO application_statistics (application_id, seconds, starts_at, requests)
    SELECT a.id, 60, date_trunc('minute', now()) - n * interval '1 minute', 1
    FROM applications a, generate_series(-30, 69) n`,
  `INSERT INTO application_statistics (application_id, seconds, starts_at, requests)
    SELECT a.id, 3600, date_trunc('hour', now()) - n * interval '1 hour', 1
    FROM applications a, generate_series(0, 23) n`,
  `INSERT INTO application_statistics (application_id, seconds, starts_at, requests)
    SELECT a.id, 86400, date_trunc('day', now()) - n * interval '1 day', 1
    FROM applications a, generate_series(0, 29) n`,
  "INSERT INTO statistics_nodes (id, lease_until) SELECT 'node' || n, now() + interval '1 hour' FROM generate_series(1, 20) n",
  `INSERT INTO application_sockets (node_id, application_id, graphql, xmpp, janus)
    SELECT n.id, a.id, 1, 1, 1 FROM statistics_nodes n, applications a`,
];
/** statistics_nodes has a row for each node. */
const SCAN =
  /Seq Scan on (sessions|calls|conferences|conference_members|application_statistics|application_sockets)\b/;

describeServices("statistics of a large application", () => {
  let database: FreshDatabase;
  let store: Store;
  let id = 0;

  beforeAll(async () => {
    database = await freshDatabase();
    const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
    store = await openStore({ config, log: openLog("silent"), isNode: true });
    await fillTables(store, FILL);
    const [row] = await store.query<{ id: number }>(
      { name: "test", text: "SELECT min(id) AS id FROM applications" },
      [],
    );
    id = row?.id ?? 0;
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  test("are read and written by an index", async () => {
    const plans = new Map<string, string>();
    const explained = explainStatements(store, plans);
    const now = new Date();
    const minute = now.getTime() - (now.getTime() % 60_000);
    await countLiveSessionsOfAll(explained, [id], now, MAX);
    await countLiveSessionsOfEach(explained, [id], now, MAX);
    await countOpenCalls(explained, [id], new Date(0), MAX);
    await countOpenConferences(explained, [id], MAX);
    await countTakenSeats(explained, [id], MAX);
    const range = [new Date(minute - 3_540_000), new Date(minute)] as const;
    expect(await statistics.readStatistics(explained, [id], 60, range)).toHaveLength(60);
    await statistics.addStatistics(explained, [
      { applicationId: id, minute, counts: { requests: 1 } },
    ]);
    await statistics.findActiveApplications(explained, new Date(minute - 60_000), 0);
    await statistics.deleteOldStatistics(explained, 60, new Date(minute - 3_600_000));
    expect(await sockets.readSockets(explained, [id])).toEqual({
      ...{ graphql: 20, xmpp: 20, janus: 20 },
    });
    await sockets.renewStatisticsNode(explained, "node1");
    const changed = new Map([[id, { graphql: 2, xmpp: 0, janus: 0 }]]);
    await sockets.writeSockets(explained, "node1", changed);
    await sockets.deleteGoneNodes(explained);
    expect(plans.size).toBe(13);
    const scanned = [...plans].filter(
      ([name, plan]) => name !== "active_applications" && SCAN.test(plan),
    );
    expect(scanned).toEqual([]);
    // A sample reads the sockets of all applications, and the statistics of minutes alone.
    expect(plans.get("active_applications")).not.toMatch(/Seq Scan on application_statistics/);
  });

  test.each([
    ["live_sessions_count", () => countLiveSessionsOfAll],
    ["open_calls_count", () => countOpenCalls],
    ["open_conferences_count", () => countOpenConferences],
    ["taken_seats_count", () => countTakenSeats],
  ])("%s reads no more rows than its maximum, for each table", async (name, counter) => {
    let rows: number[] = [];
    const recording: Pick<Store, "query"> = {
      async query<Row>(statement: { name: string; text: string }, values: unknown[]) {
        expect(statement.name).toBe(name);
        const nodes = await explainAnalyze(store, statement.text, values);
        rows = nodes.filter(({ relation }) => relation !== undefined).map((node) => node.rows);
        return store.query<Row>(statement, values);
      },
    };
    const count = counter() as (...values: unknown[]) => Promise<number>;
    const at = name.includes("conferences") || name.includes("seats") ? [] : [new Date(0)];
    expect(await count(recording, [id], ...at, MAX)).toBe(MAX);
    expect(rows.length).toBeGreaterThan(0);
    expect(Math.max(...rows)).toBeLessThanOrEqual(MAX);
  });
});
