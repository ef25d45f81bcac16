import type { Statement } from "../../store/store";
import { CHANNELS, type PushChannel, type PushEnvironment } from "../channel";
import type { Selector } from "./selector";

/** Candidates of a window, and deliveries that one transaction writes, at most. */
export const WINDOW = 500;

/** The devices that an event of one channel goes to. */
export interface Audience {
  applicationId: number;
  environment: PushEnvironment;
  selector: Selector;
  /** Of a universal push: the message asks for VoIP pushes. Null of a platform's own push. */
  universal: { voip: boolean } | null;
}

/** Where a walk over an audience stands: at a recipient, and at one of the recipient's devices. */
export interface Place {
  /** Id of the recipient; of external ids the number in the list, from 1. */
  recipient: number;
  /** Id of the subscription; those after it are still to come. */
  subscription: number;
}

/** Where a walk begins. */
export const START: Place = { recipient: 0, subscription: 0 };
/** After every subscription that a recipient may have. */
const ALL_DEVICES = Number.MAX_SAFE_INTEGER;

/**
 * Windows of recipients: at most {@link WINDOW} from a place on, in order, each with `fits` telling
 * whether the selector means it. A window is cut before the selector is judged where that takes more
 * than an index, so that one statement never walks further. What is counted could be asked for with
 * EXISTS, users by equality, and devices by a join; each would let the planner read a whole tag, the
 * users of every application or every device for one window.
 * $1 application, $4 recipient to begin at, $11 the list, $12 the number before the list's first.
 */
const CANDIDATES: Record<Selector["by"], string> = {
  ids: `SELECT u.id AS place, u.id AS user_id, true AS fits FROM users u
    WHERE u.application_id = $1::bigint AND u.id = ANY($11::bigint[]) AND $12::bigint IS NOT NULL
    ORDER BY u.id`,
  external: `SELECT a.n + $12::bigint AS place, u.id AS user_id, true AS fits
    FROM unnest($11::text[]) WITH ORDINALITY AS a(external, n)
    CROSS JOIN LATERAL (SELECT u.id FROM users u WHERE u.application_id = $1::bigint
      AND (u.external_id = a.external OR u.external_user_id = a.external)
      ORDER BY (u.external_id = a.external) IS TRUE DESC LIMIT 1) u`,
  any: `SELECT DISTINCT t.user_id AS place, t.user_id, true AS fits
    FROM unnest($11::text[]) AS w(tag)
    CROSS JOIN LATERAL (SELECT t.user_id FROM user_tags t
      WHERE t.application_id = $1::bigint AND t.tag = w.tag AND t.user_id >= $4::bigint
      ORDER BY t.user_id LIMIT ${WINDOW}) t
    WHERE $12::bigint IS NOT NULL ORDER BY 1 LIMIT ${WINDOW}`,
  all: `SELECT t.user_id AS place, t.user_id, (SELECT count(*) FROM user_tags o
        WHERE o.user_id = t.user_id AND o.tag = ANY($11::text[])) = cardinality($11::text[]) AS fits
    FROM user_tags t WHERE t.application_id = $1::bigint AND t.tag = ($11::text[])[1]
      AND t.user_id >= $4::bigint AND $12::bigint IS NOT NULL
    ORDER BY t.user_id LIMIT ${WINDOW}`,
  exclude: `SELECT u.id AS place, u.id AS user_id, (SELECT count(*) FROM user_tags o
        WHERE o.user_id = u.id AND o.tag = ANY($11::text[])) = 0 AS fits
    FROM users u WHERE (u.application_id, u.id) >= ($1::bigint, $4::bigint)
      AND u.application_id <= $1::bigint AND $12::bigint IS NOT NULL
    ORDER BY u.application_id, u.id LIMIT ${WINDOW}`,
};

/**
 * Of a subscription `s`: no other of its user takes the push in its place. $9 the channels that a
 * device is reached by first; $10 whether a user with a VoIP subscription gets nothing here.
 */
const ALONE = `NOT EXISTS (SELECT 1 FROM push_subscriptions h WHERE h.user_id = s.user_id
      AND h.udid = s.udid AND h.environment = s.environment
      AND h.channel = ANY($9::text[]::push_channel[]))
    AND NOT ($10::boolean AND EXISTS (SELECT 1 FROM push_subscriptions v
      WHERE v.user_id = s.user_id AND v.channel = 'apns_voip' AND v.environment = s.environment))`;

/**
 * Writes the deliveries of a window: of the event $6, dispatch $7, at $8, to the devices of channel $2
 * and environment $3 after the subscription $5 of the recipient $4.
 */
