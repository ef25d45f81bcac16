import { Fault } from "../../../core/errors";
import { BatchLoader } from "../../../core/loads/batch-loader";
import { parseId } from "../../../core/text/ids";
import {
  type LinkGuestViewer,
  type MemberViewer,
  roleAllows,
  type UserViewer,
} from "../../../core/viewer";
import type { Store } from "../../../platform/store/store";
import type { Conference } from "../model/conference";
import { findConference } from "../rows/conference-queries";
import { findListing, findListings, type ListedUser } from "../rows/guest-queries";
import { wasParticipant } from "../rows/participant-history-queries";
import type { ConferenceDeps } from "./conference-deps";

/** Who may join a conference. */
export type JoiningViewer = UserViewer | LinkGuestViewer;
/** Who asks about a conference. */
export type ConferenceViewer = JoiningViewer | MemberViewer;

/** What a viewer may do with a conference. */
export interface ConferenceRights {
  /** Whether the viewer sees it, and who is in it. */
  see: boolean;
  join: boolean;
  moderate: boolean;
}

/**
 * Returns what a viewer may do. Anyone who may join sees the conference. The creator and listed moderators moderate. No
 * user moderates what the first join of a legacy client has created: its name belongs to all who use it. Members of the
 * application's account see every conference and join none; developers and owners moderate.
 */
export async function rightsOf(
  { store }: { store: Pick<Store, "query"> },
  viewer: ConferenceViewer,
  conference: Conference,
): Promise<ConferenceRights> {
  return rightsBy(viewer, conference, (userId) => findListing(store, conference.id, userId));
}

/** @param findListed finds whether a user is listed for the conference; null if not */
async function rightsBy(
  viewer: ConferenceViewer,
  conference: Conference,
  findListed: (userId: number) => Promise<ListedUser | null>,
): Promise<ConferenceRights> {
  if (viewer.kind === "member") {
    const see = await viewer.owns(conference.applicationId);
    return { see, join: false, moderate: see && roleAllows("developer", viewer.role) };
  }
  if (viewer.kind === "link-guest") {
    return joining(viewer.conferenceId === conference.id);
  }
  if (viewer.applicationId !== conference.applicationId) return joining(false);
  if (conference.createdBy === viewer.userId && conference.origin === "graphql") {
    return joining(true, true);
  }
  const listing = await findListed(viewer.userId);
  return joining(listing !== null || conference.access === "everyone", listing?.moderator);
}

const joining = (join: boolean, moderate = false): ConferenceRights => ({
  see: join,
  join,
  moderate,
});

/** The listings that a node loads for the conferences of lists. */
export interface ListingLoads {
  /** Listings by the ids of the conference and of the user, with a blank between. */
  listings: BatchLoader<string, ListedUser>;
}

/** Opens the loads of a node. */
export function openListingLoads(store: Pick<Store, "query">): ListingLoads {
  const keyOf = (conferenceId: number, userId: number) => `${conferenceId} ${userId}`;
  const listings = new BatchLoader<string, ListedUser>(async (keys) => {
    const pairs = keys.map((key) => {
      const [conferenceId, userId] = key.split(" ").map(Number);
      return { conferenceId: conferenceId ?? 0, userId: userId ?? 0 };
    });
    const rows = await findListings(store, pairs);
    return new Map(rows.map((row) => [keyOf(row.conference_id, row.user_id), row]));
  });
  return { listings };
}

/**
 * Whether a viewer sees who is in a conference that it knows: who may join it. A former participant of a conference for
 * listed users knows the conference, and its own times.
 */
export async function seesParticipants(
  { listings }: ListingLoads,
  viewer: ConferenceViewer,
  conference: Conference,
): Promise<boolean> {
  const isUser = viewer.kind === "user" || viewer.kind === "guest";
  const isOwn = isUser && viewer.applicationId === conference.applicationId;
  if (conference.access === "everyone" && isOwn) return true;
  const listed = async (userId: number) =>
    (await listings.load(`${conference.id} ${userId}`)) ?? null;
  return (await rightsBy(viewer, conference, listed)).see;
}

/** A conference and what the viewer may do with it. */
export interface VisibleConference {
  conference: Conference;
  rights: ConferenceRights;
}

/**
 * Finds a conference that the viewer may see, by its rights or as a former participant.
 * @throws Fault NOT_FOUND, also for a conference that the viewer may not see
 */
export async function findVisible(
  deps: Pick<ConferenceDeps, "store">,
  viewer: ConferenceViewer,
  id: string,
): Promise<VisibleConference> {
  const conferenceId = parseId(id);
  const conference = conferenceId === null ? null : await findConference(deps.store, conferenceId);
  if (!conference) throw noConference();
  const rights = await rightsOf(deps, viewer, conference);
  if (rights.see || (await wasIn(deps, viewer, conference))) return { conference, rights };
  throw noConference();
}

/** Whether the viewer has been in a conference. */
async function wasIn(
  { store }: Pick<ConferenceDeps, "store">,
  viewer: ConferenceViewer,
  { id, applicationId }: Conference,
): Promise<boolean> {
  if (viewer.kind === "member" || viewer.applicationId !== applicationId) return false;
  return wasParticipant(store, id, numberOf(viewer));
}

/**
 * Finds an open conference that the viewer moderates.
 * @throws Fault NOT_FOUND, FORBIDDEN for somebody who does not moderate, CONFLICT if it is closed
 */
export async function findModerated(
  deps: Pick<ConferenceDeps, "store">,
  viewer: ConferenceViewer,
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

/** The number that a viewer has as a participant. */
export function numberOf(viewer: JoiningViewer): number {
  return viewer.kind === "link-guest" ? viewer.number : viewer.userId;
}

/** NOT_FOUND for a conference. */
export function noConference(): Fault {
  return new Fault("NOT_FOUND", "There is no such conference");
}
