import type { Statement, Store } from "../../../platform/store/store";
import type { PushChannel } from "../channels/channel";
import {
  isRecipient,
  type RecipientFilter,
  type Selector,
  supersedingChannels,
} from "../devices/recipient-queries";
import type { WindowPosition } from "../events/dispatch-queries";

/**
 * The statement that writes the deliveries of a window of recipients. A function takes `query` of the store
 * or of a transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** Maximum number of candidates per window and of deliveries written per transaction. */
export const WINDOW_SIZE = 500;

/** Subscription position after all devices of a recipient. */
const ALL_DEVICES = Number.MAX_SAFE_INTEGER;

/**
 * Up to {@link WINDOW_SIZE} candidate users from a position on, in order. `matches` says whether the
 * selector includes the user. Where an index cannot answer that, the window is limited before the selector
 * is evaluated, which bounds the work of one statement. COUNT, row comparison and LATERAL are deliberate:
 * with EXISTS, equality and a plain join, the planner may read a whole tag, the users of all applications
 * or all devices for one window.
 * $1 application, $4 first recipient, $11 the selector's list, $12 number of list entries before $11.
 */
const CANDIDATES: Record<Selector["by"], string> = {
  ids: `SELECT u.id AS recipient, u.id AS user_id, true AS matches FROM users u
    WHERE u.application_id = $1::bigint AND u.id = ANY($11::bigint[]) AND $12::bigint IS NOT NULL
    ORDER BY u.id`,
  external: `SELECT a.n + $12::bigint AS recipient, u.id AS user_id, true AS matches
    FROM unnest($11::text[]) WITH ORDINALITY AS a(external, n)
    CROSS JOIN LATERAL (SELECT u.id FROM users u WHERE u.application_id = $1::bigint
      AND (u.external_id = a.external OR u.external_user_id = a.external)
      ORDER BY (u.external_id = a.external) IS TRUE DESC LIMIT 1) u`,
  any: `SELECT DISTINCT t.user_id AS recipient, t.user_id, true AS matches
    FROM unnest($11::text[]) AS w(tag)
    CROSS JOIN LATERAL (SELECT t.user_id FROM user_tags t
      WHERE t.application_id = $1::bigint AND t.tag = w.tag AND t.user_id >= $4::bigint
      ORDER BY t.user_id LIMIT ${WINDOW_SIZE}) t
    WHERE $12::bigint IS NOT NULL ORDER BY 1 LIMIT ${WINDOW_SIZE}`,
  all: `SELECT t.user_id AS recipient, t.user_id, (SELECT count(*) FROM user_tags o
        WHERE o.user_id = t.user_id AND o.tag = ANY($11::text[])) = cardinality($11::text[]) AS matches
    FROM user_tags t WHERE t.application_id = $1::bigint AND t.tag = ($11::text[])[1]
      AND t.user_id >= $4::bigint AND $12::bigint IS NOT NULL
    ORDER BY t.user_id LIMIT ${WINDOW_SIZE}`,
  exclude: `SELECT u.id AS recipient, u.id AS user_id, (SELECT count(*) FROM user_tags o
        WHERE o.user_id = u.id AND o.tag = ANY($11::text[])) = 0 AS matches
    FROM users u WHERE (u.application_id, u.id) >= ($1::bigint, $4::bigint)
      AND u.application_id <= $1::bigint AND $12::bigint IS NOT NULL
    ORDER BY u.application_id, u.id LIMIT ${WINDOW_SIZE}`,
};

/**
 * Writes the deliveries of a window for event $6, dispatch $7, time $8. Recipients are devices of channel $2
 * and environment $3 after subscription $5 of recipient $4.
 */
