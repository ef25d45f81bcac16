import { type IdRange, keyset, readRange } from "../../../platform/store/rows/keyset";
import type { Statement, Store } from "../../../platform/store/store";
import {
  type ConferenceParticipantRow,
  PARTICIPANT_COLUMNS,
  type Participant,
  toParticipant,
} from "./participant-queries";

/** Statements on the history of a conference: conference_members, also those who have left. */

const HISTORY = keyset(
  { name: "conference_history", values: 2, columns: { "m.id": "?::bigint" } },
  ({ within, order, limit }) => `SELECT ${PARTICIPANT_COLUMNS} FROM conference_members m
    WHERE m.conference_id = $1 AND ${within} AND ($2::bigint IS NULL OR m.number = $2)
    ORDER BY ${order} LIMIT ${limit}`,
);

const WAS_PARTICIPANT: Statement = {
  name: "was_conference_participant",
  text: "SELECT 1 AS one FROM conference_members WHERE conference_id = $1 AND number = $2 LIMIT 1",
};

/**
 * Lists who has been a participant of a conference, in a range of ids.
 * @param number the only participant to list; null for all
 */
export async function listParticipantHistory(
  { query }: Pick<Store, "query">,
  conferenceId: number,
  range: IdRange,
  number: number | null,
): Promise<Participant[]> {
  return (
    await readRange<ConferenceParticipantRow>(query, HISTORY, [conferenceId, number], range)
  ).map(toParticipant);
}

/** Whether a number is or has been a participant of a conference. */
export async function wasParticipant(
  { query }: Pick<Store, "query">,
  conferenceId: number,
  number: number,
): Promise<boolean> {
  return (await query(WAS_PARTICIPANT, [conferenceId, number])).length > 0;
}
