import type { App } from "../../src/app";
import { openLog } from "../../src/core/log";
import { openJobs } from "../../src/platform/jobs/pg-boss";

/**
 * Adds two nodes to the one that runs, of which one is missing, with their sockets, and a job that has failed. The other
 * one's last report lies in the future, so that it is not missing either while the pictures are taken.
 */
export async function addDemoHealth({ store }: App, applicationId: string): Promise<void> {
  const statements = {
    demo_nodes: `INSERT INTO nodes (id, host, port, version, started_at, seen_at, open_sockets, event_loop_delay_ms)
      SELECT n.id, n.host, 4000, version, now() - n.up::interval, now() - n.silent::interval, n.sockets, n.delay
      FROM (SELECT version FROM nodes LIMIT 1) AS v, (VALUES ('5f0b7c', 'signalbox-2', '9 days', '-1 hour', 412, 9),
        ('c41e08', 'signalbox-3', '9 days', '11 minutes', 388, 14)) AS n (id, host, up, silent, sockets, delay)`,
    demo_lease: `INSERT INTO statistics_nodes (id, lease_until) VALUES ('5f0b7c', now() + interval '1 hour')`,
    demo_sockets: `INSERT INTO application_sockets (node_id, application_id, graphql, xmpp, janus)
      VALUES ('5f0b7c', $1, 328, 71, 13)`,
    demo_failed: `INSERT INTO pgboss.job (name, data, state, retry_limit, retry_count, started_on, completed_on, output, policy)
      VALUES ('password-reset', '{}', 'failed', 5, 5, now() - interval '52 minutes', now() - interval '51 minutes',
        jsonb_build_object('reason', 'The mail server answered: 450 4.2.1 the mailbox is busy', 'applicationId', $1::bigint), 'standard')`,
  };
  // The tables of the queue, which a deployment has from its first job on.
  const jobs = openJobs({ store, log: openLog("silent"), singleNode: false, pollMs: 3_600_000 });
  await jobs.openQueues("password-reset");
  await jobs.close();
  for (const [name, text] of Object.entries(statements)) {
    await store.query({ name, text }, text.includes("$1") ? [applicationId] : []);
  }
}
