import { deletePushesOfCalls, exportPushesOfCalls } from "../../push/events/call-push-queries";
import { exportRows } from "../../users/user-data";
import type { UserData } from "../../users/user-deps";

const EXPORT = {
  name: "export_calls",
  // A UNION, so that each part uses an index.
  text: `SELECT to_jsonb(c) || jsonb_build_object('participation', to_jsonb(m)) AS row
    FROM (SELECT k.id FROM calls k WHERE k.caller_id = $1
        UNION SELECT k.call_id FROM call_participants k WHERE k.user_id = $1) AS found
      JOIN calls c ON c.id = found.id
      LEFT JOIN call_participants m ON m.call_id = c.id AND m.user_id = $1
    ORDER BY c.id`,
};
const PARTICIPATED = {
  name: "calls_with_participant",
  text: `SELECT c.id, coalesce(c.caller_id = $1, false) AS called
    FROM call_participants m JOIN calls c ON c.id = m.call_id WHERE m.user_id = $1`,
};
const LOCK = {
  // In the lock order of the call recorder, to avoid deadlocks.
  name: "lock_calls_of_users",
  text: `SELECT c.id FROM calls c WHERE c.id = ANY(ARRAY(
      SELECT p.call_id FROM call_participants p WHERE p.user_id = ANY($1::bigint[])))
    ORDER BY c.id FOR UPDATE`,
};
const DELETE_EMPTY = {
  name: "delete_calls_without_others",
  text: `DELETE FROM calls c WHERE c.id = ANY($1::bigint[]) AND NOT EXISTS (
    SELECT 1 FROM call_participants o WHERE o.call_id = c.id AND o.user_id <> ALL($2::bigint[]))`,
};
const CLEAR_CALLERS = {
  name: "clear_callers",
  text: "UPDATE calls SET caller_id = NULL WHERE caller_id = ANY($1::bigint[])",
};

/**
 * The calls of users. Deleting users deletes their participations by cascade, their calls without other
 * participants, and the pushes of all their calls.
 */
export const callUserData: UserData = {
  async exportUser(query, userId) {
    const calls = await exportRows(query, EXPORT, [userId]);
    const participated = await query<{ id: number; called: boolean }>(PARTICIPATED, [userId]);
    const ids = participated.map(({ id }) => id);
    const called = participated.filter((call) => call.called).map(({ id }) => id);
    return { calls, incoming_call_pushes: await exportPushesOfCalls(query, ids, called, userId) };
  },
  async eraseUsers(query, userIds) {
    const calls = await query<{ id: number }>(LOCK, [userIds]);
    const ids = calls.map(({ id }) => id);
    await query(DELETE_EMPTY, [ids, userIds]);
    await deletePushesOfCalls(query, ids);
    await query(CLEAR_CALLERS, [userIds]);
  },
};
