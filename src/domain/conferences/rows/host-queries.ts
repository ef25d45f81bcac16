import { uniqueViolation } from "../../../platform/store/database-errors";
import type { Statement, Store } from "../../../platform/store/store";
import { LEGACY_EMPTY_SECONDS, nameTaken } from "../model/conference";
import type { ConferenceState } from "../model/conference-event";

/**
 * Statements on who hosts a conference, and on the row that a host changes: conference_nodes and conferences. A
 * function throws Fault UNAVAILABLE if the database cannot be reached.
 */

/**
 * How long a node's lease lasts after its renewal, in seconds. It decides alone when others may take over: that a node
 * which was taken for dead changes nothing any more is held by the generation in the row ({@link advanceConference}).
 */
const NODE_LEASE_S = 2;

/** Leases compare the clock of the database, so that the clocks of nodes need not agree. */
const RENEW_NODE: Statement = {
  name: "renew_conference_node",
  text: `INSERT INTO conference_nodes (id, lease_until) VALUES ($1, now() + interval '${NODE_LEASE_S} seconds')
    ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`,
};

const DELETE_NODE: Statement = {
  name: "delete_conference_node",
  text: "DELETE FROM conference_nodes WHERE id = $1",
};

const PURGE_NODES: Statement = {
  name: "purge_conference_nodes",
  text: "DELETE FROM conference_nodes WHERE lease_until < now() - interval '1 hour'",
};

/**
 * When a conference (c) closes; null while it has participants, before the first one, and if it stays open. It is
 * computed again, because an older node sets `empty_since` alone.
 */
const CLOSES_AT = `CASE WHEN c.origin = 'legacy' THEN c.empty_since + interval '${LEGACY_EMPTY_SECONDS} seconds'
    WHEN c.closes_at IS NOT NULL THEN c.empty_since + c.empty_after_seconds * interval '1 second' END`;

/** A node that is alone ($3) takes over at once: its predecessor is gone, whatever its lease says. */
const ACQUIRE: Statement = {
  name: "acquire_conference",
  text: `UPDATE conferences c SET host = $2, generation = generation + 1
    WHERE c.id = $1 AND c.closed_at IS NULL AND (c.host IS NULL OR c.host = $2 OR $3::boolean
      OR NOT EXISTS (SELECT 1 FROM conference_nodes n WHERE n.id = c.host AND n.lease_until > now()))
    RETURNING c.application_id, c.name, c.seats, c.video, c.access, c.origin, c.locked, c.bitrate,
      c.empty_after_seconds, c.engine, c.engine_state, c.generation, c.sequence, c.empty_since IS NOT NULL AS is_empty,
      ${CLOSES_AT} AS due_at, now() AS read_at`,
};

const HOST_OF: Statement = {
  name: "host_of_conference",
  text: "SELECT host, closed_at FROM conferences WHERE id = $1",
};

/** Also the lock under which seats are counted, and the check that this node still is the host. */
const ADVANCE: Statement = {
  name: "advance_conference",
  text: `UPDATE conferences SET sequence = sequence + 1
    WHERE id = $1 AND host = $2 AND generation = $3 AND closed_at IS NULL RETURNING sequence`,
};

/**
 * An empty one closes from now on as the new number says, if it has had a participant. Participants are deleted with their
 * user: then `closes_at` says so.
 */
const SET_STATE: Statement = {
  name: "set_conference_state",
  text: `UPDATE conferences c SET name = $2, seats = $3, video = $4, access = $5::text::conference_access, locked = $6,
      bitrate = $7, empty_after_seconds = $8::int,
      closes_at = CASE WHEN $8::int > 0 AND (c.closes_at IS NOT NULL
          OR EXISTS (SELECT 1 FROM conference_members m WHERE m.conference_id = $1))
        THEN c.empty_since + $8::int * interval '1 second' END
    WHERE c.id = $1 RETURNING ${CLOSES_AT} AS due_at, now() AS read_at`,
};

/** For after a change of seats: if nobody has one, somebody had. */
const SET_EMPTY: Statement = {
  name: "set_conference_empty",
  text: `UPDATE conferences c SET (empty_since, closes_at) = (
      SELECT e.since, CASE WHEN c.empty_after_seconds > 0 THEN e.since + c.empty_after_seconds * interval '1 second' END
      FROM (SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM conference_members m
          WHERE m.conference_id = $1 AND m.left_at IS NULL) THEN coalesce(c.empty_since, now()) END AS since) e)
    WHERE c.id = $1`,
};

