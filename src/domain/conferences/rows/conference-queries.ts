import { type IdRange, keyset, readRange } from "../../../platform/store/rows/keyset";
import type { Statement, Store } from "../../../platform/store/store";
import {
  type Conference,
  type ConferenceAccess,
  type ConferenceOrigin,
  LEGACY_EMPTY_SECONDS,
} from "../model/conference";
import type { ConferenceState } from "../model/conference-event";

/**
 * Statements on conferences. A function takes the store, or what it uses of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** The columns of {@link ConferenceRow}, from the table with the alias `c`. */
export const CONFERENCE_COLUMNS = `c.id, c.application_id, c.name, c.seats, c.video, c.access, c.origin, c.locked, c.bitrate,
  c.empty_after_seconds, c.created_by, c.created_at, c.closed_at, c.host, c.sequence`;

/** A row of {@link CONFERENCE_COLUMNS}. */
export interface ConferenceRow {
  id: number;
  application_id: number;
  name: string;
  seats: number;
  video: boolean;
  access: ConferenceAccess;
  origin: ConferenceOrigin;
  locked: boolean;
  bitrate: number;
  empty_after_seconds: number;
  created_by: number | null;
  created_at: Date;
  closed_at: Date | null;
  host: string | null;
  sequence: number;
}

/** A conference to insert. */
export type NewConference = Pick<
  Conference,
  | "applicationId"
  | "name"
  | "seats"
  | "video"
  | "access"
  | "origin"
  | "bitrate"
  | "emptyAfterSeconds"
  | "createdBy"
>;

/** No row when another open conference for everyone has the name: then the transaction can continue. */
const INSERT: Statement = {
  name: "insert_conference",
  text: `INSERT INTO conferences AS c (application_id, name, seats, video, access, origin, bitrate,
      empty_after_seconds, created_by)
    VALUES ($1, $2, $3, $4, $5::text::conference_access, $6::text::conference_origin, $7, $8, $9)
    ON CONFLICT (application_id, name) WHERE closed_at IS NULL AND access = 'everyone' DO NOTHING RETURNING ${CONFERENCE_COLUMNS}`,
};

const BY_ID: Statement = {
  name: "conference_by_id",
  text: `SELECT ${CONFERENCE_COLUMNS} FROM conferences c WHERE c.id = $1`,
};

const BY_IDS: Statement = {
  name: "conferences_by_ids",
  text: `SELECT ${CONFERENCE_COLUMNS} FROM conferences c WHERE c.id = ANY($1::bigint[])`,
};

/** By the index of names, and by those of the user: a name may be that of any number of listed conferences. */
const OPEN_BY_NAME: Statement = {
  name: "open_conference_by_name",
  text: `SELECT ${CONFERENCE_COLUMNS} FROM conferences c WHERE c.id = coalesce(
    (SELECT min(o.id) FROM conferences o WHERE o.application_id = $1 AND o.name = $2 AND o.closed_at IS NULL
      AND o.access = 'listed' AND o.id = ANY(ARRAY(
        SELECT d.id FROM conferences d WHERE d.created_by = $3 AND d.closed_at IS NULL
        UNION ALL SELECT u.conference_id FROM conference_users u WHERE u.user_id = $3))),
    (SELECT e.id FROM conferences e WHERE e.application_id = $1 AND e.name = $2 AND e.closed_at IS NULL
      AND e.access = 'everyone'))`,
};

const byId = (name: string, condition: string) =>
  keyset(
    { name, values: 2, columns: { "c.id": "?::bigint" } },
    ({ within, order, limit }) => `SELECT ${CONFERENCE_COLUMNS} FROM conferences c
    WHERE c.application_id = $1 AND ${within} AND ${condition} ORDER BY ${order} LIMIT ${limit}`,
  );

/** Open conferences that a user may join. */
const OPEN = byId(
  "open_conferences",
  `c.closed_at IS NULL AND (c.access = 'everyone' OR c.created_by = $2
    OR EXISTS (SELECT 1 FROM conference_users u WHERE u.conference_id = c.id AND u.user_id = $2))`,
);

/** Conferences that a user has been a participant of. */
const JOINED = byId(
  "joined_conferences",
  "c.id IN (SELECT m.conference_id FROM conference_members m WHERE m.user_id = $2)",
);

/** The number first: participants that are newer come again as events. */
const SNAPSHOT: Statement = {
  name: "conference_snapshot",
  text: `SELECT ${CONFERENCE_COLUMNS} FROM conferences c WHERE c.id = $1 AND c.closed_at IS NULL`,
};

