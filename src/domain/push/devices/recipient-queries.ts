import type { Statement, Store } from "../../../platform/store/store";
import { CHANNELS, type PushChannel, type PushEnvironment } from "../channels/channel";

/**
 * Statements on push_subscriptions that find the devices and users that an event reaches. A function takes
 * `query` of the store or of a transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** Stored selector of an event's recipients. Lists are sorted and without duplicates. */
export type Selector =
  | { by: "ids"; ids: number[] }
  /** External ids, matched against both columns; see `findUser`. */
  | { by: "external"; ids: string[] }
  /** Users with any, all or none of the tags. */
  | { by: "any" | "all" | "exclude"; tags: string[] };

/** Selects the recipients of an event. */
export interface RecipientFilter {
  applicationId: number;
  environment: PushEnvironment;
  selector: Selector;
  /** For a universal push, whether the message asks for VoIP pushes; null for a platform-specific push. */
  universal: { voip: boolean } | null;
}

/** Maximum number of devices to count. */
export const COUNT_MAX = 10_000;
/** Maximum size of the sample of recipients. */
export const SAMPLE_MAX = 100;

/**
 * Condition on a subscription `s`: the owner has blocked its user. The index of the application's blocked users, who
 * are few, answers it.
 */
export const OF_BLOCKED_USER = `EXISTS (SELECT 1 FROM users b
      WHERE b.application_id = s.application_id AND b.id = s.user_id AND b.blocked_at IS NOT NULL)`;

/**
 * Condition on a subscription `s`: its user is not blocked, and no other subscription of its user supersedes it.
 * @param preferred SQL expression of the channels preferred on the same device
 * @param voipFirst SQL expression: whether any VoIP subscription of the user supersedes it
 */
export const isRecipient = (
  preferred: string,
  voipFirst: string,
) => `NOT ${OF_BLOCKED_USER} AND NOT EXISTS (SELECT 1 FROM push_subscriptions h WHERE h.user_id = s.user_id
      AND h.udid = s.udid AND h.environment = s.environment
      AND h.channel = ANY(${preferred}::text[]::push_channel[]))
    AND NOT (${voipFirst}::boolean AND EXISTS (SELECT 1 FROM push_subscriptions v
      WHERE v.user_id = s.user_id AND v.channel = 'apns_voip' AND v.environment = s.environment))`;

/** Alert-channel devices of a user `u` who has no VoIP subscription left for an event `e`. */
export const DEVICES_WITHOUT_VOIP = `SELECT s.id FROM push_subscriptions s WHERE s.user_id = u.id
    AND s.channel = 'apns' AND s.environment = e.environment AND NOT ${OF_BLOCKED_USER}
    AND NOT EXISTS (SELECT 1 FROM push_subscriptions v WHERE v.user_id = u.id
      AND v.channel = 'apns_voip' AND v.environment = e.environment) OFFSET 0`;

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
    AND s.channel = $3::push_channel AND ${CONDITIONS[by]} AND ${isRecipient("$5", "$6")}`;

/** One statement for each kind of selector. */
function perSelector(
  name: string,
  text: (from: string) => string,
): Record<Selector["by"], Statement> {
  const statement = (by: Selector["by"]): Statement => ({
    name: `${name}_${by}`,
    text: text(devices(by)),
  });
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

/** Looks up each pair of a user and a channel by the index of the user's devices. */
const CHANNELS_OF_USERS: Statement = {
  name: "push_channels_of_users",
  text: `SELECT g.user_id, c.channel
    FROM jsonb_to_recordset($1::text::jsonb) AS g(user_id bigint, environment push_environment)
      CROSS JOIN jsonb_to_recordset($2::text::jsonb)
        AS c(n int, channel push_channel, preferred text[], voip_first boolean)
      CROSS JOIN LATERAL (SELECT 1 FROM push_subscriptions s WHERE s.user_id = g.user_id
        AND s.environment = g.environment AND s.channel = c.channel
        AND ${isRecipient("c.preferred", "c.voip_first")} LIMIT 1) d
    ORDER BY c.n`,
};

/** The channels that supersede a channel, as values for {@link isRecipient}. */
export function supersedingChannels(
  { universal }: Pick<RecipientFilter, "universal">,
  channel: PushChannel,
): [preferred: PushChannel[], voipFirst: boolean] {
  if (universal === null) return [[], false];
  const preferred = CHANNELS.slice(0, CHANNELS.indexOf(channel));
  return [
    preferred.filter((each) => each !== "apns_voip" || universal.voip),
    universal.voip && channel === "apns",
  ];
}

/** Whether a filter selects any device on a channel. */
export async function hasRecipients(
  query: Store["query"],
  filter: RecipientFilter,
  channel: PushChannel,
): Promise<boolean> {
  const { by } = filter.selector;
  return (await query(HAS_RECIPIENTS[by], valuesOf(filter, channel))).length > 0;
}

/**
 * Counts the devices that a filter selects on a channel, and their users.
 * @returns {@link COUNT_MAX} + 1 devices if there are more
 */
export async function countDevices(
  query: Store["query"],
  filter: RecipientFilter,
  channel: PushChannel,
): Promise<{ devices: number; users: number }> {
  const [row] = await query<{ devices: number; users: number }>(
    COUNT[filter.selector.by],
    valuesOf(filter, channel),
  );
  return { devices: 0, users: 0, ...row };
}

/** Samples up to {@link SAMPLE_MAX} users with a device that a filter selects, by id. */
export async function sampleUsers(
  query: Store["query"],
  filter: RecipientFilter,
  channel: PushChannel,
): Promise<number[]> {
  const values = valuesOf(filter, channel);
  const rows = await query<{ id: number }>(SAMPLE[filter.selector.by], values);
  return rows.map(({ id }) => id);
}

/**
 * Finds the channels on which users have a device that no other one supersedes.
 * @param environments environment by user id
 * @param channels the channels to consider
 * @returns pairs of a user and a channel, in the order of the channels
 */
export async function findChannelsOfUsers(
  query: Store["query"],
  environments: ReadonlyMap<number, PushEnvironment>,
  channels: readonly PushChannel[],
  universal: RecipientFilter["universal"],
): Promise<Array<{ userId: number; channel: PushChannel }>> {
  const users = [...environments].map(([userId, environment]) => ({
    user_id: userId,
    environment,
  }));
  const ordered = channels.map((channel, n) => {
    const [preferred, voipFirst] = supersedingChannels({ universal }, channel);
    return { n, channel, preferred, voip_first: voipFirst };
  });
  const rows = await query<{ user_id: number; channel: PushChannel }>(CHANNELS_OF_USERS, [
    JSON.stringify(users),
    JSON.stringify(ordered),
  ]);
  return rows.map(({ user_id: userId, channel }) => ({ userId, channel }));
}

/** The values `$1` to `$6` of the statements for each kind of selector. */
function valuesOf(filter: RecipientFilter, channel: PushChannel): unknown[] {
  const { applicationId, environment, selector } = filter;
  const list = "tags" in selector ? selector.tags : selector.ids;
  return [applicationId, environment, channel, list, ...supersedingChannels(filter, channel)];
}
