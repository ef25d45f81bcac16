import { exportRows } from "../../store/rows/export-rows";
import type { Statement, Store } from "../../store/store";

/** Statements that export what is stored of a user: conferences, conference_members and conference_users. */

/** A UNION, so that each part uses an index. The state of the engine is no data of the user. */
const CONFERENCES: Statement = {
  name: "export_conferences",
  reason: "expression",
  text: `SELECT to_jsonb(c) - 'engine_state' - 'host' || jsonb_build_object('participations', coalesce(
      (SELECT jsonb_agg(to_jsonb(m) ORDER BY m.id) FROM conference_members m
        WHERE m.conference_id = c.id AND m.user_id = $1), '[]'::jsonb)) AS row
    FROM (SELECT d.id FROM conferences d WHERE d.created_by = $1
        UNION SELECT k.conference_id FROM conference_members k WHERE k.user_id = $1) AS found
      JOIN conferences c ON c.id = found.id
    ORDER BY c.id`,
};

const LISTINGS: Statement = {
  name: "export_conference_users",
  reason: "expression",
  text: `SELECT to_jsonb(u) AS row FROM conference_users u WHERE u.user_id = $1 ORDER BY u.conference_id`,
};

/** Exports the conferences that a user has created or been a member of, with the user's participations. */
export function exportConferences(query: Store["query"], userId: number): Promise<unknown[]> {
  return exportRows(query, CONFERENCES, [userId]);
}

/** Exports for which conferences a user is listed. */
export function exportConferenceUsers(query: Store["query"], userId: number): Promise<unknown[]> {
  return exportRows(query, LISTINGS, [userId]);
}
