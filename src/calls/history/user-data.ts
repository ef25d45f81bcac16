import { deletePushesOfCalls, exportPushesOfCalls } from "../../push/events/call-push-queries";
import type { UserData } from "../../users/user-deps";
import {
  clearCallers,
  deleteCallsWithoutOthers,
  exportCalls,
  findParticipatedCalls,
  lockCallsOfUsers,
} from "./call-cleanup-queries";
import { forgetInTimeLines } from "./timeline/time-line-queries";

/**
 * The calls of users. Deleting users deletes their participations by cascade, their calls without other
 * participants, and the pushes of all their calls. The time lines of other calls keep when a signal was sent, without the
 * user and the device.
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
    await forgetInTimeLines(query, ids, userIds);
    await deletePushesOfCalls(query, ids);
    await clearCallers(query, userIds);
  },
};
