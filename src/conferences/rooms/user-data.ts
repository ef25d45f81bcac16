import type { UserData } from "../../users/user-deps";
import {
  EXPORTED_CONFERENCES,
  EXPORTED_LISTINGS,
  EXPORTED_PARTICIPATIONS,
} from "../rows/export-queries";

/**
 * The conferences of users: what they created, where they are listed, and their times as members. Deleting a user
 * deletes the last two by cascade; a conference stays for the others, without its creator.
 */
export const conferenceUserData: UserData = {
  exports: [EXPORTED_CONFERENCES, EXPORTED_PARTICIPATIONS, EXPORTED_LISTINGS],
};
