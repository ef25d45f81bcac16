import type { UserData } from "../users/user-deps";
import { exportDeliveries } from "./delivery/delivery-queries";
import { exportSubscriptions } from "./devices/device-queries";
import { exportEvents } from "./events/event-queries";

/** The export of this module; deleting a user's row cascades to the rest. */
export const pushUserData: UserData = {
  exportUser: async (query, userId) => ({
    subscriptions: await exportSubscriptions(query, userId),
    events: await exportEvents(query, userId),
    deliveries: await exportDeliveries(query, userId),
  }),
};
