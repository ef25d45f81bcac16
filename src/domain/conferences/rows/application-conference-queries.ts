import {
  type IdRange,
  type KeysetRange,
  keyset,
  readRange,
} from "../../../platform/store/rows/keyset";
import type { Statement, Store } from "../../../platform/store/store";
import type { Conference } from "../model/conference";
import { CONFERENCE_COLUMNS, type ConferenceRow, toConference } from "./conference-queries";

/**
 * Statements on all conferences of an application, for the members of its account. A function throws Fault UNAVAILABLE
 * if the database cannot be reached.
 */

/** The open and the closed conferences have indexes of their own; what is not wanted is not read. */
const PARTS = [
  { isWanted: "$2::boolean IS NOT FALSE", condition: "c.closed_at IS NULL" },
  { isWanted: "$2::boolean IS NOT TRUE", condition: "c.closed_at IS NOT NULL" },
] as const;

const unionOfParts = (part: (condition: string, isWanted: string) => string) =>
  PARTS.map(({ condition, isWanted }) => `(${part(condition, isWanted)})`).join(" UNION ALL ");

const BY_ID = keyset(
  { name: "application_conferences", values: 2, columns: { "c.id": "?::bigint" } },
  ({ within, order, limit }) =>
    `SELECT c.* FROM (${unionOfParts(
      (condition, isWanted) => `SELECT ${CONFERENCE_COLUMNS} FROM conferences c
      WHERE ${isWanted} AND c.application_id = $1 AND ${condition} AND ${within}
      ORDER BY ${order} LIMIT ${limit}`,
    )}) AS c ORDER BY ${order} LIMIT ${limit}`,
);

/** The name as the index has it: regardless of case, in the order of code points. */
const KEY = 'lower(c.name) COLLATE "C"';

/** Those whose names begin with a text ($3), whatever the case. Nothing sorts after U+10FFFF. */
const BY_NAME = keyset(
  {
    name: "application_conferences_by_name",
    values: 3,
    columns: { [KEY]: 'lower(?::text) COLLATE "C"', "c.id": "?::bigint" },
  },
  ({ within, order, limit }) =>
    `SELECT c.* FROM (${unionOfParts(
      (condition, isWanted) => `SELECT ${CONFERENCE_COLUMNS} FROM conferences c
      WHERE ${isWanted} AND c.application_id = $1 AND ${condition}
        AND ${KEY} >= lower($3::text) COLLATE "C"
        AND ${KEY} < (lower($3::text) || chr(1114111)) COLLATE "C" AND ${within}
      ORDER BY ${order} LIMIT ${limit}`,
    )}) AS c ORDER BY ${order} LIMIT ${limit}`,
);

const LIVE: Statement = {
  name: "live_conferences",
  text: `SELECT c.id FROM conferences c
    WHERE c.application_id = $1 AND c.closed_at IS NULL AND c.empty_since IS NULL ORDER BY c.id DESC LIMIT $2::int`,
};

type Query = Pick<Store, "query">;

/** Which conferences of an application to list. */
export interface ListedConferences {
  applicationId: number;
  /** Null for open and closed ones. */
  open: boolean | null;
}

/** Lists conferences in a range of ids, in its direction. */
export async function listApplicationConferences(
  { query }: Query,
  { applicationId, open }: ListedConferences,
  range: IdRange,
): Promise<Conference[]> {
  return (await readRange<ConferenceRow>(query, BY_ID, [applicationId, open], range)).map(
    toConference,
  );
}

/** Lists conferences whose names begin with a text in a range of names and ids, in its direction. */
export async function listConferencesByName(
  { query }: Query,
  { applicationId, open }: ListedConferences,
  prefix: string,
  range: KeysetRange<readonly [name: string, id: number]>,
): Promise<Conference[]> {
  return (await readRange<ConferenceRow>(query, BY_NAME, [applicationId, open, prefix], range)).map(
    toConference,
  );
}

/** Finds up to `limit` conferences of an application with participants, newest first. */
export async function findLiveConferences(
  { query }: Query,
  applicationId: number,
  limit: number,
): Promise<number[]> {
  return (await query<{ id: number }>(LIVE, [applicationId, limit])).map(({ id }) => id);
}