const SET_EMPTY_AFTER: Statement = {
  name: "set_conference_empty_after",
  text: "UPDATE conferences SET empty_after_seconds = $2 WHERE id = $1 AND closed_at IS NULL",
};

const PURGE: Statement = {
  name: "purge_conferences",
  text: `DELETE FROM conferences WHERE id = ANY(ARRAY(
      SELECT id FROM conferences WHERE closed_at <= $1 ORDER BY closed_at LIMIT $2::int
      FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
};

/** Inserts a conference. @returns null if another open conference for everyone has the name */
export async function insertConference(
  { query }: Pick<Store, "query">,
  conference: NewConference,
): Promise<Conference | null> {
  const { applicationId, name, seats, video, access, origin, bitrate } = conference;
  const values = [applicationId, name, seats, video, access, origin, bitrate];
  const { emptyAfterSeconds, createdBy } = conference;
  return first(await query<ConferenceRow>(INSERT, [...values, emptyAfterSeconds, createdBy]));
}

/** Writes how long a conference stays open when it is empty, for its next host. */
export async function writeEmptyAfterSeconds(
  { query }: Pick<Store, "query">,
  id: number,
  seconds: number,
): Promise<void> {
  await query(SET_EMPTY_AFTER, [id, seconds]);
}

/** Finds a conference, open or closed. */
export async function findConference(
  { query }: Pick<Store, "query">,
  id: number,
): Promise<Conference | null> {
  return first(await query<ConferenceRow>(BY_ID, [id]));
}

/** Finds conferences of any application, open or closed. */
export async function findConferences(
  { query }: Pick<Store, "query">,
  ids: number[],
): Promise<Conference[]> {
  return (await query<ConferenceRow>(BY_IDS, [ids])).map(toConference);
}

/**
 * Finds the open conference that a name means to a user: one that lists the user before the one for everyone, and of
 * several the oldest.
 */
export async function findOpenConference(
  { query }: Pick<Store, "query">,
  applicationId: number,
  name: string,
  userId: number,
): Promise<Conference | null> {
  return first(await query<ConferenceRow>(OPEN_BY_NAME, [applicationId, name, userId]));
}

/** Finds the settings of an open conference, and the number of its last event. */
export async function findSnapshot(
  { query }: Pick<Store, "query">,
  id: number,
): Promise<{ conference: ConferenceState; sequence: number } | null> {
  const [row] = await query<ConferenceRow>(SNAPSHOT, [id]);
  return row ? { conference: conferenceState(toConference(row)), sequence: row.sequence } : null;
}

/** A conference as its events have it. */
export function conferenceState(conference: Conference): ConferenceState {
  const { id, name, seats, video, access, locked, bitrate, emptyAfterSeconds } = conference;
  return { id, name, seats, video, access, locked, bitrate, emptyAfterSeconds };
}

/** Lists the open conferences that a user may join without a link, in a range of ids. */
export async function listOpenConferences(
  { query }: Pick<Store, "query">,
  applicationId: number,
  userId: number,
  range: IdRange,
): Promise<Conference[]> {
  return (await readRange<ConferenceRow>(query, OPEN, [applicationId, userId], range)).map(
    toConference,
  );
}

/** Lists the conferences that a user has been a participant of, in a range of ids. */
export async function listJoinedConferences(
  { query }: Pick<Store, "query">,
  applicationId: number,
  userId: number,
  range: IdRange,
): Promise<Conference[]> {
  return (await readRange<ConferenceRow>(query, JOINED, [applicationId, userId], range)).map(
    toConference,
  );
}

/** Deletes up to `limit` conferences that were closed by a time, with their history. @returns how many */
export async function deleteClosedConferences(
  { query }: Pick<Store, "query">,
  before: Date,
  limit: number,
): Promise<number> {
  return (await query(PURGE, [before, limit])).length;
}

function first([row]: ConferenceRow[]): Conference | null {
  return row ? toConference(row) : null;
}

/** Maps a row. */
export function toConference(row: ConferenceRow): Conference {
  return {
    id: row.id,
    applicationId: row.application_id,
    name: row.name,
    seats: row.seats,
    video: row.video,
    access: row.access,
    origin: row.origin,
    locked: row.locked,
    bitrate: row.bitrate,
    // An older node makes a legacy client's without the number.
    emptyAfterSeconds: row.origin === "legacy" ? LEGACY_EMPTY_SECONDS : row.empty_after_seconds,
    createdBy: row.created_by,
    createdAt: row.created_at,
    closedAt: row.closed_at,
    host: row.host,
    sequence: row.sequence,
  };
}
