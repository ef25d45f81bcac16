import { exportedList } from "../../../platform/store/rows/exported-list";
import type { Statement } from "../../../platform/store/store";

/** Statements that export what is stored of a user: conferences, their participants, listings and links. */

/** A UNION, so that each part uses an index. The state of the engine is no data of the user. */
const CONFERENCES: Statement = {
  name: "export_conferences",
  text: `SELECT to_jsonb(c) - 'engine_state' - 'host' AS row, jsonb_build_array(c.id) AS next
    FROM (SELECT d.id FROM conferences d WHERE d.created_by = $1 AND d.id > $2
        UNION SELECT k.conference_id FROM conference_members k
          WHERE k.user_id = $1 AND k.conference_id > $2
        ORDER BY 1 LIMIT $3::int) AS found
      JOIN conferences c ON c.id = found.id
    ORDER BY c.id`,
};

const PARTICIPATIONS: Statement = {
  name: "export_conference_participants",
  text: `SELECT to_jsonb(m) AS row, jsonb_build_array(m.id) AS next FROM conference_members m
    WHERE m.user_id = $1 AND m.id > $2 ORDER BY m.id LIMIT $3::int`,
};

const LISTINGS: Statement = {
  name: "export_conference_users",
  text: `SELECT to_jsonb(u) AS row, jsonb_build_array(u.conference_id) AS next FROM conference_users u
    WHERE u.user_id = $1 AND u.conference_id > $2 ORDER BY u.conference_id LIMIT $3::int`,
};

const LINKS: Statement = {
  name: "export_conference_links",
  text: `SELECT to_jsonb(l) - 'secret_hash' AS row, jsonb_build_array(l.id) AS next FROM conference_links l
    WHERE l.created_by = $1 AND l.id > $2 ORDER BY l.id LIMIT $3::int`,
};

/** The conferences that a user has created or been a participant of, in an export. */
export const EXPORTED_CONFERENCES = exportedList("conferences", CONFERENCES);

/** The times of a user as a participant of conferences, in an export. */
export const EXPORTED_PARTICIPATIONS = exportedList("conference_participations", PARTICIPATIONS);

/** The conferences that a user is listed for, in an export. */
export const EXPORTED_LISTINGS = exportedList("conference_listings", LISTINGS);

/** The links for guests that a user has made, in an export. */
export const EXPORTED_LINKS = exportedList("conference_links", LINKS);
