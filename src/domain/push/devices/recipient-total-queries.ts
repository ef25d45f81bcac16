import type { Statement, Store } from "../../../platform/store/store";
import type { PushChannel } from "../channels/channel";
import {
  isRecipient,
  type RecipientFilter,
  type Selector,
  supersedingChannels,
} from "./recipient-queries";

/**
 * The statement that counts the recipients of a push on all channels at once, within a bound on its work. A
 * function takes `query` of the store, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** Number of devices and of their users. */
export interface RecipientNumbers {
  deviceCount: number;
  userCount: number;
}

/** Recipients of a push: in all, and by channel. */
export interface RecipientTotals extends RecipientNumbers {
  /** Whether everybody was looked at; otherwise the numbers are lower bounds. */
  isExact: boolean;
  channels: Array<RecipientNumbers & { channel: PushChannel }>;
}

/** Maximum number of users (with several tags, of pairs of a user and a tag) that a count looks at. */
export const CANDIDATES_MAX = 10_000;
const LIMIT = `LIMIT ${CANDIDATES_MAX + 1}`;

/**
 * Candidates, and whether the selector includes them. Where an index cannot answer that, the number of
 * candidates is limited before the selector is evaluated, which bounds the work. $1 application, $3 the list.
 */
const CANDIDATES: Record<Selector["by"], string> = {
  ids: `SELECT u.id AS user_id, true AS matches FROM users u
    WHERE u.application_id = $1::bigint AND u.id = ANY($3::bigint[]) ${LIMIT}`,
  external: `SELECT u.id AS user_id, true AS matches FROM unnest($3::text[]) AS a(external)
    CROSS JOIN LATERAL (SELECT u.id FROM users u WHERE u.application_id = $1::bigint
      AND (u.external_id = a.external OR u.external_user_id = a.external)
      ORDER BY (u.external_id = a.external) IS TRUE DESC LIMIT 1) u ${LIMIT}`,
  any: `SELECT t.user_id, true AS matches FROM unnest($3::text[]) AS w(tag)
    CROSS JOIN LATERAL (SELECT t.user_id FROM user_tags t
      WHERE t.application_id = $1::bigint AND t.tag = w.tag ORDER BY t.user_id ${LIMIT}) t ${LIMIT}`,
  all: `SELECT t.user_id, (SELECT count(*) FROM user_tags o
        WHERE o.user_id = t.user_id AND o.tag = ANY($3::text[])) = cardinality($3::text[]) AS matches
    FROM user_tags t WHERE t.application_id = $1::bigint AND t.tag = ($3::text[])[1]
    ORDER BY t.user_id ${LIMIT}`,
  exclude: `SELECT u.id AS user_id, (SELECT count(*) FROM user_tags o
        WHERE o.user_id = u.id AND o.tag = ANY($3::text[])) = 0 AS matches
    FROM (SELECT u.id FROM users u WHERE u.application_id = $1::bigint
      ORDER BY u.application_id, u.id ${LIMIT}) u`,
};

/** $2 environment, $4 the channels as JSON. */
const count = (by: Selector["by"]): Statement => ({
  name: `push_recipient_totals_${by}`,
  text: `WITH candidates AS MATERIALIZED (${CANDIDATES[by]}),
    chosen AS MATERIALIZED (SELECT DISTINCT c.user_id
      FROM (SELECT * FROM candidates LIMIT ${CANDIDATES_MAX}) c WHERE c.matches),
    channels AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($4::text::jsonb)
      AS c(channel push_channel, preferred text[], voip_first boolean)),
    devices AS MATERIALIZED (SELECT d.user_id, d.channel FROM chosen r CROSS JOIN LATERAL (
      SELECT s.user_id, s.channel FROM push_subscriptions s JOIN channels c ON c.channel = s.channel
      WHERE s.user_id = r.user_id AND s.environment = $2::push_environment
        AND ${isRecipient("c.preferred", "c.voip_first")} OFFSET 0) d)
    SELECT d.channel, count(d.user_id) AS "deviceCount", count(DISTINCT d.user_id) AS "userCount",
      (SELECT count(*) FROM candidates) <= ${CANDIDATES_MAX} AS "isExact"
    FROM devices d GROUP BY GROUPING SETS ((), (d.channel))`,
});

const COUNT: Record<Selector["by"], Statement> = {
  ids: count("ids"),
  external: count("external"),
  any: count("any"),
  all: count("all"),
  exclude: count("exclude"),
};

/**
 * Counts the recipients of a push on channels.
 * @returns the channels in the given order
 */
export async function countRecipientTotals(
  query: Store["query"],
  filter: RecipientFilter,
  channels: readonly PushChannel[],
): Promise<RecipientTotals> {
  const { applicationId, environment, selector } = filter;
  const list = "tags" in selector ? selector.tags : selector.ids;
  const superseding = channels.map((channel) => {
    const [preferred, voipFirst] = supersedingChannels(filter, channel);
    return { channel, preferred, voip_first: voipFirst };
  });
  type Row = RecipientNumbers & { channel: PushChannel | null; isExact: boolean };
  const rows = await query<Row>(COUNT[selector.by], [
    applicationId,
    environment,
    list,
    JSON.stringify(superseding),
  ]);
  const numbersOf = (channel: PushChannel | null): RecipientNumbers => {
    const { deviceCount = 0, userCount = 0 } = rows.find((row) => row.channel === channel) ?? {};
    return { deviceCount, userCount };
  };
  return {
    ...numbersOf(null),
    isExact: rows[0]?.isExact ?? true,
    channels: channels.map((channel) => ({ channel, ...numbersOf(channel) })),
  };
}
