import type { Statement } from "../store/store";
import type { UserDeps } from "./user-deps";

const OWN_CALLS = `ARRAY(SELECT p.call_id FROM call_participants p WHERE p.user_id = ANY($1::bigint[]))`;

const REMOVE: Statement[] = [
  {
    // In the lock order of the call recorder, to avoid deadlocks.
    name: "lock_calls_of_users",
    text: `SELECT c.id FROM calls c WHERE c.id = ANY(${OWN_CALLS}) ORDER BY c.id FOR UPDATE`,
  },
  {
    name: "remove_lonely_calls",
    text: `DELETE FROM calls c WHERE c.id = ANY(${OWN_CALLS}) AND NOT EXISTS (
      SELECT 1 FROM call_participants o WHERE o.call_id = c.id AND o.user_id <> ALL($1::bigint[]))`,
  },
  {
    name: "remove_wakes",
    text: `DELETE FROM push_events WHERE call_id = ANY(${OWN_CALLS})`,
  },
  {
    name: "forget_callers",
    text: "UPDATE calls SET caller_id = NULL WHERE caller_id = ANY($1::bigint[])",
  },
  { name: "remove_users", text: "DELETE FROM users WHERE id = ANY($1::bigint[])" },
];

/**
 * Deletes users and all data that refers to them: sessions, tags, identities, subscriptions, events, password
 * reset links, their participation in calls, and the pushes that woke devices for these calls. A call remains
 * for its other participants, without the deleted user, and is deleted after its last one. Then notifies
 * every node, which closes the users' connections.
 */
export async function removeUsers(
  deps: Pick<UserDeps, "store" | "sessionEvents">,
  userIds: number[],
): Promise<void> {
  await deps.store.transaction(async ({ query }) => {
    for (const statement of REMOVE) await query(statement, [userIds]);
  });
  for (const userId of userIds) deps.sessionEvents.publish({ kind: "user", userId });
}
