import { findApplicationOfAccount } from "../../applications/application-queries";
import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import type { AccountViewer, UserViewer } from "../../core/viewer";
import { type Page, type PageRequest, readIdPage } from "../../paging/page";
import { type PushDeps } from "../deps/push-deps";
import {
  findEventById,
  findEventOfUser,
  listEventsOfApplication,
  listEventsOfUser,
  stopEventOfApplication,
  stopEventOfUser,
} from "./event-list-queries";
import { deleteEventOfUser } from "./event-queries";
import {
  PUSH_EVENT_KINDS,
  PUSH_EVENT_STATES,
  type PushEvent,
  type PushEventKind,
  type PushEventState,
} from "./push-event";

/** Which events of an application to list; null and absent for all. */
export interface EventFilter {
  kind?: PushEventKind | null;
  state?: PushEventState | null;
}

/** Lists a page of the viewer's events, newest first. @throws Fault INVALID as {@link readIdPage} */
export function listEvents(
  deps: PushDeps,
  { userId }: UserViewer,
  page: PageRequest,
): Promise<Page<PushEvent>> {
  return readIdPage(page, true, (range) => listEventsOfUser(deps.store.query, userId, range));
}

/** Lists a page of an application's events, newest first. @throws Fault INVALID as {@link readIdPage} */
export function listApplicationEvents(
  deps: PushDeps,
  applicationId: number,
  page: PageRequest,
  { kind = null, state = null }: EventFilter = {},
): Promise<Page<PushEvent>> {
  const kinds = kind === null ? PUSH_EVENT_KINDS : [kind];
  const states = state === null ? PUSH_EVENT_STATES : [state];
  const filter = kind === null && state === null ? null : { kinds, states };
  return readIdPage(page, true, (range) =>
    listEventsOfApplication(deps.store.query, applicationId, range, filter),
  );
}

/** Finds one of the viewer's events; null if there is none. */
export async function findEvent(
  deps: PushDeps,
  { userId }: UserViewer,
  id: string,
): Promise<PushEvent | null> {
  const number = parseId(id);
  return number === null ? null : findEventOfUser(deps.store.query, number, userId);
}

/** Finds an event of the account's applications; null if there is none. */
export async function findAccountEvent(
  deps: PushDeps,
  { accountId }: AccountViewer,
  id: string,
): Promise<PushEvent | null> {
  const number = parseId(id);
  const event = number === null ? null : await findEventById(deps.store.query, number);
  if (event === null) return null;
  const own = await findApplicationOfAccount(deps.store, accountId, event.applicationDatabaseId);
  return own === null ? null : event;
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
  const now = new Date(deps.clock.now());
  const event = await stopEventOfUser(deps.store.query, parseId(id) ?? 0, userId, now);
  if (event === null) throw eventNotFound();
  return event;
}

/**
 * Stops an event of an application: it creates no further deliveries.
 * @param withdraw whether deliveries that are still unsent are not sent either
 * @throws Fault NOT_FOUND
 */
export async function stopApplicationEvent(
  deps: Pick<PushDeps, "store" | "clock">,
  applicationId: number,
  id: string,
  withdraw: boolean,
): Promise<PushEvent> {
  const now = new Date(deps.clock.now());
  const number = parseId(id) ?? 0;
  const event = await stopEventOfApplication(
    deps.store.query,
    number,
    applicationId,
    withdraw,
    now,
  );
  if (event === null) throw eventNotFound();
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
export function eventNotFound(): Fault {
  return new Fault("NOT_FOUND", "There is no such event");
}
