import {
  type CountedMinute,
  type Counter,
  ERROR_COUNTERS,
  EVENT_COUNTERS,
  type SocketCounts,
} from "../../core/statistics/application-counters";
import type { Statement, Store } from "../../platform/store/store";

/** Statements on application_statistics. A function throws Fault UNAVAILABLE if the database cannot be reached. */

/** Lengths of the times that rows cover, in seconds. */
export const RESOLUTIONS = { minute: 60, hour: 3_600, day: 86_400 } as const;

/** Maximum number of rows that one statement deletes. */
export const STATISTICS_PURGE_BATCH = 500;
/** Maximum number of applications that one statement samples or writes. */
export const STATISTICS_BATCH = 500;

/** The counters, each with its column. */
const COUNTER_COLUMNS = [
  ...EVENT_COUNTERS.map((counter) => [counter, snakeCase(counter)] as const),
  ...ERROR_COUNTERS.map((code) => [code, `errors_${code.toLowerCase()}`] as const),
] satisfies ReadonlyArray<readonly [Counter, string]>;
/** The columns with the largest of several samples. */
const PEAKS = ["sockets_graphql", "sockets_xmpp", "sockets_janus", "sessions"] as const;

/** Applies a template to each counter's column, separated by commas. */
const counters = (template: (column: string) => string) =>
  COUNTER_COLUMNS.map(([, column]) => template(column)).join(", ");
const peaks = (template: (column: string) => string) => PEAKS.map(template).join(", ");

/**
 * Adds counts to the rows of the minute, of its hour and of its day, and raises their peaks. In the order of the key,
 * so that two nodes do not deadlock. Counts of applications that do not exist are left out.
 */
const ADD: Statement = {
  name: "add_application_statistics",
  text: `INSERT INTO application_statistics AS s (application_id, seconds, starts_at,
      ${counters((column) => column)}, ${peaks((column) => column)})
    SELECT a.id, r.seconds, r.starts_at,
      ${counters((column) => `coalesce(sum(g.${column}), 0)`)},
      ${peaks((column) => (column === "sessions" ? "max(g.sessions)" : `coalesce(max(g.${column}), 0)`))}
    FROM jsonb_to_recordset($1::text::jsonb) AS g(application_id bigint, minute timestamptz,
      ${counters((column) => `${column} bigint`)}, ${peaks((column) => `${column} int`)})
    JOIN applications a ON a.id = g.application_id
    CROSS JOIN LATERAL (VALUES (${RESOLUTIONS.minute}, g.minute),
      (${RESOLUTIONS.hour}, date_trunc('hour', g.minute, 'UTC')),
      (${RESOLUTIONS.day}, date_trunc('day', g.minute, 'UTC'))) AS r(seconds, starts_at)
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (application_id, seconds, starts_at) DO UPDATE SET
      ${counters((column) => `${column} = s.${column} + excluded.${column}`)},
      ${peaks((column) => `${column} = greatest(s.${column}, excluded.${column})`)}`,
};

const READ: Statement = {
  name: "read_application_statistics",
  text: `SELECT s.starts_at, ${counters((column) => `sum(s.${column})::bigint AS ${column}`)},
      ${peaks((column) => `sum(s.${column})::bigint AS ${column}`)}
    FROM application_statistics s WHERE s.application_id = ANY($1::bigint[]) AND s.seconds = $2
      AND s.starts_at >= $3 AND s.starts_at <= $4
    GROUP BY s.starts_at ORDER BY s.starts_at`,
};

