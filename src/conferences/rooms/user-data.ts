import type { UserData } from "../../users/user-deps";
import { exportConferences, exportConferenceUsers } from "../rows/export-queries";

/**
 * The conferences of users: what they created, where they are listed, and their times as members. Deleting a user
 * deletes the last two by cascade; a conference stays for the others, without its creator.
 */
export const conferenceUserData: UserData = {
  exportUser: async (query, userId) => ({
    conferences: await exportConferences(query, userId),
    conference_listings: await exportConferenceUsers(query, userId),
  }),
};
