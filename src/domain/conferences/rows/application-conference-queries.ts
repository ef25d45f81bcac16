import type { Statement, Store } from "../../../platform/store/store";
import type { IdRange } from "../../paging/page";
import type { Conference } from "../model/conference";
import { CONFERENCE_COLUMNS, type ConferenceRow, toConference } from "./conference-queries";

/**
 * Statements on all conferences of an application, for the members of its account. A function throws Fault UNAVAILABLE if
 * the database cannot be reached.
 */

/** The open and the closed conferences have indexes of their own; what is not wanted is not read. */
const PARTS = [
  { isWanted: "$2::boolean IS NOT FALSE", condition: "c.closed_at IS NULL" },
  { isWanted: "$2::boolean IS NOT TRUE", condition: "c.closed_at IS NOT NULL" },
] as const;

const unionOfParts = (part: (condition: string, isWanted: string) => string) =>
  PARTS.map(({ condition, isWanted }) => `(${part(condition, isWanted)})`).join(" UNION ALL ");

const ofApplication = (name: string, direction: "ASC" | "DESC"): Statement => ({
  name,
  text: `SELECT c.* FROM (${unionOfParts(
    (condition, isWanted) => `SELECT ${CONFERENCE_COLUMNS} FROM conferences c
      WHERE ${isWanted} AND c.application_id = $1 AND ${condition} AND c.id > $3 AND c.id < $4
      ORDER BY c.id ${direction} LIMIT $5::int`,
  )}) AS c ORDER BY c.id ${direction} LIMIT $5::int`,
});
const BY_ID = {
  descending: ofApplication("application_conferences", "DESC"),
  ascending: ofApplication("application_conferences_ascending", "ASC"),
};

/** The name as the index has it: regardless of case, in the order of code points. */
const KEY = 'lower(c.name) COLLATE "C"';

/** Those whose names begin with a text, whatever the case. Nothing sorts after U+10FFFF. */
const ofApplicationByName = (
  name: string,
  direction: "ASC" | "DESC",
  bound: ">" | "<",
): Statement => ({
  name,
  text: `SELECT c.* FROM (${unionOfParts(
    (condition, isWanted) => `SELECT ${CONFERENCE_COLUMNS} FROM conferences c
      WHERE ${isWanted} AND c.application_id = $1 AND ${condition}
        AND ${KEY} >= lower($3::text) COLLATE "C"
        AND ${KEY} < (lower($3::text) || chr(1114111)) COLLATE "C"
        AND ($4::text IS NULL OR (${KEY}, c.id) ${bound} (lower($4::text) COLLATE "C", $5::bigint))
      ORDER BY ${KEY} ${direction}, c.id ${direction} LIMIT $6::int`,
  )}) AS c ORDER BY ${KEY} ${direction}, c.id ${direction} LIMIT $6::int`,
});
const BY_NAME = {
  ascending: ofApplicationByName("application_conferences_by_name", "ASC", ">"),
  descending: ofApplicationByName("application_conferences_by_name_descending", "DESC", "<"),
};

const LIVE: Statement = {
  name: "live_conferences",
  text: `SELECT c.id FROM conferences c
    WHERE c.application_id = $1 AND c.closed_at IS NULL AND c.empty_since IS NULL ORDER BY c.id DESC LIMIT $2::int`,
};

/** A position in a list by name. */
export interface NamePosition {
  name: string;
  id: number;
}

type Query = Pick<Store, "query">;

/** Lists the conferences of an application in a range of ids. @param open null for open and closed ones */
export async function listApplicationConferences(
  { query }: Query,
  applicationId: number,
  open: boolean | null,
  { above, below, descending, limit }: IdRange,
): Promise<Conference[]> {
  const statement = descending ? BY_ID.descending : BY_ID.ascending;
  const values = [applicationId, open, above, below, limit];
  return (await query<ConferenceRow>(statement, values)).map(toConference);
}

/** Which conferences to list by name. */
export interface NamedConferences {
  applicationId: number;
  open: boolean | null;
  /** How their names begin. */
  prefix: string;
}

/** Lists conferences of an application by name, behind a position or before it. @param descending whether before it */
export async function listConferencesByName(
  { query }: Query,
  { applicationId, open, prefix }: NamedConferences,
  position: NamePosition | null,
  descending: boolean,
  limit: number,
): Promise<Conference[]> {
  const statement = descending ? BY_NAME.descending : BY_NAME.ascending;
  const from = [position?.name ?? null, position?.id ?? 0];
  const values = [applicationId, open, prefix, ...from, limit];
  return (await query<ConferenceRow>(statement, values)).map(toConference);
}

/** Finds up to `limit` conferences of an application with members, newest first. */
export async function findLiveConferences(
  { query }: Query,
  applicationId: number,
  limit: number,
): Promise<number[]> {
  return (await query<{ id: number }>(LIVE, [applicationId, limit])).map(({ id }) => id);
}
