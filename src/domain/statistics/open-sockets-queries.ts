import type { SocketCounts } from "../../core/statistics/application-counters";
import type { Statement, Store } from "../../platform/store/store";

/**
 * Statements on statistics_nodes and application_sockets: what each node has open. Leases compare the clock of the
 * database, so that the clocks of nodes need not agree. A function throws Fault UNAVAILABLE if the database cannot be
 * reached.
 */

/** Time after which the sockets of a node that does not write any more no longer count, in seconds. */
export const NODE_LEASE_SECONDS = 30;
/** Time for which the sockets of a node are kept after its lease, in seconds. */
const GONE_SECONDS = 10 * 60;

const RENEW: Statement = {
  name: "renew_statistics_node",
  text: `INSERT INTO statistics_nodes (id, lease_until) VALUES ($1, now() + interval '${NODE_LEASE_SECONDS} seconds')
    ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until
    RETURNING (xmax = 0) AS inserted`,
};

/** Writes the applications whose sockets have changed, and deletes those without any. */
const WRITE: Statement = {
  name: "write_application_sockets",
  text: `WITH g AS MATERIALIZED (SELECT r.application_id, r.graphql, r.xmpp, r.janus
        FROM jsonb_to_recordset($2::text::jsonb)
          AS r(application_id bigint, graphql int, xmpp int, janus int)),
      gone AS (DELETE FROM application_sockets k USING g WHERE k.node_id = $1
        AND k.application_id = g.application_id AND g.graphql + g.xmpp + g.janus = 0)
    INSERT INTO application_sockets (node_id, application_id, graphql, xmpp, janus)
    SELECT $1, a.id, g.graphql, g.xmpp, g.janus FROM g JOIN applications a ON a.id = g.application_id
    WHERE g.graphql + g.xmpp + g.janus > 0 ORDER BY a.id
    ON CONFLICT (node_id, application_id) DO UPDATE SET graphql = excluded.graphql,
      xmpp = excluded.xmpp, janus = excluded.janus`,
};

const READ: Statement = {
  name: "read_application_sockets",
  text: `SELECT coalesce(sum(k.graphql), 0)::int AS graphql, coalesce(sum(k.xmpp), 0)::int AS xmpp,
      coalesce(sum(k.janus), 0)::int AS janus
    FROM application_sockets k JOIN statistics_nodes n ON n.id = k.node_id AND n.lease_until > now()
    WHERE k.application_id = ANY($1::bigint[])`,
};

const PURGE: Statement = {
  name: "purge_statistics_nodes",
  text: `DELETE FROM statistics_nodes WHERE lease_until < now() - interval '${GONE_SECONDS} seconds'`,
};

/** Renews the lease of a node. @returns whether the node was unknown, so that nothing of it is stored */
export async function renewStatisticsNode(
  { query }: Pick<Store, "query">,
  node: string,
): Promise<boolean> {
  const [row] = await query<{ inserted: boolean }>(RENEW, [node]);
  return row?.inserted ?? false;
}

/** Writes the open sockets of some applications on a node; zeros delete an application's. */
export async function writeSockets(
  { query }: Pick<Store, "query">,
  node: string,
  sockets: ReadonlyMap<number, Readonly<SocketCounts>>,
): Promise<void> {
  const rows = [...sockets].map(([application_id, counts]) => ({ application_id, ...counts }));
  await query(WRITE, [node, JSON.stringify(rows)]);
}

/** The open sockets of applications, over all nodes whose lease has not ended. */
export async function readSockets(
  { query }: Pick<Store, "query">,
  applicationIds: readonly number[],
): Promise<SocketCounts> {
  const [row] = await query<SocketCounts>(READ, [applicationIds]);
  return row ?? { graphql: 0, xmpp: 0, janus: 0 };
}

/** Deletes a node with its sockets. */
export async function deleteStatisticsNode({ db }: Pick<Store, "db">, id: string): Promise<void> {
  await db.statisticsNode.deleteMany({ where: { id } });
}

/** Deletes the nodes whose lease ended ten minutes ago, with their sockets. */
export async function deleteGoneNodes({ query }: Pick<Store, "query">): Promise<void> {
  await query(PURGE, []);
}