const CLOSE: Statement = {
  name: "close_conference",
  text: "UPDATE conferences SET closed_at = now(), host = NULL, engine_state = NULL WHERE id = $1",
};

const RELEASE: Statement = {
  name: "release_conference",
  text: "UPDATE conferences SET host = NULL WHERE id = $1 AND host = $2 AND generation = $3",
};

const SET_ENGINE: Statement = {
  name: "set_conference_engine",
  text: `UPDATE conferences SET engine = $4, engine_state = $5::text::jsonb
    WHERE id = $1 AND host = $2 AND generation = $3`,
};

const NEXT_GENERATION: Statement = {
  name: "next_conference_generation",
  text: `UPDATE conferences SET generation = generation + 1, engine_state = NULL
    WHERE id = $1 AND host = $2 AND generation = $3 RETURNING generation`,
};

/** Of the conferences that this node knows, those that no living node hosts. */
const ORPHANED: Statement = {
  name: "orphaned_conferences",
  text: `SELECT c.id FROM conferences c WHERE c.id = ANY($1::bigint[]) AND c.closed_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM conference_nodes n WHERE n.id = c.host AND n.lease_until > now())`,
};

const TAKEN_OVER: Statement = {
  name: "conferences_taken_over",
  text: `SELECT id FROM conferences
    WHERE id = ANY($1::bigint[]) AND (host IS DISTINCT FROM $2 OR closed_at IS NOT NULL)`,
};

/**
 * Conferences without a living host that have something to do: those with participants, also with such that have been
 * deleted while no host lived, and empty ones that are due.
 */
const ABANDONED: Statement = {
  name: "abandoned_conferences",
  text: `SELECT c.id FROM conferences c WHERE c.closed_at IS NULL AND c.id IN (
      SELECT o.id FROM conferences o WHERE o.closed_at IS NULL AND o.empty_since IS NULL
      UNION ALL
      SELECT l.id FROM conferences l WHERE l.closed_at IS NULL AND l.origin = 'legacy'
        AND l.empty_since < now() - interval '${LEGACY_EMPTY_SECONDS} seconds'
      UNION ALL
      SELECT d.id FROM conferences d WHERE d.closed_at IS NULL AND d.closes_at < now())
    AND (c.empty_since IS NULL OR ${CLOSES_AT} < now())
    AND NOT EXISTS (SELECT 1 FROM conference_nodes n WHERE n.id = c.host AND n.lease_until > now())
    LIMIT 500`,
};

/** When a conference closes, and the time of the database then. */
interface Closing {
  due_at: Date | null;
  read_at: Date;
}

/** A conference that this node has begun to host. */
export interface AcquiredConference {
  application_id: number;
  name: string;
  seats: number;
  video: boolean;
  access: "everyone" | "listed";
  origin: "graphql" | "legacy";
  locked: boolean;
  bitrate: number;
  empty_after_seconds: number;
  engine: string | null;
  engine_state: unknown;
  generation: number;
  sequence: number;
  /** Whether the row says that it has no participants. */
  is_empty: boolean;
  /** Time until it closes, in milliseconds, negative if it is due; null as {@link CLOSES_AT}. */
  closes_in_ms: number | null;
}

/** Names the host that a statement requires: no row changes when another node has taken over. */
export interface HostRef {
  conferenceId: number;
  node: string;
  generation: number;
}

/** Renews the lease of a node. */
export async function renewNode({ query }: Pick<Store, "query">, node: string): Promise<void> {
  await query(RENEW_NODE, [node]);
}

/** Ends the lease of a node, so that others take over at once. */
export async function deleteNode({ query }: Pick<Store, "query">, node: string): Promise<void> {
  await query(DELETE_NODE, [node]);
}

/** Deletes the rows of nodes that have been gone for an hour. */
export async function purgeNodes({ query }: Pick<Store, "query">): Promise<void> {
  await query(PURGE_NODES, []);
}

/**
 * Makes a node the host of an open conference that no living node hosts.
 * @param alone whether there is no other node
 * @returns null if another node hosts it, or it is closed or does not exist
 */
