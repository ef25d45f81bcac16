import { Fault } from "../../../core/errors";
import type { ConferenceDeps } from "./conference-deps";

/** A host that does not answer, and a conference that has been closed since. */
const WITHOUT_HOST = ["UNAVAILABLE", "NOT_FOUND"];

/**
 * Removes at once who may not be in a conference any more, after its lists or links have changed in the database. If
 * the host does not answer, its next check or its successor removes them.
 */
export async function checkRights(
  { hosts }: Pick<ConferenceDeps, "hosts">,
  conferenceId: number,
): Promise<void> {
  try {
    await hosts.run(conferenceId, "checkRights");
  } catch (error) {
    if (!(error instanceof Fault) || !WITHOUT_HOST.includes(error.code)) throw error;
  }
}
