import { EXPORT_WINDOW, type ExportedList } from "../../../platform/store/rows/exported-list";
import { withoutCaller } from "../../push/events/call-push";
import {
  changeMessagesOfCalls,
  deletePushesOfCalls,
  exportPushesOfCalls,
} from "../../push/events/call-push-queries";
import type { UserData } from "../../users/user-deps";
import {
  clearCallers,
  deleteCallsWithoutOthers,
  EXPORTED_CALLS,
  endRingingCallsOf,
  findParticipatedCalls,
  findRingingCallsOf,
  lockCallsOfUsers,
} from "./call-cleanup-queries";
import { forgetInTimelines } from "./timeline/timeline-queries";

/** The incoming-call pushes that a user caused or got, in an export: by calls, so that a window has few of them. */
const EXPORTED_CALL_PUSHES: ExportedList = {
  name: "incoming_call_pushes",
  columns: 1,
  async read(query, userId, after) {
    const calls = await findParticipatedCalls(query, userId, after?.[0] ?? 0, EXPORT_WINDOW);
    const ids = calls.map(({ id }) => id);
    const called = calls.filter((call) => call.called).map(({ id }) => id);
    const rows = ids.length === 0 ? [] : await exportPushesOfCalls(query, ids, called, userId);
    const last = ids.at(-1);
    return { rows, next: ids.length < EXPORT_WINDOW || last === undefined ? null : [last] };
  },
};

/**
 * The calls of users. Deleting users deletes their participations by cascade, their calls without other
 * participants, and the pushes of all their calls. Those of a call that still rings for others stay without what they say
 * of the caller: they say which devices ring, and are told when the job of the ring time-out ends the call. So it does with
 * the ringing calls of a user who is blocked. The timelines of other calls keep when a signal was sent, without the
 * user and the device.
 */
export const callUserData: UserData = {
  exports: [EXPORTED_CALLS, EXPORTED_CALL_PUSHES],
  async eraseUsers(query, userIds) {
    const ids = await lockCallsOfUsers(query, userIds);
    await deleteCallsWithoutOthers(query, ids, userIds);
    await forgetInTimelines(query, ids, userIds);
    const ringing = new Set(await findRingingCallsOf(query, ids, userIds));
    await changeMessagesOfCalls(query, [...ringing], withoutCaller);
    await deletePushesOfCalls(
      query,
      ids.filter((id) => !ringing.has(id)),
    );
    await clearCallers(query, userIds);
    return [];
  },
  async stopUser(query, userId, at) {
    await endRingingCallsOf(query, userId, at);
    return [];
  },
};
