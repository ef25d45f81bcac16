import type { Bus } from "../../bus/bus";
import { watchChanges } from "../../bus/watch-changes";
import { Fault } from "../../core/errors";
import { BatchLoader } from "../../core/loads/batch-loader";
import { SharedLoads } from "../../core/loads/shared-loads";
import type { Log } from "../../core/log";
import { textProblem } from "../../core/text/field-checks";
import { parseId } from "../../core/text/ids";
import { isGiven, type Page, type PageRequest, pageSize, readIdPage } from "../../paging/page";
import type { Store } from "../../store/store";
import { channelOfConferences } from "../events/application-channel";
import { CONFERENCE_NAME_MAX, type MemberState } from "../model/conference";
import type { MemberFigures, MuteChange } from "../peers/peer";
import { noConference, requireEnabled, requireOpen } from "../rooms/access";
import type { ConferenceDeps } from "../rooms/conference-deps";
import {
  type ConferenceSettingsChanges,
  changeSettings,
  checkSettings,
} from "../rooms/conferences";
import type { GuestLink } from "../rooms/links";
import { checkRights } from "../rooms/member-rights";
import {
  type ApplicationConference,
  findApplicationConferences,
  findLiveConferences,
  listApplicationConferences,
  listConferencesByName,
  type NamePosition,
} from "../rows/application-conference-queries";
import type { Member } from "../rows/member-queries";

/** Dependencies of the owners' operations on conferences. */
export interface OwnerConferenceDeps extends ConferenceDeps {
  bus: Bus;
  log: Log;
  /** Name of the media server; null with CONFERENCES=off. */
  engineName: string | null;
  ownerLoads: OwnerConferenceLoads;
}

/** What the owners' subscriptions of a node share, by the ids of conferences or applications. */
export interface OwnerConferenceLoads {
  /** Conferences of any application; to which one they belong is checked afterwards. */
  watched: BatchLoader<number, ApplicationConference>;
  /** The live conferences of applications, newest first. */
  live: SharedLoads<number[]>;
  figures: SharedLoads<MemberFigures[]>;
  links: SharedLoads<GuestLink[]>;
  /** By conference and page. */
  history: SharedLoads<Page<Member>>;
}

/** Opens the loads of a node. */
export function openOwnerConferenceLoads(store: Pick<Store, "query">): OwnerConferenceLoads {
  const watched = new BatchLoader(async (ids: number[]) => {
    const conferences = await findApplicationConferences(store, ids);
    return new Map(conferences.map((conference) => [conference.id, conference]));
  });
  return {
    watched,
    live: new SharedLoads(),
    figures: new SharedLoads(),
    links: new SharedLoads(),
    history: new SharedLoads(),
  };
}

/** Which conferences of an application to list, and the page. */
export interface ApplicationConferenceRequest extends PageRequest {
  /** Open or closed ones; null for both. */
  open?: boolean | null;
  /** How their names begin. */
  name?: string | null;
}

/** Maximum number of live conferences that a subscription begins with: the newest. */
const LIVE_MAX = 1_000;

/**
 * Lists the conferences of an application: newest first, or by name if they are searched by name.
 * @throws Fault INVALID
 */
export async function listOwnConferences(
  { store }: Pick<ConferenceDeps, "store">,
  applicationId: number,
  { open = null, name, ...page }: ApplicationConferenceRequest,
): Promise<Page<ApplicationConference>> {
  if (isGiven(name)) return listByName({ store }, applicationId, { ...page, open, name });
  return readIdPage(page, true, (range) =>
    listApplicationConferences(store, applicationId, open, range),
  );
}

/** The cursor of a conference in a list by name. */
export function nameCursor({ name, id }: NamePosition): string {
  return Buffer.from(JSON.stringify([name, id])).toString("base64url");
}

async function listByName(
  { store }: Pick<ConferenceDeps, "store">,
  applicationId: number,
  request: ApplicationConferenceRequest & { name: string },
): Promise<Page<ApplicationConference>> {
  const { name: prefix, open = null } = request;
  const problem = textProblem(prefix, CONFERENCE_NAME_MAX);
  if (problem) throw Fault.field("name", problem);
  const { size, backward } = pageSize(request);
  const after = positionOf("after", request.after);
  const before = positionOf("before", request.before);
  if (after && before) throw Fault.field("before", "cannot be combined with after and name");
  // A page behind a cursor is read from it on, whichever end it is taken from: `last` needs `before`, and vice versa.
  if (backward && after) throw Fault.field("last", "cannot be combined with after and name");
  if (!backward && before) throw Fault.field("first", "cannot be combined with before and name");
  const listed = { applicationId, open, prefix };
  const position = (backward ? before : after) ?? null;
  const found = await listConferencesByName(
    { query: store.query },
    listed,
    position,
    backward,
    size + 1,
  );
  const nodes = found.slice(0, size);
  if (backward) nodes.reverse();
  const isMore = found.length > size;
  return {
    nodes,
    hasNextPage: backward ? before !== undefined : isMore,
    hasPreviousPage: backward ? isMore : after !== undefined,
  };
}

