import type { Statement, Store } from "../../../platform/store/store";

/**
 * Statements on the nodes of a deployment. They compare the clock of the database, so that the clocks of nodes need not
 * agree. A function throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** Interval of a node's reports, in seconds. */
export const REPORT_SECONDS = 15;
/** A node that has missed three reports is missing. */
export const MISSING_SECONDS = 3 * REPORT_SECONDS;
/** How long after its last report a missing node is shown, in seconds. */
export const FORGOTTEN_SECONDS = 60 * 60;
/** Maximum number of nodes that are read. */
const NODES_MAX = 1_000;

/** Replaces the row that an earlier process at the same address left; of a node that is alone ($4), every row. */
const REPLACE: Statement = {
  name: "replace_nodes",
  text: "DELETE FROM nodes WHERE id <> $1 AND ($4::boolean OR (host = $2 AND port = $3 AND port <> 0))",
};

const REPORT: Statement = {
  name: "report_node",
  text: `INSERT INTO nodes (id, host, port, version, started_at, open_sockets, event_loop_delay_ms, untrusted_proxy)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (id) DO UPDATE SET seen_at = now(), open_sockets = excluded.open_sockets,
      event_loop_delay_ms = excluded.event_loop_delay_ms, untrusted_proxy = excluded.untrusted_proxy`,
};

/**
 * Fails where writes fail, and changes no row: a record in the log of the database, which its commit writes to disk. It
 * waits for no standby, because connections that wait would add up.
 */
const PROBE: Statement = {
  name: "probe_writes",
  text: `WITH probed AS (UPDATE nodes SET seen_at = seen_at WHERE false)
    SELECT set_config('synchronous_commit', 'local', true), pg_logical_emit_message(true, 'signalbox', 'probe')::text`,
};

const DELETE: Statement = {
  name: "delete_node",
  text: "DELETE FROM nodes WHERE id = $1",
};

const PURGE: Statement = {
  name: "purge_nodes",
  text: `DELETE FROM nodes WHERE seen_at < now() - interval '${FORGOTTEN_SECONDS} seconds'`,
};

const LIST: Statement = {
  name: "list_nodes",
  text: `SELECT id, host, port, version, started_at AS "startedAt", seen_at AS "seenAt", open_sockets AS "openSockets",
      event_loop_delay_ms AS "eventLoopDelayMs", untrusted_proxy AS "untrustedProxy",
      greatest(0, date_part('epoch', now() - seen_at))::float8 AS "silentSeconds"
    FROM nodes WHERE seen_at >= now() - interval '${FORGOTTEN_SECONDS} seconds'
    ORDER BY started_at, id LIMIT ${NODES_MAX}`,
};

/** Runs prepared statements. */
type Query = Store["query"];

/** What a node reports about itself. */
export interface NodeReport {
  id: string;
  host: string;
  /** Port of HTTP; 0 if the system chose it. */
  port: number;
  version: string;
  startedAt: Date;
  openSockets: number;
  /** The longest delay of the event loop since the previous report, in milliseconds. */
  eventLoopDelayMs: number;
  /** Address of a proxy that TRUST_PROXY does not name, by which requests have come; null without one. */
  untrustedProxy: string | null;
}

/** A node as its last report describes it. */
export interface ListedNode extends NodeReport {
  seenAt: Date;
  /** Whether its reports have stopped. */
  missing: boolean;
  /** Seconds since its last report. */
  silentSeconds: number;
}

/** Deletes the rows of processes that a starting node replaces. */
export async function replaceNodes(
  query: Query,
  { id, host, port }: NodeReport,
  alone: boolean,
): Promise<void> {
  await query(REPLACE, [id, host, port, alone]);
}

/** Writes a report. */
export async function writeReport(query: Query, report: NodeReport): Promise<void> {
  const { id, host, port, version, startedAt, openSockets } = report;
  const { eventLoopDelayMs, untrustedProxy } = report;
  const own = [id, host, port, version, startedAt];
  await query(REPORT, [...own, openSockets, eventLoopDelayMs, untrustedProxy]);
}

/** Forgets nodes that have been missing for long. */
export async function forgetNodes(query: Query): Promise<void> {
  await query(PURGE, []);
}

/** Writes to the database without a change. @throws the error of the database if it accepts no writes */
export async function probeWrites(query: Query): Promise<void> {
  await query(PROBE, []);
}

/** Forgets a node that stops. */
export async function removeNode(query: Query, id: string): Promise<void> {
  await query(DELETE, [id]);
}

/** How people tell a node from others: by host and port, or by its id if the system chose the port. */
export function nodeName({ id, host, port }: Pick<NodeReport, "id" | "host" | "port">): string {
  return port === 0 ? `${host} (${id})` : `${host}:${port}`;
}

/** Lists the nodes that run or are missing, in the order of their start. */
export async function listNodes(query: Query): Promise<ListedNode[]> {
  const rows = await query<Omit<ListedNode, "missing">>(LIST, []);
  return rows.map((row) => ({ ...row, missing: row.silentSeconds > MISSING_SECONDS }));
}
