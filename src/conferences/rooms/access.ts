import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import type { LinkGuestViewer, UserViewer } from "../../core/viewer";
import type { Store } from "../../store/store";
import type { Conference } from "../model/conference";
import { findConference } from "../rows/conference-queries";
import { findListing } from "../rows/guest-queries";
import { wasMember } from "../rows/member-history-queries";
import type { ConferenceDeps } from "./conference-deps";

/** Who asks about a conference. */
export type ConferenceViewer = UserViewer | LinkGuestViewer;

/** What a viewer may do with a conference. */
export interface ConferenceRights {
  join: boolean;
  moderate: boolean;
}

/** Returns what a viewer may do: the creator and listed moderators moderate. */
export async function rightsOf(
  { store }: { store: Pick<Store, "query"> },
  viewer: ConferenceViewer,
  conference: Conference,
): Promise<ConferenceRights> {
  if (viewer.kind === "link-guest") {
    return { join: viewer.conferenceId === conference.id, moderate: false };
  }
  if (viewer.applicationId !== conference.applicationId) return { join: false, moderate: false };
  if (conference.createdBy === viewer.userId) return { join: true, moderate: true };
  const listing = await findListing(store, conference.id, viewer.userId);
  return {
    join: listing !== null || conference.access === "everyone",
    moderate: listing?.moderator ?? false,
  };
}

/** A conference and what the viewer may do with it. */
export interface VisibleConference {
  conference: Conference;
  rights: ConferenceRights;
}

/**
 * Finds a conference that the viewer may see: who may join it, or has been a member.
 * @throws Fault NOT_FOUND, also for a conference that the viewer may not see
 */
export async function findVisible(
  deps: Pick<ConferenceDeps, "store">,
  viewer: ConferenceViewer,
  id: string,
): Promise<VisibleConference> {
  const conferenceId = parseId(id);
  const conference = conferenceId === null ? null : await findConference(deps.store, conferenceId);
  if (conference?.applicationId !== viewer.applicationId) throw noConference();
  const rights = await rightsOf(deps, viewer, conference);
  if (rights.join || (await wasMember(deps.store, conference.id, numberOf(viewer)))) {
    return { conference, rights };
  }
  throw noConference();
}

/**
 * Finds an open conference that the viewer moderates.
 * @throws Fault NOT_FOUND, FORBIDDEN for somebody who does not moderate, CONFLICT if it is closed
 */
export async function findModerated(
  deps: Pick<ConferenceDeps, "store">,
  viewer: UserViewer,
  id: string,
): Promise<Conference> {
  const { conference, rights } = await findVisible(deps, viewer, id);
  if (!rights.moderate) throw notModerator();
  requireOpen(conference);
  return conference;
}

/** FORBIDDEN for somebody who does not moderate. */
export function notModerator(): Fault {
  return new Fault("FORBIDDEN", "Only a moderator of the conference may do that");
}

/** @throws Fault CONFLICT if the conference is closed */
export function requireOpen(conference: Conference): void {
  if (conference.closedAt !== null) throw new Fault("CONFLICT", "The conference is closed");
}

/** @throws Fault UNSUPPORTED with CONFERENCES=off */
export function requireEnabled({ enabled }: Pick<ConferenceDeps, "enabled">): void {
  if (!enabled) throw new Fault("UNSUPPORTED", "Conferences are off on this server");
}

/** The number that a viewer has as a member. */
export function numberOf(viewer: ConferenceViewer): number {
  return viewer.kind === "link-guest" ? viewer.number : viewer.userId;
}

/** NOT_FOUND for a conference. */
export function noConference(): Fault {
  return new Fault("NOT_FOUND", "There is no such conference");
}
