import type { Statement } from "../../store/store";
import type { HistoryDeps } from "./history-deps";
import { writeExpiry } from "./write-calls";

/** Interval of the job that applies the ring time-out, in seconds. */
export const EXPIRE_INTERVAL_S = 3;
/** Interval of the job that deletes expired calls, in seconds. */
export const PURGE_INTERVAL_S = 3600;
const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 500;

const DUE: Statement = {
  name: "missed_calls",
  text: `SELECT p.call_id AS id FROM call_participants p WHERE p.missed_at <= $1
    ORDER BY p.missed_at LIMIT ${BATCH}`,
};

const PURGE: Statement = {
  name: "purge_calls",
  text: `DELETE FROM calls WHERE id = ANY(ARRAY(
      SELECT id FROM calls WHERE started_at <= $1 ORDER BY started_at LIMIT ${BATCH}
      FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
};

/** Applies the ring time-out to all calls that have rung for a minute. */
export async function expireCalls(deps: HistoryDeps): Promise<void> {
  const { store, clock } = deps;
  for (;;) {
    const rows = await store.query<{ id: number }>(DUE, [new Date(clock.now())]);
    const ids = [...new Set(rows.map(({ id }) => id))].sort((a, b) => a - b);
    if (ids.length > 0) await writeExpiry(deps, ids);
    if (rows.length < BATCH) return;
  }
}

/**
 * Deletes the calls that started more than CALL_RETENTION_DAYS ago, with their incoming-call pushes. Idempotent;
 * may be interrupted and run concurrently.
 */
export async function purgeCalls(
  deps: Pick<HistoryDeps, "store" | "clock" | "config">,
): Promise<void> {
  const { store, clock, config } = deps;
  const before = new Date(clock.now() - config.CALL_RETENTION_DAYS * DAY_MS);
  for (;;) {
    const deleted = await store.query(PURGE, [before]);
    if (deleted.length < BATCH) return;
  }
}
