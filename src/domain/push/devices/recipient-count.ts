import type { Store } from "../../../platform/store/store";
import { CHANNELS, type PushChannel, type PushEnvironment } from "../channels/channel";
import {
  countDevices,
  findChannelsOfUsers,
  hasRecipients,
  type RecipientFilter,
  sampleUsers,
} from "./recipient-queries";
import { countRecipientTotals, type RecipientTotals } from "./recipient-total-queries";
import { type RecipientsInput, toSelector } from "./selector";

/** The channels that have at least one recipient. @throws Fault UNAVAILABLE */
export async function channelsWithRecipients(
  { query }: Pick<Store, "query">,
  filter: RecipientFilter,
  channels: readonly PushChannel[],
): Promise<PushChannel[]> {
  const result: PushChannel[] = [];
  for (const channel of channels) {
    if (await hasRecipients(query, filter, channel)) result.push(channel);
  }
  return result;
}

/**
 * The channels on which users can be reached, in one query.
 * @returns channels by user id, without users who have no device
 * @throws Fault UNAVAILABLE
 */
export async function channelsOfUsers(
  { query }: Pick<Store, "query">,
  users: ReadonlyArray<{ userId: number; environment: PushEnvironment }>,
  universal: RecipientFilter["universal"],
): Promise<Map<number, PushChannel[]>> {
  const environments = new Map(users.map(({ userId, environment }) => [userId, environment]));
  const channels = CHANNELS.filter((each) => each !== "apns_voip" || universal?.voip === true);
  const rows = await findChannelsOfUsers(query, environments, channels, universal);
  const result = new Map<number, PushChannel[]>();
  for (const { userId, channel } of rows) {
    result.set(userId, [...(result.get(userId) ?? []), channel]);
  }
  return result;
}

/** Number of recipients on one channel. */
export interface RecipientCount {
  /** Number of devices; `COUNT_MAX` + 1 if there are more. */
  devices: number;
  users: number;
  /** A sample of up to `SAMPLE_MAX` users, by id. */
  sampleUserIds: number[];
}

/** Counts the recipients on one channel, up to `COUNT_MAX`, and samples them. @throws Fault UNAVAILABLE */
export async function countRecipients(
  { query }: Pick<Store, "query">,
  filter: RecipientFilter,
  channel: PushChannel,
): Promise<RecipientCount> {
  const { devices, users } = await countDevices(query, filter, channel);
  return { devices, users, sampleUserIds: await sampleUsers(query, filter, channel) };
}

/** Recipients to count, as a push would name them. */
interface CountedRecipients extends RecipientsInput {
  environment: PushEnvironment;
  channel?: PushChannel | null;
  voip?: boolean | null;
}

/**
 * Counts whom a push would reach, within a bound on the work.
 * @throws Fault INVALID as {@link toSelector}
 */
export async function countRecipientsOf(
  { store }: { store: Pick<Store, "query"> },
  applicationId: number,
  { environment, channel = null, voip, ...recipients }: CountedRecipients,
): Promise<RecipientTotals> {
  const selector = toSelector(recipients);
  const universal = channel === null ? { voip: voip ?? false } : null;
  const channels =
    channel === null ? CHANNELS.filter((each) => voip || each !== "apns_voip") : [channel];
  const filter = { applicationId, environment, selector, universal };
  return countRecipientTotals(store.query, filter, channels);
}
