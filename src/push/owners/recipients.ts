import { CHANNELS, type PushChannel, type PushEnvironment } from "../channels/channel";
import type { PushDeps } from "../deps/push-deps";
import { countRecipientTotals, type RecipientTotals } from "../devices/recipient-total-queries";
import { type RecipientsInput, toSelector } from "../events/selector";

/** Recipients to count, as a push would name them. */
export interface CountedRecipients extends RecipientsInput {
  environment: PushEnvironment;
  channel?: PushChannel | null;
  voip?: boolean | null;
}

/**
 * Counts whom a push would reach, within a bound on the work.
 * @throws Fault INVALID as {@link toSelector}
 */
export async function countRecipientsOf(
  { store }: Pick<PushDeps, "store">,
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
