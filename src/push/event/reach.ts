import type { Statement, Transaction } from "../../store/store";
import { CHANNELS, type PushChannel, type PushEnvironment } from "../channel";
import { type Audience, aloneAt, rivalsOf } from "./audience";
import type { Selector } from "./selector";

/** Devices that are counted at most; more are told as more. */
export const COUNT_MAX = 10_000;
/** Recipients that are named at most. */
export const NAMED_MAX = 100;

/** Whether the selector means the user of a subscription `s`; $1 the application, $4 the list. */
const MEANT: Record<Selector["by"], string> = {
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
    AND s.channel = $3::push_channel AND ${MEANT[by]} AND ${aloneAt("$5", "$6")}`;

function forEach(name: string, text: (from: string) => string): Record<Selector["by"], Statement> {
  const each = (by: Selector["by"]) => ({ name: `${name}_${by}`, text: text(devices(by)) });
  return {
    ids: each("ids"),
    external: each("external"),
    any: each("any"),
    all: each("all"),
    exclude: each("exclude"),
  };
}

const REACHED = forEach("push_reached", (from) => `SELECT 1 AS one ${from} LIMIT 1`);
const COUNTED = forEach(
  "push_counted",
  (from) => `SELECT count(*) AS devices, count(DISTINCT d.user_id) AS users
    FROM (SELECT s.user_id ${from} LIMIT ${COUNT_MAX + 1}) d`,
);
const NAMED = forEach(
  "push_named",
  (from) => `SELECT DISTINCT d.user_id AS id
    FROM (SELECT s.user_id ${from} LIMIT ${NAMED_MAX}) d ORDER BY 1`,
);

function valuesOf(audience: Audience, channel: PushChannel): unknown[] {
  const { applicationId, environment, selector } = audience;
  const list = "tags" in selector ? selector.tags : selector.ids;
  return [applicationId, environment, channel, list, ...rivalsOf(audience, channel)];
}

/** Those of the channels by which anybody of the audience is reached. */
export async function reachedChannels(
  { query }: Pick<Transaction, "query">,
  audience: Audience,
  channels: readonly PushChannel[],
): Promise<PushChannel[]> {
  const reached: PushChannel[] = [];
  for (const channel of channels) {
    const rows = await query(REACHED[audience.selector.by], valuesOf(audience, channel));
    if (rows.length > 0) reached.push(channel);
  }
  return reached;
}

/** Users beside channels, each pair looked up by the index of the user's devices. */
const REACHES: Statement = {
  name: "push_reach_of_users",
  text: `SELECT g.user_id, c.channel
    FROM jsonb_to_recordset($1::text::jsonb) AS g(user_id bigint, environment push_environment)
      CROSS JOIN jsonb_to_recordset($2::text::jsonb)
        AS c(n int, channel push_channel, first text[], voip_first boolean)
      CROSS JOIN LATERAL (SELECT 1 FROM push_subscriptions s WHERE s.user_id = g.user_id
        AND s.environment = g.environment AND s.channel = c.channel
        AND ${aloneAt("c.first", "c.voip_first")} LIMIT 1) d
    ORDER BY c.n`,
};

/**
 * The channels by which each of some users is reached, in one query for all.
 * @returns nothing of users without a device
 */
export async function reachOfUsers(
  { query }: Pick<Transaction, "query">,
  users: ReadonlyArray<{ userId: number; environment: PushEnvironment }>,
  universal: Audience["universal"],
): Promise<Map<number, PushChannel[]>> {
  const asked = new Map(users.map(({ userId, environment }) => [userId, environment]));
  const channels = CHANNELS.map((channel, n) => {
    const [first, voipFirst] = rivalsOf({ universal }, channel);
    return { n, channel, first, voip_first: voipFirst };
  });
  const rows = await query<{ user_id: number; channel: PushChannel }>(REACHES, [
    JSON.stringify([...asked].map(([userId, environment]) => ({ user_id: userId, environment }))),
    JSON.stringify(
      channels.filter(({ channel }) => channel !== "apns_voip" || universal?.voip === true),
    ),
  ]);
  const reached = new Map<number, PushChannel[]>();
  for (const { user_id: userId, channel } of rows) {
    reached.set(userId, [...(reached.get(userId) ?? []), channel]);
  }
  return reached;
}

/** How many an audience is on one channel. */
export interface Reach {
  /** Devices, {@link COUNT_MAX} + 1 where there are more than those. */
  devices: number;
  users: number;
  /** Some of the users, at most {@link NAMED_MAX}, by id. */
  named: number[];
}

/** Counts an audience on one channel, as far as is worth it. */
export async function measureReach(
  { query }: Pick<Transaction, "query">,
  audience: Audience,
  channel: PushChannel,
): Promise<Reach> {
  const values = valuesOf(audience, channel);
  const { by } = audience.selector;
  const [counts] = await query<{ devices: number; users: number }>(COUNTED[by], values);
  const named = await query<{ id: number }>(NAMED[by], values);
  return { devices: 0, users: 0, ...counts, named: named.map(({ id }) => id) };
}