/** Deletes a batch of rows of a resolution that start before a time. */
const PURGE: Statement = {
  name: "purge_application_statistics",
  text: `DELETE FROM application_statistics WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM application_statistics WHERE seconds = $1 AND starts_at < $2
      ORDER BY starts_at LIMIT ${STATISTICS_PURGE_BATCH} FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
};

/**
 * Applications with open sockets on a live node, or with traffic in the last minutes, by id. Leases compare the clock of
 * the database (open-sockets-queries.ts), the times of statistics that of the node which has counted.
 */
const ACTIVE: Statement = {
  name: "active_applications",
  text: `SELECT t.application_id, sum(t.graphql)::int AS graphql, sum(t.xmpp)::int AS xmpp,
      sum(t.janus)::int AS janus
    FROM (SELECT k.application_id, k.graphql, k.xmpp, k.janus FROM application_sockets k
        JOIN statistics_nodes n ON n.id = k.node_id WHERE n.lease_until > now()
      UNION ALL
      SELECT s.application_id, 0, 0, 0 FROM application_statistics s
        WHERE s.seconds = ${RESOLUTIONS.minute} AND s.starts_at > $1
          AND (s.requests > 0 OR s.signals > 0 OR s.sign_ins > 0)) AS t
    WHERE t.application_id > $2 GROUP BY t.application_id ORDER BY t.application_id
    LIMIT ${STATISTICS_BATCH}`,
};

/** Peaks of an application at a sample. */
export interface ApplicationSample extends SocketCounts {
  applicationId: number;
  /** Start of the minute, in milliseconds since the Unix epoch. */
  minute: number;
  sessions: number;
}

/** A row of statistics: one application's, or the sum over several. */
export interface StatisticsRow {
  startsAt: Date;
  counts: Record<Counter, number>;
  sockets: SocketCounts;
  /** Null without a sample. */
  sessions: number | null;
}

interface StoredRow extends Record<string, number | Date | null> {
  starts_at: Date;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Adds what was counted to the rows of its minute, hour and day. */
export async function addStatistics(
  { query }: Pick<Store, "query">,
  counted: readonly CountedMinute[],
): Promise<void> {
  const rows = counted.map(({ applicationId, minute, counts }) => ({
    application_id: applicationId,
    minute: new Date(minute),
    ...Object.fromEntries(
      COUNTER_COLUMNS.flatMap(([counter, column]) =>
        counts[counter] === undefined ? [] : [[column, counts[counter]]],
      ),
    ),
  }));
  await query(ADD, [JSON.stringify(rows)]);
}

/** Raises the peaks of the rows of a minute, its hour and its day. */
export async function addSamples(
  { query }: Pick<Store, "query">,
  samples: readonly ApplicationSample[],
): Promise<void> {
  const rows = samples.map(({ applicationId, minute, graphql, xmpp, janus, sessions }) => ({
    application_id: applicationId,
    minute: new Date(minute),
    sockets_graphql: graphql,
    sockets_xmpp: xmpp,
    sockets_janus: janus,
    sessions,
  }));
  await query(ADD, [JSON.stringify(rows)]);
}

/** The sums over applications for each time of a resolution that any of them has a row of, oldest first. */
export async function readStatistics(
  { query }: Pick<Store, "query">,
  applicationIds: readonly number[],
  seconds: number,
  [from, to]: readonly [from: Date, to: Date],
): Promise<StatisticsRow[]> {
  const rows = await query<StoredRow>(READ, [applicationIds, seconds, from, to]);
  return rows.map(toStatisticsRow);
}

function toStatisticsRow(row: StoredRow): StatisticsRow {
  const number = (column: string) => Number(row[column]);
  const counts = Object.fromEntries(
    COUNTER_COLUMNS.map(([counter, column]) => [counter, number(column)]),
  );
  return {
    startsAt: row.starts_at,
    counts: counts as Record<Counter, number>,
    sockets: {
      graphql: number("sockets_graphql"),
      xmpp: number("sockets_xmpp"),
      janus: number("sockets_janus"),
    },
    sessions: row.sessions === null ? null : number("sessions"),
  };
}

/** Deletes up to {@link STATISTICS_PURGE_BATCH} rows that start before a time. @returns how many */
export async function deleteOldStatistics(
  { query }: Pick<Store, "query">,
  seconds: number,
  before: Date,
): Promise<number> {
  return (await query(PURGE, [seconds, before])).length;
}

/**
 * Finds up to {@link STATISTICS_BATCH} applications with open sockets, or with traffic since a time, and the sockets.
 * @param after the last application of the previous batch
 */
export async function findActiveApplications(
  { query }: Pick<Store, "query">,
  since: Date,
  after: number,
): Promise<Array<SocketCounts & { applicationId: number }>> {
  const rows = await query<SocketCounts & { application_id: number }>(ACTIVE, [since, after]);
  return rows.map(({ application_id: applicationId, ...sockets }) => ({
    applicationId,
    ...sockets,
  }));
}
