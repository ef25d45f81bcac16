import { type IdRange, keyset, readRange } from "../../../platform/store/rows/keyset";
import type { Statement, Store } from "../../../platform/store/store";
import { MEMBER_COLUMNS, type Member, type MemberRow, toMember } from "./member-queries";

/** Statements on the history of a conference: conference_members, also those who have left. */

const HISTORY = keyset(
  { name: "conference_history", values: 2, columns: { "m.id": "?::bigint" } },
  ({ within, order, limit }) => `SELECT ${MEMBER_COLUMNS} FROM conference_members m
    WHERE m.conference_id = $1 AND ${within} AND ($2::bigint IS NULL OR m.number = $2)
    ORDER BY ${order} LIMIT ${limit}`,
);

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
  range: IdRange,
  number: number | null,
): Promise<Member[]> {
  return (await readRange<MemberRow>(query, HISTORY, [conferenceId, number], range)).map(toMember);
}

/** Whether a number is or has been a member of a conference. */
export async function wasMember(
  { query }: Pick<Store, "query">,
  conferenceId: number,
  number: number,
): Promise<boolean> {
  return (await query(WAS_MEMBER, [conferenceId, number])).length > 0;
}
