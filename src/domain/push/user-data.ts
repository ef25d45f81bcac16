import type { UserData } from "../users/user-deps";
import { EXPORTED_DELIVERIES } from "./delivery/delivery-queries";
import { EXPORTED_SUBSCRIPTIONS } from "./devices/device-queries";
import { stopEventsOfUser } from "./events/dispatch-queries";
import { EXPORTED_EVENTS } from "./events/event-queries";

/** The export of this module, and what a block stops; deleting a user's row cascades to the rest. */
export const pushUserData: UserData = {
  exports: [EXPORTED_SUBSCRIPTIONS, EXPORTED_EVENTS, EXPORTED_DELIVERIES],
  async stopUser(query, userId, at) {
    await stopEventsOfUser(query, userId, at);
    return [];
  },
};
