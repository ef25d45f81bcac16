import type { UserData } from "../users/user-deps";
import { exportDeliveries } from "./delivery/delivery-queries";
import { exportSubscriptions } from "./devices/device-queries";
import { stopEventsOfUser } from "./events/dispatch-queries";
import { exportEvents } from "./events/event-queries";

/** The export of this module, and what a block stops; deleting a user's row cascades to the rest. */
export const pushUserData: UserData = {
  exportUser: async (query, userId) => ({
    subscriptions: await exportSubscriptions(query, userId),
    events: await exportEvents(query, userId),
    deliveries: await exportDeliveries(query, userId),
  }),
  stopUser: stopEventsOfUser,
};
