import { inTurns } from "../../../../core/loads/in-turns";
import type { Statement, Store, Transaction } from "../../../../platform/store/store";
import {
  type CallSignalKind,
  CONTROL_ENTRIES,
  CONTROL_KINDS,
  isControl,
  TIMELINE_ENTRIES,
  type TimelineEntry,
  TURN_MAX,
} from "./timeline";

/**
 * Statements on call_signals, the timelines of calls. A function throws Fault UNAVAILABLE if the database cannot be
 * reached.
 */

/**
 * One statement for all calls of a batch, under their locks. Entries are inserted, or merged with what other batches have
 * written of the same entry. New ones beyond the limits are left out. Those of control signals are placed first, so that
 * the others of a batch, which may be many, take no room from them.
 * @returns the calls with an entry that was left out
 */
const RECORD: Statement = {
  name: "record_call_signals",
  text: `WITH given AS (
      SELECT g.* FROM jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint, key uuid, kind call_signal_kind,
        control boolean, from_user_id bigint, from_device text, to_user_id bigint, to_device text,
        first_at timestamptz, last_at timestamptz, count int)),
    stored AS MATERIALIZED (
      SELECT s.call_id, s.key, s.kind FROM call_signals s WHERE s.call_id = ANY($2::bigint[])),
    counted AS (
      SELECT s.call_id, count(*) AS number,
        count(*) FILTER (WHERE s.kind <> ALL ('{${CONTROL_KINDS.join()}}'::call_signal_kind[])) AS others
      FROM stored s GROUP BY s.call_id),
    numbered AS (
      SELECT g.*, s.key IS NULL AS is_new, coalesce(c.number, 0) AS stored, coalesce(c.others, 0) AS stored_others,
        row_number() OVER (PARTITION BY g.call_id, g.control, s.key IS NULL ORDER BY g.first_at, g.key) AS place,
        count(*) FILTER (WHERE g.control AND s.key IS NULL) OVER (PARTITION BY g.call_id) AS control_first
      FROM given g LEFT JOIN stored s ON s.call_id = g.call_id AND s.key = g.key
        LEFT JOIN counted c ON c.call_id = g.call_id),
    placed AS (
      SELECT n.*, CASE WHEN NOT n.is_new THEN true
          WHEN n.control THEN n.stored + n.place <= ${TIMELINE_ENTRIES + CONTROL_ENTRIES}
          ELSE n.stored_others + n.place <= ${TIMELINE_ENTRIES}
            AND n.stored + n.control_first + n.place <= ${TIMELINE_ENTRIES + CONTROL_ENTRIES} END AS fits
      FROM numbered n),
    written AS (
      INSERT INTO call_signals AS s (call_id, key, kind, from_user_id, from_device, to_user_id, to_device, first_at,
        last_at, count)
      SELECT p.call_id, p.key, p.kind, p.from_user_id, p.from_device, p.to_user_id, p.to_device, p.first_at, p.last_at,
        p.count FROM placed p WHERE p.fits
      ON CONFLICT (call_id, key) DO UPDATE SET first_at = least(s.first_at, excluded.first_at),
        last_at = CASE WHEN s.kind = 'iceCandidates' THEN greatest(s.last_at, excluded.last_at)
          ELSE least(s.last_at, excluded.last_at) END,
        count = CASE WHEN s.kind = 'iceCandidates' THEN s.count + excluded.count ELSE s.count END)
    SELECT DISTINCT p.call_id AS id FROM placed p WHERE NOT p.fits`,
};

const TIMELINES: Statement = {
  name: "call_timelines",
  text: `SELECT s.call_id, s.kind, s.from_user_id, s.from_device, s.to_user_id, s.to_device, s.first_at, s.last_at, s.count
    FROM call_signals s WHERE s.call_id = ANY($1::bigint[]) ORDER BY s.first_at, s.last_at, s.key`,
};

/** The key is replaced as well, since it is derived from the user. */
const FORGET: Statement = {
  name: "forget_users_in_timelines",
  text: `UPDATE call_signals SET key = gen_random_uuid(),
      from_device = CASE WHEN from_user_id = ANY($2::bigint[]) THEN NULL ELSE from_device END,
      to_device = CASE WHEN to_user_id = ANY($2::bigint[]) THEN NULL ELSE to_device END,
      from_user_id = CASE WHEN from_user_id = ANY($2::bigint[]) THEN NULL ELSE from_user_id END,
      to_user_id = CASE WHEN to_user_id = ANY($2::bigint[]) THEN NULL ELSE to_user_id END
    WHERE call_id = ANY($1::bigint[]) AND (from_user_id = ANY($2::bigint[]) OR to_user_id = ANY($2::bigint[]))`,
};

/** An entry of a timeline as it is stored. */
export interface TimelineRow {
  call_id: number;
  kind: CallSignalKind;
  from_user_id: number | null;
  from_device: string | null;
  to_user_id: number | null;
  to_device: string | null;
  first_at: Date;
  last_at: Date;
  count: number;
}

/** Writes entries of calls that the transaction has locked. @returns the ids of calls that had too many */
export async function recordTimelines(
  { query }: Pick<Transaction, "query">,
  entries: readonly TimelineEntry[],
): Promise<number[]> {
  if (entries.length === 0) return [];
  const rows: string[] = [];
  await inTurns(entries, TURN_MAX, (entry) => void rows.push(toRow(entry)));
  const callIds = [...new Set(entries.map(({ callId }) => callId))];
  const full = await query<{ id: number }>(RECORD, [`[${rows.join()}]`, callIds]);
  return full.map(({ id }) => id);
}

/** The entry as a row of the parameter of {@link RECORD}. */
function toRow(entry: TimelineEntry): string {
  return JSON.stringify({
    call_id: entry.callId,
    key: entry.key,
    kind: entry.kind,
    control: isControl(entry.kind),
    from_user_id: entry.from,
    from_device: entry.fromDevice,
    to_user_id: entry.to,
    to_device: entry.toDevice,
    first_at: new Date(entry.at),
    last_at: new Date(entry.lastAt),
    count: entry.count,
  });
}

/** Reads the timelines of calls, each in the order of its signals. */
export function findTimelines(
  { query }: Pick<Store, "query">,
  callIds: number[],
): Promise<TimelineRow[]> {
  return query<TimelineRow>(TIMELINES, [callIds]);
}

/** Removes users and their devices from the timelines of calls. */
export async function forgetInTimelines(
  query: Store["query"],
  callIds: number[],
  userIds: number[],
): Promise<void> {
  await query(FORGET, [callIds, userIds]);
}
