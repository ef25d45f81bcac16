import type { UserData } from "../users/user-deps";
import { exportSessions } from "./session-queries";

/** The export of this module; deleting a user's row cascades to the sessions. */
export const sessionUserData: UserData = {
  exportUser: async (query, userId) => ({ sessions: await exportSessions(query, userId) }),
};
