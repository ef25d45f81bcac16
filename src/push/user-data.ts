import { exportRows } from "../users/user-data";
import type { UserData } from "../users/user-deps";

const SUBSCRIPTIONS = {
  name: "export_push_subscriptions",
  text: "SELECT to_jsonb(p) AS row FROM push_subscriptions p WHERE p.user_id = $1 ORDER BY p.id",
};
const EVENTS = {
  name: "export_push_events",
  text: `SELECT to_jsonb(e) - 'request_hash' AS row FROM push_events e
    WHERE e.user_id = $1 ORDER BY e.id`,
};
const DELIVERIES = {
  name: "export_push_deliveries",
  text: `SELECT to_jsonb(d) AS row FROM push_deliveries d
      JOIN push_subscriptions p ON p.id = d.subscription_id
    WHERE p.user_id = $1 ORDER BY d.id`,
};

/** The export of this module; deleting a user's row cascades to the rest. */
export const pushUserData: UserData = {
  exportUser: async (query, userId) => ({
    subscriptions: await exportRows(query, SUBSCRIPTIONS, [userId]),
    events: await exportRows(query, EVENTS, [userId]),
    deliveries: await exportRows(query, DELIVERIES, [userId]),
  }),
};
