import { deletePushesOfCalls, exportPushesOfCalls } from "../../push/events/call-push-queries";
import type { UserData } from "../../users/user-deps";
import {
  clearCallers,
  deleteCallsWithoutOthers,
  exportCalls,
  findParticipatedCalls,
  lockCallsOfUsers,
} from "./call-cleanup-queries";

/**
 * The calls of users. Deleting users deletes their participations by cascade, their calls without other
 * participants, and the pushes of all their calls.
 */
export const callUserData: UserData = {
  async exportUser(query, userId) {
    const calls = await exportCalls(query, userId);
    const participated = await findParticipatedCalls(query, userId);
    const ids = participated.map(({ id }) => id);
    const called = participated.filter((call) => call.called).map(({ id }) => id);
    return { calls, incoming_call_pushes: await exportPushesOfCalls(query, ids, called, userId) };
  },
  async eraseUsers(query, userIds) {
    const ids = await lockCallsOfUsers(query, userIds);
    await deleteCallsWithoutOthers(query, ids, userIds);
    await deletePushesOfCalls(query, ids);
    await clearCallers(query, userIds);
  },
};