export async function acquireConference(
  { query }: Pick<Store, "query">,
  conferenceId: number,
  node: string,
  alone: boolean,
): Promise<AcquiredConference | null> {
  type Row = Omit<AcquiredConference, "closes_in_ms"> & Closing;
  const [row] = await query<Row>(ACQUIRE, [conferenceId, node, alone]);
  return row ? { ...row, closes_in_ms: closesInMs(row) } : null;
}

/** Finds the host of a conference; undefined if the conference is closed or does not exist. */
export async function findHost(
  { query }: Pick<Store, "query">,
  conferenceId: number,
): Promise<string | null | undefined> {
  const [row] = await query<{ host: string | null; closed_at: Date | null }>(HOST_OF, [
    conferenceId,
  ]);
  return row === undefined || row.closed_at !== null ? undefined : row.host;
}

/**
 * Locks a conference until the end of the transaction, and counts one more event.
 * @returns the number of the event; null if another node hosts the conference, or it is closed
 */
export async function advanceConference(
  { query }: Pick<Store, "query">,
  { conferenceId, node, generation }: HostRef,
): Promise<number | null> {
  const [row] = await query<{ sequence: number }>(ADVANCE, [conferenceId, node, generation]);
  return row?.sequence ?? null;
}

/**
 * Writes the settings of a conference.
 * @returns the time until it closes, in milliseconds; null while it has participants, before the first one, and if it
 *   stays open
 * @throws Fault INVALID for a name that another open conference for everyone has
 */
export async function writeConference(
  { query }: Pick<Store, "query">,
  conference: ConferenceState,
): Promise<number | null> {
  const { id, name, seats, video, access, locked, bitrate, emptyAfterSeconds } = conference;
  const values = [id, name, seats, video, access, locked, bitrate, emptyAfterSeconds];
  try {
    const [row] = await query<Closing>(SET_STATE, values);
    return row ? closesInMs(row) : null;
  } catch (error) {
    throw uniqueViolation(error)?.includes("name") ? nameTaken() : error;
  }
}

/** By the clock of the database, so that those of nodes need not agree. */
function closesInMs({ due_at, read_at }: Closing): number | null {
  return due_at && due_at.getTime() - read_at.getTime();
}

/** Notes whether a conference is empty, since when, and when it closes. */
export async function noteEmpty(
  { query }: Pick<Store, "query">,
  conferenceId: number,
): Promise<void> {
  await query(SET_EMPTY, [conferenceId]);
}

/** Closes a conference. */
export async function closeConferenceRow(
  { query }: Pick<Store, "query">,
  conferenceId: number,
): Promise<void> {
  await query(CLOSE, [conferenceId]);
}

/** Ends the hosting of a conference. */
export async function releaseConference(
  { query }: Pick<Store, "query">,
  { conferenceId, node, generation }: HostRef,
): Promise<void> {
  await query(RELEASE, [conferenceId, node, generation]);
}

/** Stores what the engine needs to resume. */
export async function writeEngineState(
  { query }: Pick<Store, "query">,
  { conferenceId, node, generation }: HostRef,
  engine: string,
  state: object,
): Promise<void> {
  await query(SET_ENGINE, [conferenceId, node, generation, engine, JSON.stringify(state)]);
}

/** Raises the generation after the engine was lost. @returns null if another node hosts the conference */
export async function nextGeneration(
  { query }: Pick<Store, "query">,
  { conferenceId, node, generation }: HostRef,
): Promise<number | null> {
  const [row] = await query<{ generation: number }>(NEXT_GENERATION, [
    conferenceId,
    node,
    generation,
  ]);
  return row?.generation ?? null;
}

/** Of the conferences that a node believes to host, those that it does not: another one has taken over. */
export async function findTakenOver(
  { query }: Pick<Store, "query">,
  conferenceIds: number[],
  node: string,
): Promise<number[]> {
  return (await query<{ id: number }>(TAKEN_OVER, [conferenceIds, node])).map(({ id }) => id);
}

/** Finds which of the open conferences no living node hosts. */
export async function findOrphaned(
  { query }: Pick<Store, "query">,
  conferenceIds: number[],
): Promise<number[]> {
  return (await query<{ id: number }>(ORPHANED, [conferenceIds])).map(({ id }) => id);
}

/** Finds up to 500 conferences without a living host that have participants, or have been empty until they close. */
export async function findAbandoned({ query }: Pick<Store, "query">): Promise<number[]> {
  return (await query<{ id: number }>(ABANDONED, [])).map(({ id }) => id);
}
