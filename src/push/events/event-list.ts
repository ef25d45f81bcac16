import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import type { AccountViewer, UserViewer } from "../../core/viewer";
import type { Statement } from "../../store/store";
import { type PushDeps } from "../deps/push-deps";
import { EVENT_COLUMNS, type EventRow, type PushEvent, toEvent } from "./push-event";

/** Default and maximum number of events per page. */
export const PAGE_MAX = 100;

const LIST: Statement = {
  name: "push_events_of_user",
  text: `SELECT ${EVENT_COLUMNS} FROM push_events e WHERE e.user_id = $1 AND e.id < $2
    ORDER BY e.id DESC LIMIT $3`,
};

const LIST_OWNED: Statement = {
  name: "push_events_of_application",
  text: `SELECT ${EVENT_COLUMNS} FROM push_events e WHERE e.application_id = $1 AND e.id < $2
    ORDER BY e.id DESC LIMIT $3`,
};

const FIND: Statement = {
  name: "push_event_of_user",
  text: `SELECT ${EVENT_COLUMNS} FROM push_events e WHERE e.id = $1 AND e.user_id = $2`,
};

const FIND_OWNED: Statement = {
  name: "push_event_of_account",
  text: `SELECT ${EVENT_COLUMNS} FROM push_events e JOIN applications a ON a.id = e.application_id
    WHERE e.id = $1 AND a.account_id = $2`,
};

const STOP: Statement = {
  name: "stop_push_event",
  text: `WITH e AS (UPDATE push_events SET active = false, next_run_at = NULL, expanded_to = NULL,
      expanded_sub = NULL, dispatched_at = coalesce(dispatched_at, $3), updated_at = $3 WHERE id = $1 AND user_id = $2 RETURNING *)
    SELECT ${EVENT_COLUMNS} FROM e`,
};

const DELETE: Statement = {
  name: "delete_push_event",
  text: "DELETE FROM push_events WHERE id = $1 AND user_id = $2 RETURNING id",
};

/** A page to list: up to `first` events after the cursor `after`. */
export interface PageRequest {
  first?: number | null;
  after?: string | null;
}

/** A page of events. */
export interface EventPage {
  nodes: PushEvent[];
  hasNextPage: boolean;
}

/** Lists a page of the viewer's events, newest first. @throws Fault INVALID on `first` or `after` */
export function listEvents(
  deps: PushDeps,
  { userId }: UserViewer,
  page: PageRequest,
): Promise<EventPage> {
  return listPage(deps, LIST, userId, page);
}

/** Lists a page of an application's events, newest first. @throws Fault INVALID on `first` or `after` */
export function listApplicationEvents(
  deps: PushDeps,
  applicationId: number,
  page: PageRequest,
): Promise<EventPage> {
  return listPage(deps, LIST_OWNED, applicationId, page);
}

/** Finds one of the viewer's events; null if there is none. */
export async function findEvent(
  deps: PushDeps,
  { userId }: UserViewer,
  id: string,
): Promise<PushEvent | null> {
  return findOne(deps, FIND, id, userId);
}

/** Finds an event of the account's applications; null if there is none. */
export async function findAccountEvent(
  deps: PushDeps,
  { accountId }: AccountViewer,
  id: string,
): Promise<PushEvent | null> {
  return findOne(deps, FIND_OWNED, id, accountId);
}

/**
 * Stops one of the viewer's events: it creates no further deliveries. Existing deliveries are still sent.
 * @throws Fault NOT_FOUND
 */
export async function stopEvent(
  deps: PushDeps,
  { userId }: UserViewer,
  id: string,
): Promise<PushEvent> {
  const [row] = await deps.store.query<EventRow>(STOP, [
    parseId(id) ?? 0,
    userId,
    new Date(deps.clock.now()),
  ]);
  if (!row) throw eventNotFound();
  return toEvent(row);
}

/**
 * Deletes one of the viewer's events with its deliveries, including unsent ones.
 * @throws Fault NOT_FOUND
 */
export async function deleteEvent(
  deps: PushDeps,
  { userId }: UserViewer,
  id: string,
): Promise<number> {
  const [row] = await deps.store.query<{ id: number }>(DELETE, [parseId(id) ?? 0, userId]);
  if (!row) throw eventNotFound();
  return row.id;
}

async function listPage(
  deps: PushDeps,
  statement: Statement,
  ownerId: number,
  { first, after }: PageRequest,
): Promise<EventPage> {
  const limit = Math.min(PAGE_MAX, first ?? PAGE_MAX);
  if (limit < 1) throw Fault.field("first", "must be at least 1");
  const before = after === null || after === undefined ? Number.MAX_SAFE_INTEGER : parseId(after);
  if (before === null) throw Fault.field("after", "is not a cursor of this list");
  const rows = await deps.store.query<EventRow>(statement, [ownerId, before, limit + 1]);
  return { nodes: rows.slice(0, limit).map(toEvent), hasNextPage: rows.length > limit };
}

async function findOne(
  deps: PushDeps,
  statement: Statement,
  id: string,
  ownerId: number,
): Promise<PushEvent | null> {
  const number = parseId(id);
  if (number === null) return null;
  const [row] = await deps.store.query<EventRow>(statement, [number, ownerId]);
  return row ? toEvent(row) : null;
}

/** NOT_FOUND, for a missing event as well as for someone else's. */
export function eventNotFound(): Fault {
  return new Fault("NOT_FOUND", "There is no such event");
}
