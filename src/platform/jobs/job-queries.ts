import { type KeysetRange, keyset, readRange } from "../store/rows/keyset";
import type { Statement, Store } from "../store/store";

/**
 * Statements on the tables of pg-boss that the library does not have. pg-boss creates them with the first job or poll.
 * A function throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** Jobs are counted up to this number, so that a long queue costs no more than a short one. */
export const JOB_COUNT_MAX = 10_000;

/** The index by which active and failed jobs are counted; pg-boss itself indexes only waiting ones. */
const STATE_INDEX = "signalbox_job_states";
/** The index of the failed jobs of an application. */
const FAILED_INDEX = "signalbox_failed_jobs";

/**
 * Creates the indexes on the partitioned table, so that each queue's partition has them. `IF NOT EXISTS` alone would
 * lock the table at every start.
 */
export const CREATE_INDEXES = `DO $$ BEGIN
  IF to_regclass('pgboss.${STATE_INDEX}') IS NULL THEN
    CREATE INDEX ${STATE_INDEX} ON pgboss.job (name, state, completed_on) WHERE state IN ('active', 'failed');
  END IF;
  IF to_regclass('pgboss.${FAILED_INDEX}') IS NULL THEN
    CREATE INDEX ${FAILED_INDEX} ON pgboss.job (((output->>'applicationId')::bigint), completed_on, id)
      WHERE state = 'failed';
  END IF;
END $$`;

const QUEUES_EXIST: Statement = {
  name: "job_queues_exist",
  text: "SELECT to_regclass('pgboss.queue') IS NOT NULL AS found",
};

/** The order makes the planner read the index of waiting jobs, of which one row answers for each queue. */
const DUE_QUEUES: Statement = {
  name: "due_job_queues",
  text: `SELECT q.name FROM unnest($1::text[]) AS q(name), LATERAL (SELECT FROM pgboss.job j
      WHERE j.name = q.name AND j.state < 'active' AND j.start_after < now()
      ORDER BY j.start_after LIMIT 1) AS due`,
};

/** The order makes the planner read an index, of which it reads no more than the limit. */
const count = (condition: string, order: string) =>
  `(SELECT count(*) FROM (SELECT FROM pgboss.job j WHERE j.name = q.name AND j.${condition}
      ORDER BY j.${order} LIMIT ${JOB_COUNT_MAX}) AS counted)`;

const COUNT_JOBS: Statement = {
  name: "count_jobs",
  text: `SELECT q.name, ${count("state < 'active'", "start_after")} AS waiting,
      ${count("state = 'active'", "completed_on")} AS active, ${count("state = 'failed'", "completed_on")} AS failed
    FROM pgboss.queue q ORDER BY q.name`,
};

const COLUMNS = `j.id::text AS id, j.name, (j.output->>'applicationId')::bigint AS "applicationId",
  j.completed_on AS "failedAt", round(extract(epoch FROM j.completed_on) * 1000000)::bigint AS micros,
  coalesce(j.output->>'reason', j.output->'value'->>'message', '') AS reason, j.retry_count + 1 AS attempts`;

/** Each application's jobs by its index, then a merge of at most a page of each. */
const FAILED = keyset(
  {
    name: "failed_jobs",
    values: 1,
    columns: {
      "j.completed_on": "'epoch'::timestamptz + ?::bigint * interval '1 microsecond'",
      "j.id": "?::text::uuid",
    },
  },
  ({
    within,
    order,
    direction,
    limit,
  }) => `SELECT page.* FROM unnest($1::bigint[]) AS a(id), LATERAL (
      SELECT ${COLUMNS} FROM pgboss.job j
      WHERE j.state = 'failed' AND (j.output->>'applicationId')::bigint = a.id AND ${within}
      ORDER BY ${order} LIMIT ${limit}) AS page
    ORDER BY micros ${direction}, id ${direction} LIMIT ${limit}`,
);

/** By the primary key of each queue's partition. */
const LOCK_FAILED: Statement = {
  name: "lock_failed_job",
  text: `SELECT j.name FROM pgboss.queue q JOIN pgboss.job j ON j.name = q.name AND j.id = $2::text::uuid
    WHERE j.state = 'failed' AND (j.output->>'applicationId')::bigint = $1 FOR UPDATE OF j`,
};

/** pg-boss leaves the time of the failure, by which its maintenance would remove the job before it runs again. */
const CLEAR_COMPLETION: Statement = {
  name: "clear_job_completion",
  text: "UPDATE pgboss.job SET completed_on = NULL WHERE name = $1 AND id = $2::text::uuid",
};

const DELETE_FAILED: Statement = {
  name: "delete_failed_runs",
  text: "DELETE FROM pgboss.job WHERE name = $1 AND state = 'failed' AND id <> $2::text::uuid",
};

/** How to run a prepared statement: on the store, in a transaction, or over a connection of the command line. */
type Query = Store["query"];

/** The jobs of a queue; each number is at most {@link JOB_COUNT_MAX}. */
export interface JobCounts {
  name: string;
  waiting: number;
  active: number;
  failed: number;
}

/** A failed job of an application, without its data. */
export interface FailedJob {
  /** A UUID. */
  id: string;
  /** Name of its queue. */
  name: string;
  applicationId: number;
  failedAt: Date;
  /** The time of the failure in microseconds since the Unix epoch. */
  micros: number;
  /** The message of its last error. */
  reason: string;
  attempts: number;
}

/** Counts the jobs of each queue, by name; none before the first job of a deployment. */
export async function countJobs(query: Query): Promise<JobCounts[]> {
  const [queues] = await query<{ found: boolean }>(QUEUES_EXIST, []);
  return queues?.found ? query<JobCounts>(COUNT_JOBS, []) : [];
}

/** Finds the queues, of these names, with a job that may run now. */
export async function dueQueues(query: Query, names: readonly string[]): Promise<string[]> {
  const rows = await query<{ name: string }>(DUE_QUEUES, [names]);
  return rows.map(({ name }) => name);
}

/** A part of the list of failed jobs, which are ordered by the time of failure and then by id. */
export type FailedJobRange = KeysetRange<readonly [micros: number, id: string]>;

/** Reads a range of the failed jobs of applications, in its direction. */
export function readFailedJobs(
  query: Query,
  applicationIds: readonly number[],
  range: FailedJobRange,
): Promise<FailedJob[]> {
  return readRange<FailedJob>(query, FAILED, [applicationIds], range);
}

/** Locks a failed job of an application. @returns the name of its queue, or null if there is no such job */
export async function lockFailedJob(
  query: Query,
  applicationId: number,
  id: string,
): Promise<string | null> {
  const [row] = await query<{ name: string }>(LOCK_FAILED, [applicationId, id]);
  return row?.name ?? null;
}

/** Makes a job that is to be retried an unfinished one. */
export async function clearCompletion(query: Query, name: string, id: string): Promise<void> {
  await query(CLEAR_COMPLETION, [name, id]);
}

/** Deletes the failed runs of a scheduled job, except for one. */
export async function deleteFailedRuns(query: Query, name: string, except: string): Promise<void> {
  await query(DELETE_FAILED, [name, except]);
}
