import { DEFAULT_PARTITION } from "../../bus/bus";
import type { Device } from "../signals/device";
import type { Party } from "../signals/signal";

/**
 * The partitions of a user's inbox, by the devices that an entry concerns. They let a device tell whether it
 * missed something, regardless of other entries.
 */

/** Partition of the answers of the user's own devices. */
export const ANSWERS_PARTITION = "answers";
/** Partition of the devices' acknowledgements. Gaps in it do not matter. */
export const ACKNOWLEDGEMENTS_PARTITION = "positions";

/** Partition of a signal to one device of the user, or to all of them. */
export function partitionFor({ resource }: Pick<Party, "resource">): string {
  return resource === undefined ? DEFAULT_PARTITION : `to:${resource}`;
}

/** Partitions of the entries that a device receives. */
export function partitionsOf({ party, protocol, answersOnly }: Device): string[] {
  if (answersOnly) return [ANSWERS_PARTITION];
  const signals = [DEFAULT_PARTITION, partitionFor(party)];
  return protocol === "xmpp" ? [...signals, ANSWERS_PARTITION] : signals;
}
