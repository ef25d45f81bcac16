import { uniqueViolation } from "../../../platform/store/database-errors";
import type { Statement, Store } from "../../../platform/store/store";
import { nameTaken } from "../model/conference";
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

/** A node that is alone ($3) takes over at once: its predecessor is gone, whatever its lease says. */
const ACQUIRE: Statement = {
  name: "acquire_conference",
  text: `UPDATE conferences c SET host = $2, generation = generation + 1
    WHERE c.id = $1 AND c.closed_at IS NULL AND (c.host IS NULL OR c.host = $2 OR $3::boolean
      OR NOT EXISTS (SELECT 1 FROM conference_nodes n WHERE n.id = c.host AND n.lease_until > now()))
    RETURNING c.application_id, c.name, c.seats, c.video, c.access, c.origin, c.locked, c.bitrate, c.engine,
      c.engine_state, c.generation, c.sequence`,
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

const SET_STATE: Statement = {
  name: "set_conference_state",
  text: `UPDATE conferences SET name = $2, seats = $3, video = $4, access = $5::text::conference_access, locked = $6,
      bitrate = $7 WHERE id = $1`,
};

const SET_EMPTY: Statement = {
  name: "set_conference_empty",
  text: `UPDATE conferences SET empty_since = CASE WHEN EXISTS (SELECT 1 FROM conference_members m
      WHERE m.conference_id = $1 AND m.left_at IS NULL) THEN NULL ELSE coalesce(empty_since, now()) END
    WHERE id = $1`,
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

/** Conferences with participants or of legacy clients that no living node hosts: what a dead node has left behind. */
const ABANDONED: Statement = {
  name: "abandoned_conferences",
  text: `SELECT c.id FROM conferences c WHERE c.closed_at IS NULL AND c.id IN (
      SELECT m.conference_id FROM conference_members m WHERE m.left_at IS NULL AND m.lease_until < now()
      UNION ALL
      SELECT e.id FROM conferences e WHERE e.closed_at IS NULL AND e.origin = 'legacy'
        AND e.empty_since < now() - $1::int * interval '1 second')
    AND NOT EXISTS (SELECT 1 FROM conference_nodes n WHERE n.id = c.host AND n.lease_until > now())
    LIMIT 500`,
};

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
  engine: string | null;
  engine_state: unknown;
  generation: number;
  sequence: number;
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
  return (await query<AcquiredConference>(ACQUIRE, [conferenceId, node, alone]))[0] ?? null;
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
 * @throws Fault INVALID for a name that another open conference for everyone has
 */
export async function writeConference(
  { query }: Pick<Store, "query">,
  { id, name, seats, video, access, locked, bitrate }: ConferenceState,
): Promise<void> {
  try {
    await query(SET_STATE, [id, name, seats, video, access, locked, bitrate]);
  } catch (error) {
    throw uniqueViolation(error)?.includes("name") ? nameTaken() : error;
  }
}

/** Notes whether a conference is empty, and since when. */
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

/**
 * Finds up to 500 conferences without a living host that have participants whose lease has ended, or that belong to
 * legacy clients and have been empty for some seconds.
 */
export async function findAbandoned(
  { query }: Pick<Store, "query">,
  emptySeconds: number,
): Promise<number[]> {
  return (await query<{ id: number }>(ABANDONED, [emptySeconds])).map(({ id }) => id);
}
