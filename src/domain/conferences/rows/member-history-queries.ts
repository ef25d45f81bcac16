import type { Statement, Store } from "../../../platform/store/store";
import type { IdRange } from "../../paging/page";
import { MEMBER_COLUMNS, type Member, type MemberRow, toMember } from "./member-queries";

/** Statements on the history of a conference: conference_members, also those who have left. */

const history = (name: string, direction: "ASC" | "DESC"): Statement => ({
  name,
  text: `SELECT ${MEMBER_COLUMNS} FROM conference_members m WHERE m.conference_id = $1 AND m.id > $2 AND m.id < $3
      AND ($5::bigint IS NULL OR m.number = $5)
    ORDER BY m.id ${direction} LIMIT $4`,
});
const HISTORY = {
  descending: history("conference_history", "DESC"),
  ascending: history("conference_history_ascending", "ASC"),
};

const WAS_MEMBER: Statement = {
  name: "was_conference_member",
  text: "SELECT 1 AS one FROM conference_members WHERE conference_id = $1 AND number = $2 LIMIT 1",
};

/**
 * Lists who has been a member of a conference, in a range of ids.
 * @param number the only member to list; null for all
 */
export async function listMemberHistory(
  { query }: Pick<Store, "query">,
  conferenceId: number,
  { above, below, descending, limit }: IdRange,
  number: number | null,
): Promise<Member[]> {
  const statement = descending ? HISTORY.descending : HISTORY.ascending;
  return (await query<MemberRow>(statement, [conferenceId, above, below, limit, number])).map(
    toMember,
  );
}

/** Whether a number is or has been a member of a conference. */
export async function wasMember(
  { query }: Pick<Store, "query">,
  conferenceId: number,
  number: number,
): Promise<boolean> {
  return (await query(WAS_MEMBER, [conferenceId, number])).length > 0;
}
