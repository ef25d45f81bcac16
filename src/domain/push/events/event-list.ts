import { Fault } from "../../../core/errors";
import { parseId } from "../../../core/text/ids";
import type { UserOrMember, UserViewer } from "../../../core/viewer";
import { NEWEST_FIRST } from "../../paging/list-order";
import { type Page, type PageRequest, readPage } from "../../paging/page";
import type { PushDeps } from "../deps/push-deps";
import {
  findEventById,
  listEventsOfApplication,
  listEventsOfUser,
  stopEventById,
} from "./event-list-queries";
import { deleteEventOfUser } from "./event-queries";
import { publishProgress } from "./progress";
import {
  PUSH_EVENT_KINDS,
  PUSH_EVENT_STATES,
  type PushEvent,
  type PushEventKind,
  type PushEventState,
} from "./push-event";

/** Which events of an application to list; null and absent for all. */
interface EventFilter {
  kind?: PushEventKind | null;
  state?: PushEventState | null;
}

/** Lists a page of the viewer's events, newest first. @throws Fault INVALID as {@link readPage} */
export function listEvents(
  deps: PushDeps,
  { userId }: UserViewer,
  page: PageRequest,
): Promise<Page<PushEvent>> {
  return readPage(page, NEWEST_FIRST, (range) => listEventsOfUser(deps.store.query, userId, range));
}

/** Lists a page of an application's events, newest first. @throws Fault INVALID as {@link readPage} */
export function listApplicationEvents(
  deps: PushDeps,
  applicationId: number,
  page: PageRequest,
  { kind = null, state = null }: EventFilter = {},
): Promise<Page<PushEvent>> {
  const kinds = kind === null ? PUSH_EVENT_KINDS : [kind];
  const states = state === null ? PUSH_EVENT_STATES : [state];
  const filter = kind === null && state === null ? null : { kinds, states };
  return readPage(page, NEWEST_FIRST, (range) =>
    listEventsOfApplication(deps.store.query, applicationId, range, filter),
  );
}

/** Finds an event of the viewer, or of an application of the viewer's account. @returns null if there is none */
export async function findEvent(
  deps: PushDeps,
  viewer: UserOrMember,
  id: string,
): Promise<PushEvent | null> {
  const number = parseId(id);
  const event = number === null ? null : await findEventById(deps.store.query, number);
  return event !== null && (await sees(viewer, event)) ? event : null;
}

async function sees(viewer: UserOrMember, event: PushEvent): Promise<boolean> {
  if (viewer.kind === "member") return viewer.owns(event.applicationId);
  return event.userId === viewer.userId;
}

/** Finds an event as {@link findEvent} does. @throws Fault NOT_FOUND */
export async function requireEvent(
  deps: PushDeps,
  viewer: UserOrMember,
  id: string,
): Promise<PushEvent> {
  const event = await findEvent(deps, viewer, id);
  if (event === null) throw eventNotFound();
  return event;
}

/**
 * Stops an event: it creates no further deliveries. Those who watch it are notified.
 * @param withdraw whether deliveries that are still unsent are not sent either
 * @throws Fault NOT_FOUND
 */
export async function stopEvent(
  deps: PushDeps,
  viewer: UserOrMember,
  id: string,
  withdraw: boolean,
): Promise<PushEvent> {
  const found = await requireEvent(deps, viewer, id);
  const now = new Date(deps.clock.now());
  const event = await stopEventById(deps.store.query, found.id, withdraw, now);
  if (event === null) throw eventNotFound();
  await publishProgress(deps, event.id);
  return event;
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
  const number = parseId(id);
  if (number === null || !(await deleteEventOfUser(deps.store, number, userId))) {
    throw eventNotFound();
  }
  return number;
}

/** NOT_FOUND, for a missing event as well as for someone else's. */
function eventNotFound(): Fault {
  return new Fault("NOT_FOUND", "There is no such event");
}
