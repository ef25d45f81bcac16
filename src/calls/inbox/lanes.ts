import { EVERYBODY } from "../../bus/bus";
import type { Device } from "../device";
import type { Party } from "../signal";

/**
 * The lanes of a user's inbox: what an entry is about, so that a device can tell whether something for
 * it is gone, whatever else came and went meanwhile.
 */

/** Lane of the answers of the user's own devices. */
export const ANSWERS = "answers";
/** Lane of what devices have acknowledged, which nobody has to read without a gap. */
export const POSITIONS = "positions";

/** Lane of a signal, by whom it is to: a device of the user, or all of them. */
export function laneTo({ resource }: Pick<Party, "resource">): string {
  return resource === undefined ? EVERYBODY : `to:${resource}`;
}

/** Lanes of what a device is handed. */
export function lanesOf({ party, door, answersOnly }: Device): string[] {
  if (answersOnly) return [ANSWERS];
  const signals = [EVERYBODY, laneTo(party)];
  return door === "xmpp" ? [...signals, ANSWERS] : signals;
}