/** @throws Fault INVALID */
function positionOf(argument: string, cursor: string | null | undefined): NamePosition | undefined {
  if (!isGiven(cursor)) return undefined;
  try {
    const [name, id] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
    if (typeof name === "string" && textProblem(name, CONFERENCE_NAME_MAX) === null) {
      if (typeof id === "number" && parseId(String(id)) !== null) return { name, id };
    }
  } catch {
    // Not JSON, or no list.
  }
  throw Fault.field(argument, "is not a cursor of this list");
}

/** Finds a conference of an application; null if the application has no such conference. */
export async function findOwnConference(
  { store }: Pick<ConferenceDeps, "store">,
  applicationId: number,
  id: string,
): Promise<ApplicationConference | null> {
  const parsed = parseId(id);
  if (parsed === null) return null;
  const [conference] = await findApplicationConferences(store, [parsed]);
  return conference?.applicationId === applicationId ? conference : null;
}

/**
 * Reads what the media server has last reported of a conference, from its host; nothing if no node hosts it, or the host
 * does not answer.
 */
export async function findFigures(
  { hosts, enabled }: Pick<ConferenceDeps, "hosts" | "enabled">,
  { id, host, closedAt }: ApplicationConference,
): Promise<MemberFigures[]> {
  if (!enabled || host === null || closedAt !== null) return [];
  try {
    return await hosts.run(id, "figures");
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

/** Yields the live conferences of an application, or one of any state, then each that changes, in batches. */
export function watchConferences(
  { store, bus, log, ownerLoads }: OwnerConferenceDeps,
  applicationId: number,
  only: number | null,
): Promise<AsyncIterableIterator<ApplicationConference[]>> {
  // The open conferences that the subscriber knows, with their last changes, so that it learns of those that were missed.
  const open = new Map<number, number>();
  const findLive = () =>
    ownerLoads.live.load(String(applicationId), () =>
      findLiveConferences(store, applicationId, LIVE_MAX),
    );
  const present = async () => {
    const live = only === null ? await findLive() : [only];
    return [...open.keys(), ...live.toReversed()];
  };
  const find = async (ids: readonly number[]) =>
    (await ownerLoads.watched.loadAll(ids)).filter((each) => each.applicationId === applicationId);
  return watchChanges(
    { bus, log },
    {
      channel: channelOfConferences(applicationId),
      changedBy: (message) => [Number(message)].filter((id) => only === null || only === id),
      present,
      async stale() {
        const stored = await find(await present());
        const changed = stored.filter(
          ({ id, closedAt, sequence }) =>
            open.get(id) !== (closedAt === null ? sequence : undefined),
        );
        return changed.map(({ id }) => id);
      },
      async load(ids) {
        const conferences = await find(ids);
        for (const id of ids) open.delete(id);
        for (const { id, closedAt, sequence } of conferences) {
          if (closedAt === null) open.set(id, sequence);
          const [oldest] = open.keys();
          if (open.size > LIVE_MAX && oldest !== undefined) open.delete(oldest);
        }
        return conferences;
      },
    },
  );
}

/**
 * Changes the settings of an open conference of an application.
 * @throws Fault INVALID, NOT_FOUND, CONFLICT if it is closed, UNSUPPORTED
 */
export async function updateOwnConference(
  deps: ConferenceDeps,
  applicationId: number,
  id: string,
  changes: Omit<ConferenceSettingsChanges, "userIds" | "moderatorIds">,
): Promise<ApplicationConference> {
  requireEnabled(deps);
  const conference = await findOpenOwn(deps, applicationId, id);
  checkSettings(changes);
  await changeSettings(deps, conference.id, changes);
  if (isGiven(changes.access)) await checkRights(deps, conference.id);
  return (await findOwnConference(deps, applicationId, id)) ?? conference;
}

/** Closes a conference of an application. @throws Fault NOT_FOUND, CONFLICT if it is closed */
export async function closeOwnConference(
  deps: ConferenceDeps,
  applicationId: number,
  id: string,
): Promise<ApplicationConference> {
  const conference = await findOpenOwn(deps, applicationId, id);
  await deps.hosts.run(conference.id, "close");
  return (await findOwnConference(deps, applicationId, id)) ?? conference;
}

/** Mutes or unmutes a member, as a moderator does. @throws Fault NOT_FOUND, CONFLICT if the conference is closed */
export async function muteOwnMember(
  deps: ConferenceDeps,
  applicationId: number,
  { conferenceId, memberId }: { conferenceId: string; memberId: string },
  change: MuteChange,
): Promise<MemberState> {
  const { id } = await findOpenOwn(deps, applicationId, conferenceId);
  return deps.hosts.run(id, "muteMember", parseId(memberId) ?? 0, change);
}

/** Removes a member; no error if it is gone. @throws Fault NOT_FOUND, CONFLICT if the conference is closed */
export async function removeOwnMember(
  deps: ConferenceDeps,
  applicationId: number,
  { conferenceId, memberId }: { conferenceId: string; memberId: string },
): Promise<void> {
  const { id } = await findOpenOwn(deps, applicationId, conferenceId);
  await deps.hosts.run(id, "removeNumbers", [parseId(memberId) ?? 0], "removed");
}

async function findOpenOwn(
  deps: Pick<ConferenceDeps, "store">,
  applicationId: number,
  id: string,
): Promise<ApplicationConference> {
  const conference = await findOwnConference(deps, applicationId, id);
  if (!conference) throw noConference();
  requireOpen(conference);
  return conference;
}
