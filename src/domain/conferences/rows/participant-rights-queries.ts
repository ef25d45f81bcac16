import type { Statement, Store } from "../../../platform/store/store";
import type { LeaveReason } from "../model/conference-event";

/**
 * Statements on what participants may do: conference_members beside the lists and guests of their conferences. A
 * function throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** Whether a participant has created the conference for itself and others, rather than by the first join. */
const CREATED = "(c.origin = 'graphql' AND c.created_by IS NOT DISTINCT FROM m.user_id)";

/** As rights are at a join: rooms/access.ts. */
const CHANGED: Statement = {
  name: "changed_participant_rights",
  text: `SELECT m.id, m.conference_id, ${CREATED} OR coalesce(u.moderator, false) AS moderator,
      CASE WHEN m.user_id IS NULL AND g.id IS NULL THEN 'link-withdrawn'
        WHEN m.user_id IS NULL THEN 'session-ended'
        WHEN c.access = 'listed' AND c.created_by IS DISTINCT FROM m.user_id AND u.user_id IS NULL THEN 'removed'
      END AS leave_reason
    FROM conference_members m JOIN conferences c ON c.id = m.conference_id
      LEFT JOIN conference_guests g ON m.user_id IS NULL AND g.id = m.number
      LEFT JOIN conference_users u ON u.conference_id = m.conference_id AND u.user_id = m.user_id
    WHERE m.conference_id = ANY($1::bigint[]) AND m.left_at IS NULL AND CASE WHEN m.user_id IS NULL
        THEN g.id IS NULL OR g.expires_at <= $2
      ELSE m.moderator <> (${CREATED} OR coalesce(u.moderator, false))
        OR (c.access = 'listed' AND c.created_by IS DISTINCT FROM m.user_id AND u.user_id IS NULL) END`,
};

const SET_MODERATOR: Statement = {
  name: "set_participant_moderator",
  text: "UPDATE conference_members SET moderator = $2 WHERE id = $1 AND left_at IS NULL",
};

/** A participant whose rights are no longer those of its row. */
export interface ChangedRights {
  participantId: number;
  conferenceId: number;
  /** Why it may not be in the conference any more; null if it may. */
  leaveReason: LeaveReason | null;
  moderator: boolean;
}

/**
 * Finds the participants of conferences whose rights have changed: guests whose link has ended or whose token has
 * expired, users who are no longer listed, and those who have begun or ceased to moderate.
 */
export async function findChangedRights(
  { query }: Pick<Store, "query">,
  conferenceIds: number[],
  now: Date,
): Promise<ChangedRights[]> {
  const rows = await query<{
    id: number;
    conference_id: number;
    moderator: boolean;
    leave_reason: LeaveReason | null;
  }>(CHANGED, [conferenceIds, now]);
  return rows.map(({ id, conference_id: conferenceId, moderator, leave_reason: leaveReason }) => ({
    participantId: id,
    conferenceId,
    moderator,
    leaveReason,
  }));
}

/** Writes whether a participant moderates. */
export async function writeModerator(
  { query }: Pick<Store, "query">,
  participantId: number,
  moderator: boolean,
): Promise<void> {
  await query(SET_MODERATOR, [participantId, moderator]);
}
