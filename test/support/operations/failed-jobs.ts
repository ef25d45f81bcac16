import { randomUUID } from "node:crypto";
import { openLog } from "../../../src/core/log";
import { openJobs } from "../../../src/platform/jobs/pg-boss";
import type { Store } from "../../../src/platform/store/store";
import type { TestNode } from "../node";

/** A failed job to store. */
export interface StoredFailure {
  name?: string;
  /** Null if it belongs to no application. */
  applicationId?: number | null;
  reason?: string;
  data?: object;
  /** How long ago it failed, in seconds. */
  secondsAgo?: number;
}

/** The queues that exist, by database. */
const queues = new WeakMap<Store, Set<string>>();

/** Creates the tables of a queue, as its first job in a deployment does. */
async function createQueue(store: Store, name: string): Promise<void> {
  const existing = queues.get(store) ?? new Set();
  if (existing.has(name)) return;
  const jobs = openJobs({ store, log: openLog("silent"), singleNode: false, pollMs: 3_600_000 });
  await jobs.openQueues(name);
  await jobs.close();
  queues.set(store, existing.add(name));
}

/** Stores a job that has failed for good; by default one that does nothing when it runs. @returns its id */
export async function addFailedJob(
  node: TestNode,
  {
    name = "push-fan-out",
    applicationId = node.application.id,
    reason = "the reason",
    data = { event: 0, occurrence: 0, recipient: 0, subscription: 0 },
    secondsAgo = 0,
  }: StoredFailure = {},
): Promise<string> {
  await createQueue(node.app.store, name);
  const id = randomUUID();
  const output = applicationId === null ? { reason } : { reason, applicationId };
  await node.sql(
    `INSERT INTO pgboss.job (id, name, data, state, retry_limit, retry_count, started_on, completed_on, output, policy)
      VALUES ($1::text::uuid, $2, $3::text::jsonb, 'failed', 5, 5, now(), now() - $4 * interval '1 second',
        $5::text::jsonb, 'standard')`,
    [id, name, JSON.stringify(data), secondsAgo, JSON.stringify(output)],
  );
  return id;
}
