import PgBoss from "pg-boss";
import type { MigrationConnection } from "../store/migration/stoppable-connection";

/**
 * What a dump of the database needs to know of pg-boss. Its jobs move with the data that they are about, so that a push
 * that was accepted is sent. Its archive does not: these jobs have run.
 */

/** The table of all jobs. Its partitions, one for each queue, are made by {@link LOAD_QUEUES}. */
export const JOB_TABLE = "pgboss.job";
/** Name of the queues in a dump. */
export const QUEUE_TABLE = "pgboss.queue";

/** Reads the queues: each row is a JSON array of a name and its options. */
export const DUMP_QUEUES = `SELECT json_build_array(name, json_build_object('policy', policy,
    'retryLimit', retry_limit, 'retryDelay', retry_delay, 'retryBackoff', retry_backoff,
    'expireInSeconds', expire_seconds, 'retentionMinutes', retention_minutes,
    'deadLetter', dead_letter))::text AS row
  FROM pgboss.queue`;

/** Creates queues from a JSON array of rows of {@link DUMP_QUEUES}. */
export const LOAD_QUEUES =
  "SELECT pgboss.create_queue(r->>0, r->1) FROM json_array_elements($1::text::json) AS r";

/** The version of pg-boss's schema in a database; null before the first job or poll. */
export async function readJobVersion(
  connection: Pick<MigrationConnection, "query">,
): Promise<number | null> {
  const [found] = await connection.query<{ exists: boolean }>(
    "SELECT to_regclass('pgboss.version') IS NOT NULL AS exists",
  );
  if (!found?.exists) return null;
  const [row] = await connection.query<{ version: number }>("SELECT version FROM pgboss.version");
  return row?.version ?? null;
}

/** Creates pg-boss's schema in a database without one. @returns its version */
export async function createJobSchema(connection: MigrationConnection): Promise<number | null> {
  const version = await readJobVersion(connection);
  if (version !== null) return version;
  await connection.exec(PgBoss.getConstructionPlans());
  return readJobVersion(connection);
}