const WRITE = Object.fromEntries(
  (Object.keys(CANDIDATES) as Array<Selector["by"]>).map((by) => [
    by,
    {
      name: `push_expand_${by}`,
      text: `WITH candidates AS MATERIALIZED (${CANDIDATES[by]}),
      found AS MATERIALIZED (
        SELECT c.place, d.id FROM candidates c CROSS JOIN LATERAL (
          SELECT s.id FROM push_subscriptions s WHERE s.user_id = c.user_id
            AND s.channel = $2::push_channel AND s.environment = $3::push_environment
            AND (c.place, s.id) > ($4::bigint, $5::bigint) AND ${ALONE}
          OFFSET 0) d
        WHERE c.fits ORDER BY c.place, d.id LIMIT ${WINDOW}),
      written AS (
        INSERT INTO push_deliveries
          (event_id, subscription_id, occurrence, due_at, created_at, updated_at)
        SELECT $6::bigint, f.id, $7::int, $8::timestamptz, $8::timestamptz, $8::timestamptz
        FROM found f ORDER BY f.place, f.id ON CONFLICT DO NOTHING RETURNING id)
      SELECT (SELECT coalesce(json_agg(w.id), '[]') FROM written w) AS ids,
        (SELECT count(*) FROM found) AS found,
        (SELECT count(*) FROM candidates) AS candidates,
        (SELECT max(c.place) FROM candidates c) AS last,
        (SELECT json_build_array(f.place, f.id) FROM found f
          ORDER BY f.place DESC, f.id DESC LIMIT 1) AS reached`,
    },
  ]),
) as Record<Selector["by"], Statement>;

/** What {@link WRITE} answers. */
export interface WindowRow {
  /** Ids of the deliveries that were written. */
  ids: number[];
  found: number;
  candidates: number;
  last: number | null;
  reached: [recipient: number, subscription: number] | null;
}

/** The statement that writes the deliveries of the next window, and its values. */
export function windowOf(
  audience: Audience,
  channel: PushChannel,
  place: Place,
  event: { id: number; occurrence: number; now: Date },
): { statement: Statement; values: unknown[] } {
  const { list, before } = sliceOf(audience.selector, place.recipient);
  const [first, voipFirst] = rivalsOf(audience, channel);
  const values = [
    ...[audience.applicationId, channel, audience.environment, place.recipient, place.subscription],
    ...[event.id, event.occurrence, event.now, first, voipFirst, list, before],
  ];
  return { statement: WRITE[audience.selector.by], values };
}

/** Where the walk goes on after a window; null when it is over. */
export function nextPlace(selector: Selector, place: Place, row: WindowRow): Place | null {
  if (row.found === WINDOW && row.reached) {
    return { recipient: row.reached[0], subscription: row.reached[1] };
  }
  if (selector.by === "ids") {
    const last = sliceOf(selector, place.recipient).list.at(-1) as number | undefined;
    const more = last !== undefined && last < (selector.ids.at(-1) ?? 0);
    return more ? { recipient: last, subscription: ALL_DEVICES } : null;
  }
  if (selector.by === "external") {
    const { list, before } = sliceOf(selector, place.recipient);
    const last = before + list.length;
    return last < selector.ids.length ? { recipient: last, subscription: ALL_DEVICES } : null;
  }
  if (row.candidates < WINDOW || row.last === null) return null;
  return { recipient: row.last, subscription: ALL_DEVICES };
}

/** The part of a list that a window is about, and how many entries come before it. */
function sliceOf(selector: Selector, from: number): { list: unknown[]; before: number } {
  if (selector.by === "ids") {
    const start = selector.ids.findIndex((id) => id >= from);
    return { list: start < 0 ? [] : selector.ids.slice(start, start + WINDOW), before: 0 };
  }
  if (selector.by === "external") {
    const before = Math.max(0, from - 1);
    return { list: selector.ids.slice(before, before + WINDOW), before };
  }
  return { list: selector.tags, before: 0 };
}

/** What a device may be reached by in place of this channel: $9 and $10 of {@link ALONE}. */
export function rivalsOf(
  { universal }: Pick<Audience, "universal">,
  channel: PushChannel,
): [first: PushChannel[], voipFirst: boolean] {
  if (universal === null) return [[], false];
  const first = CHANNELS.slice(0, CHANNELS.indexOf(channel));
  return [
    first.filter((each) => each !== "apns_voip" || universal.voip),
    universal.voip && channel === "apns",
  ];
}

/** {@link ALONE} with its values at other places. */
export const aloneAt = (first: string, voipFirst: string) =>
  ALONE.replace("$9", first).replace("$10", voipFirst);
