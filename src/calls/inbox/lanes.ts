import { EVERYBODY } from "../../bus/bus";
import type { Device } from "../device";
import type { Party } from "../signal";

/**
 * The partitions of a user's inbox, by the devices that an entry concerns. They let a device tell whether it
 * missed something, regardless of other entries.
 */

/** Partition of the answers of the user's own devices. */
export const ANSWERS = "answers";
/** Partition of the devices' acknowledgements. Gaps in it do not matter. */
export const POSITIONS = "positions";

/** Partition of a signal to one device of the user, or to all of them. */
export function laneTo({ resource }: Pick<Party, "resource">): string {
  return resource === undefined ? EVERYBODY : `to:${resource}`;
}

/** Partitions of the entries that a device receives. */
export function lanesOf({ party, door, answersOnly }: Device): string[] {
  if (answersOnly) return [ANSWERS];
  const signals = [EVERYBODY, laneTo(party)];
  return door === "xmpp" ? [...signals, ANSWERS] : signals;
}