const write = (by: Selector["by"]): Statement => ({
  name: `push_fan_out_${by}`,
  text: `WITH candidates AS MATERIALIZED (${CANDIDATES[by]}),
      found AS MATERIALIZED (
        SELECT c.recipient, d.id FROM candidates c CROSS JOIN LATERAL (
          SELECT s.id FROM push_subscriptions s WHERE s.user_id = c.user_id
            AND s.channel = $2::push_channel AND s.environment = $3::push_environment
            AND (c.recipient, s.id) > ($4::bigint, $5::bigint) AND ${isRecipient("$9", "$10")}
          OFFSET 0) d
        WHERE c.matches ORDER BY c.recipient, d.id LIMIT ${WINDOW_SIZE}),
      written AS (
        INSERT INTO push_deliveries
          (event_id, subscription_id, occurrence, due_at, created_at, updated_at)
        SELECT $6::bigint, f.id, $7::int, $8::timestamptz, $8::timestamptz, $8::timestamptz
        FROM found f ORDER BY f.recipient, f.id ON CONFLICT DO NOTHING RETURNING id)
      SELECT (SELECT coalesce(json_agg(w.id), '[]') FROM written w) AS ids,
        (SELECT count(*) FROM found) AS found,
        (SELECT count(*) FROM candidates) AS candidates,
        (SELECT max(c.recipient) FROM candidates c) AS last,
        (SELECT json_build_array(f.recipient, f.id) FROM found f
          ORDER BY f.recipient DESC, f.id DESC LIMIT 1) AS reached`,
});

const WRITE: Record<Selector["by"], Statement> = {
  ids: write("ids"),
  external: write("external"),
  any: write("any"),
  all: write("all"),
  exclude: write("exclude"),
};

/** Result of {@link WRITE}. */
interface WindowRow {
  /** Ids of the new deliveries. */
  ids: number[];
  /** Number of matching devices, including those that already have a delivery. */
  found: number;
  candidates: number;
  /** Position of the last candidate. */
  last: number | null;
  /** Position of the last matching device. */
  reached: [recipient: number, subscription: number] | null;
}

/**
 * Writes the deliveries of the next window of an event's dispatch: up to {@link WINDOW_SIZE}. Skips devices that
 * already have one.
 * @returns the ids of the new deliveries, and the position after the window; null after the last one
 */
export async function writeWindow(
  query: Store["query"],
  filter: RecipientFilter,
  channel: PushChannel,
  position: WindowPosition,
  event: { id: number; occurrence: number; now: Date },
): Promise<{ ids: number[]; next: WindowPosition | null }> {
  const { list, before } = sliceOf(filter.selector, position.recipient);
  const [preferred, voipFirst] = supersedingChannels(filter, channel);
  const [row] = await query<WindowRow>(WRITE[filter.selector.by], [
    ...[filter.applicationId, channel, filter.environment],
    ...[position.recipient, position.subscription],
    ...[event.id, event.occurrence, event.now, preferred, voipFirst, list, before],
  ]);
  if (!row) throw new Error("the statement for a window of recipients returned no row");
  return { ids: row.ids, next: nextPosition(filter.selector, position, row) };
}

/** The position after a window; null after the last one. */
function nextPosition(
  selector: Selector,
  position: WindowPosition,
  row: WindowRow,
): WindowPosition | null {
  if (row.found === WINDOW_SIZE && row.reached) {
    return { recipient: row.reached[0], subscription: row.reached[1] };
  }
  if (selector.by === "ids") {
    const last = sliceOf(selector, position.recipient).list.at(-1) as number | undefined;
    const more = last !== undefined && last < (selector.ids.at(-1) ?? 0);
    return more ? { recipient: last, subscription: ALL_DEVICES } : null;
  }
  if (selector.by === "external") {
    const { list, before } = sliceOf(selector, position.recipient);
    const last = before + list.length;
    return last < selector.ids.length ? { recipient: last, subscription: ALL_DEVICES } : null;
  }
  if (row.candidates < WINDOW_SIZE || row.last === null) return null;
  return { recipient: row.last, subscription: ALL_DEVICES };
}

/** The part of the selector's list for a window, and the number of entries before it. */
function sliceOf(selector: Selector, from: number): { list: unknown[]; before: number } {
  if (selector.by === "ids") {
    const start = selector.ids.findIndex((id) => id >= from);
    return { list: start < 0 ? [] : selector.ids.slice(start, start + WINDOW_SIZE), before: 0 };
  }
  if (selector.by === "external") {
    const before = Math.max(0, from - 1);
    return { list: selector.ids.slice(before, before + WINDOW_SIZE), before };
  }
  return { list: selector.tags, before: 0 };
}
