import { Fault } from "../../core/errors";
import { textProblem } from "../../core/text/field-checks";
import { parseId } from "../../core/text/ids";
import type { SessionEvent } from "../session-events/session-events";
import { deleteBlock, type UserOfApplication, writeBlock } from "./block-queries";
import type { User } from "./user";
import type { UserDeps } from "./user-deps";
import { noUser, requireUser } from "./users";

/** Maximum length of the reason of a block, in characters. */
const REASON_MAX = 255;

/**
 * Blocks a user of an application: ends its sessions and connections on every node, deletes its reset links and its
 * links to conferences, with their guests, and stops its pushes. Until it is unblocked, it can neither sign in nor reset
 * its password, and its devices get no pushes. A blocked user that is blocked again gets the new reason. Does not check
 * permissions.
 *
 * The row of the user is locked first. A sign-in that runs at the same time holds or waits for the same lock, so it is
 * refused, or its session is deleted here.
 * @throws Fault INVALID on reason; NOT_FOUND
 */
export async function blockUser(
  deps: UserDeps,
  applicationId: number,
  id: string,
  reason: string | null,
): Promise<User> {
  const problem = reason === null ? null : textProblem(reason, REASON_MAX);
  if (problem !== null) throw Fault.field("reason", problem);
  const user = userOf(applicationId, id);
  const { userId } = user;
  const at = new Date(deps.clock.now());
  const events = await deps.store.transaction(async (transaction) => {
    if (!(await writeBlock(transaction, user, at, reason || null))) throw noUser();
    await deps.credentialsChanged(transaction, { userId, sessionId: null, password: true });
    const ended: SessionEvent[] = [{ kind: "user", userId }];
    for (const { stopUser } of deps.userData) {
      ended.push(...((await stopUser?.(transaction.query, userId, at)) ?? []));
    }
    return ended;
  });
  for (const event of events) deps.sessionEvents.publish(event);
  return requireUser(deps, applicationId, id);
}

/** Lets a user sign in again; without effect on one who may. Does not check permissions. @throws Fault NOT_FOUND */
export async function unblockUser(
  deps: UserDeps,
  applicationId: number,
  id: string,
): Promise<User> {
  if (!(await deleteBlock(deps.store, userOf(applicationId, id)))) throw noUser();
  return requireUser(deps, applicationId, id);
}

/** @throws Fault NOT_FOUND for a text that is no id */
function userOf(applicationId: number, id: string): UserOfApplication {
  const userId = parseId(id);
  if (userId === null) throw noUser();
  return { applicationId, userId };
}
