import type { UserData } from "../users/user-deps";
import { EXPORTED_SESSIONS } from "./session-queries";

/** The export of this module; deleting a user's row cascades to the sessions. */
export const sessionUserData: UserData = {
  exports: [EXPORTED_SESSIONS],
};
