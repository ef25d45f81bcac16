import type { Statement, Transaction } from "../../store/store";
import { CHANNELS, type PushChannel, type PushEnvironment } from "../channels/channel";
import { notSuperseded, type RecipientFilter, supersedingChannels } from "./recipient-windows";
import type { Selector } from "./selector";

/** Maximum number of devices to count. */
export const COUNT_MAX = 10_000;
/** Maximum size of the sample of recipients. */
export const SAMPLE_MAX = 100;

/** Whether the selector includes the user of a subscription `s`; $1 the application, $4 the list. */
const CONDITIONS: Record<Selector["by"], string> = {
  ids: "s.user_id = ANY($4::bigint[])",
  external: `s.user_id IN (SELECT u.id FROM unnest($4::text[]) AS a(external)
    CROSS JOIN LATERAL (SELECT u.id FROM users u WHERE u.application_id = $1::bigint
      AND (u.external_id = a.external OR u.external_user_id = a.external)
      ORDER BY (u.external_id = a.external) IS TRUE DESC LIMIT 1) u)`,
  any: `EXISTS (SELECT 1 FROM user_tags t
    WHERE t.user_id = s.user_id AND t.tag = ANY($4::text[]))`,
  all: `(SELECT count(*) FROM user_tags t
    WHERE t.user_id = s.user_id AND t.tag = ANY($4::text[])) = cardinality($4::text[])`,
  exclude: `NOT EXISTS (SELECT 1 FROM user_tags t
    WHERE t.user_id = s.user_id AND t.tag = ANY($4::text[]))`,
};

const devices = (by: Selector["by"]) => `FROM push_subscriptions s
  WHERE s.application_id = $1::bigint AND s.environment = $2::push_environment
    AND s.channel = $3::push_channel AND ${CONDITIONS[by]} AND ${notSuperseded("$5", "$6")}`;

/** One statement for each kind of selector. */
function perSelector(
  name: string,
  text: (from: string) => string,
): Record<Selector["by"], Statement> {
  const statement = (by: Selector["by"]) => ({ name: `${name}_${by}`, text: text(devices(by)) });
  return {
    ids: statement("ids"),
    external: statement("external"),
    any: statement("any"),
    all: statement("all"),
    exclude: statement("exclude"),
  };
}

const HAS_RECIPIENTS = perSelector(
  "push_has_recipients",
  (from) => `SELECT 1 AS one ${from} LIMIT 1`,
);
const COUNT = perSelector(
  "push_recipient_count",
  (from) => `SELECT count(*) AS devices, count(DISTINCT d.user_id) AS users
    FROM (SELECT s.user_id ${from} LIMIT ${COUNT_MAX + 1}) d`,
);
const SAMPLE = perSelector(
  "push_recipient_sample",
  (from) => `SELECT DISTINCT d.user_id AS id
    FROM (SELECT s.user_id ${from} LIMIT ${SAMPLE_MAX}) d ORDER BY 1`,
);

function valuesOf(filter: RecipientFilter, channel: PushChannel): unknown[] {
  const { applicationId, environment, selector } = filter;
  const list = "tags" in selector ? selector.tags : selector.ids;
  return [applicationId, environment, channel, list, ...supersedingChannels(filter, channel)];
}

/** The channels that have at least one recipient. */
export async function channelsWithRecipients(
  { query }: Pick<Transaction, "query">,
  filter: RecipientFilter,
  channels: readonly PushChannel[],
): Promise<PushChannel[]> {
  const result: PushChannel[] = [];
  for (const channel of channels) {
    const rows = await query(HAS_RECIPIENTS[filter.selector.by], valuesOf(filter, channel));
    if (rows.length > 0) result.push(channel);
  }
  return result;
}

/** Looks up each pair of a user and a channel by the index of the user's devices. */
const CHANNELS_OF_USERS: Statement = {
  name: "push_channels_of_users",
  text: `SELECT g.user_id, c.channel
    FROM jsonb_to_recordset($1::text::jsonb) AS g(user_id bigint, environment push_environment)
      CROSS JOIN jsonb_to_recordset($2::text::jsonb)
        AS c(n int, channel push_channel, preferred text[], voip_first boolean)
      CROSS JOIN LATERAL (SELECT 1 FROM push_subscriptions s WHERE s.user_id = g.user_id
        AND s.environment = g.environment AND s.channel = c.channel
        AND ${notSuperseded("c.preferred", "c.voip_first")} LIMIT 1) d
    ORDER BY c.n`,
};

/**
 * The channels on which users can be reached, in one query.
 * @returns channels by user id, without users who have no device
 */
export async function channelsOfUsers(
  { query }: Pick<Transaction, "query">,
  users: ReadonlyArray<{ userId: number; environment: PushEnvironment }>,
  universal: RecipientFilter["universal"],
): Promise<Map<number, PushChannel[]>> {
  const environments = new Map(users.map(({ userId, environment }) => [userId, environment]));
  const channels = CHANNELS.map((channel, n) => {
    const [preferred, voipFirst] = supersedingChannels({ universal }, channel);
    return { n, channel, preferred, voip_first: voipFirst };
  });
  const rows = await query<{ user_id: number; channel: PushChannel }>(CHANNELS_OF_USERS, [
    JSON.stringify(
      [...environments].map(([userId, environment]) => ({ user_id: userId, environment })),
    ),
    JSON.stringify(
      channels.filter(({ channel }) => channel !== "apns_voip" || universal?.voip === true),
    ),
  ]);
  const result = new Map<number, PushChannel[]>();
  for (const { user_id: userId, channel } of rows) {
    result.set(userId, [...(result.get(userId) ?? []), channel]);
  }
  return result;
}

/** Number of recipients on one channel. */
export interface RecipientCount {
  /** Number of devices; {@link COUNT_MAX} + 1 if there are more. */
  devices: number;
  users: number;
  /** A sample of up to {@link SAMPLE_MAX} users, by id. */
  sampleUserIds: number[];
}

/** Counts the recipients on one channel, up to {@link COUNT_MAX}, and samples them. */
export async function countRecipients(
  { query }: Pick<Transaction, "query">,
  filter: RecipientFilter,
  channel: PushChannel,
): Promise<RecipientCount> {
  const values = valuesOf(filter, channel);
  const { by } = filter.selector;
  const [counts] = await query<{ devices: number; users: number }>(COUNT[by], values);
  const sample = await query<{ id: number }>(SAMPLE[by], values);
  return { devices: 0, users: 0, ...counts, sampleUserIds: sample.map(({ id }) => id) };
}
