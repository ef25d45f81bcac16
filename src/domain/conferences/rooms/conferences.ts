import { Fault } from "../../../core/errors";
import { textProblem } from "../../../core/text/field-checks";
import type { UserViewer } from "../../../core/viewer";
import type { Transaction } from "../../../platform/store/store";
import { NEWEST_FIRST, OLDEST_FIRST } from "../../paging/list-order";
import { type Page, type PageRequest, readPage } from "../../paging/page";
import {
  CONFERENCE_NAME_MAX,
  type Conference,
  type ConferenceAccess,
  EMPTY_AFTER_SECONDS,
  nameTaken,
  SEATS_MAX,
  SEATS_MIN,
  VIDEO_BITRATE,
} from "../model/conference";
import {
  findConference,
  insertConference,
  listJoinedConferences,
  listOpenConferences,
  writeEmptyAfterSeconds,
} from "../rows/conference-queries";
import { listParticipantHistory } from "../rows/participant-history-queries";
import type { Participant } from "../rows/participant-queries";
import { lockOpenConferences } from "../rows/user-limit-queries";
import {
  type ConferenceViewer,
  findModerated,
  findVisible,
  numberOf,
  requireEnabled,
} from "./access";
import type { ConferenceDeps } from "./conference-deps";
import { changeLists, type ListRequest } from "./listed-users";
import { checkRights } from "./participant-rights";

/** Maximum number of open conferences that a user has created. */
const USER_CONFERENCES_MAX = 100;

/** A conference to create; defaults for what is omitted. */
export interface ConferenceRequest extends ListRequest {
  name: string;
  seats?: number | null;
  video?: boolean | null;
  access?: ConferenceAccess | null;
  bitrate?: number | null;
  emptyAfterSeconds?: number | null;
}

/** Changes of a conference. */
export type ConferenceSettingsChanges = {
  [Name in keyof ConferenceRequest]?: ConferenceRequest[Name] | null;
} & { locked?: boolean | null };

/**
 * Creates a conference, whose creator moderates it. It closes when it has been empty for `emptyAfterSeconds`.
 * @throws Fault INVALID, LIMITED beyond {@link USER_CONFERENCES_MAX}, UNSUPPORTED
 */
export async function createConference(
  deps: ConferenceDeps,
  viewer: UserViewer,
  request: ConferenceRequest,
): Promise<Conference> {
  const { applicationId, userId } = viewer;
  requireEnabled(deps);
  checkSettings(request);
  const created = await deps.store.transaction(async (transaction) => {
    await checkOpenConferences(transaction, userId);
    const conference = await insertConference(transaction, {
      applicationId,
      name: request.name,
      seats: request.seats ?? SEATS_MAX,
      video: request.video ?? true,
      access: request.access ?? "everyone",
      origin: "graphql",
      bitrate: request.bitrate ?? VIDEO_BITRATE.default,
      emptyAfterSeconds: request.emptyAfterSeconds ?? EMPTY_AFTER_SECONDS.default,
      createdBy: userId,
    });
    if (!conference) throw nameTaken();
    await changeLists(transaction, conference, request);
    return conference;
  });
  deps.counters.count(applicationId, "conferences");
  return created;
}

/**
 * Changes a conference. Participants who are no longer listed are out at once, and so are guests by links of former
 * moderators.
 * @throws Fault INVALID, NOT_FOUND, FORBIDDEN, CONFLICT if it is closed, UNSUPPORTED
 */
export async function updateConference(
  deps: ConferenceDeps,
  viewer: ConferenceViewer,
  id: string,
  changes: ConferenceSettingsChanges,
): Promise<Conference> {
  requireEnabled(deps);
  const conference = await findModerated(deps, viewer, id);
  checkSettings(changes);
  if (conference.origin === "legacy" && isGiven(changes.emptyAfterSeconds)) {
    const problem = "cannot be changed, because a legacy client has created the conference";
    throw Fault.field("emptyAfterSeconds", problem);
  }
  const haveLinksEnded = await deps.store.transaction((transaction) =>
    changeLists(transaction, conference, changes),
  );
  if (haveLinksEnded) deps.sessionEvents.publish({ kind: "guests", conferenceId: conference.id });
  await changeSettings(deps, conference.id, changes);
  const { access } = changes;
  if (isGiven(access) || isGiven(changes.userIds) || isGiven(changes.moderatorIds)) {
    await checkRights(deps, conference.id);
  }
  return (await findConference(deps.store, conference.id)) ?? conference;
}

/** Changes those settings that are given, which were checked. */
async function changeSettings(
  deps: ConferenceDeps,
  conferenceId: number,
  { name, seats, video, access, bitrate, locked, emptyAfterSeconds }: ConferenceSettingsChanges,
): Promise<void> {
  const changes = { name, seats, video, access, bitrate, locked, emptyAfterSeconds };
  const settings = Object.fromEntries(
    Object.entries(changes).filter(([, value]) => isGiven(value)),
  );
  if (Object.keys(settings).length === 0) return;
  const { closesWhenEmpty } = await deps.hosts.run(conferenceId, "update", settings);
  if (!closesWhenEmpty && isGiven(emptyAfterSeconds)) {
    // For the next host: that of an earlier version never closes a conference that is empty.
    await writeEmptyAfterSeconds(deps.store, conferenceId, emptyAfterSeconds);
  }
}

/** Closes a conference; its participants are out. @throws Fault NOT_FOUND, FORBIDDEN, CONFLICT if it is closed */
export async function closeConference(
  deps: ConferenceDeps,
  viewer: ConferenceViewer,
  id: string,
): Promise<Conference> {
  const conference = await findModerated(deps, viewer, id);
  await deps.hosts.run(conference.id, "close");
  return (await findConference(deps.store, conference.id)) ?? conference;
}

/** Lists the open conferences that a user may join, or those that it has been a participant of, newest first. */
export function listConferences(
  { store }: Pick<ConferenceDeps, "store">,
  { applicationId, userId }: UserViewer,
  joined: boolean,
  page: PageRequest,
): Promise<Page<Conference>> {
  const list = joined ? listJoinedConferences : listOpenConferences;
  return readPage(page, NEWEST_FIRST, (range) => list(store, applicationId, userId, range));
}

/**
 * Lists who is and has been in a conference, by the time of the last join. A former participant who may no longer join
 * gets its own participation only.
 * @throws Fault INVALID, NOT_FOUND
 */
export async function listHistory(
  { store }: Pick<ConferenceDeps, "store">,
  viewer: ConferenceViewer,
  id: string,
  page: PageRequest,
): Promise<Page<Participant>> {
  const { conference, rights } = await findVisible({ store }, viewer, id);
  // A member of an account who does not see a conference has not found it.
  const number = viewer.kind === "member" || rights.see ? null : numberOf(viewer);
  return readPage(page, OLDEST_FIRST, (range) =>
    listParticipantHistory(store, conference.id, range, number),
  );
}

/** Checks that a user may create a conference, in the transaction that does. @throws Fault LIMITED */
export async function checkOpenConferences(
  transaction: Pick<Transaction, "query">,
  userId: number,
): Promise<void> {
  if ((await lockOpenConferences(transaction, userId)) < USER_CONFERENCES_MAX) return;
  const message = `A user may have at most ${USER_CONFERENCES_MAX} open conferences`;
  throw new Fault("LIMITED", message);
}

/** @throws Fault INVALID */
function checkSettings({
  name,
  seats,
  bitrate,
  emptyAfterSeconds,
}: ConferenceSettingsChanges): void {
  if (isGiven(name)) checkConferenceName(name);
  if (isGiven(seats) && (seats < SEATS_MIN || seats > SEATS_MAX)) {
    throw Fault.field("seats", `must be between ${SEATS_MIN} and ${SEATS_MAX}`);
  }
  if (isGiven(bitrate) && (bitrate < VIDEO_BITRATE.min || bitrate > VIDEO_BITRATE.max)) {
    throw Fault.field("bitrate", `must be between ${VIDEO_BITRATE.min} and ${VIDEO_BITRATE.max}`);
  }
  const { max } = EMPTY_AFTER_SECONDS;
  if (isGiven(emptyAfterSeconds) && (emptyAfterSeconds < 0 || emptyAfterSeconds > max)) {
    throw Fault.field("emptyAfterSeconds", `must be between 0 and ${max}`);
  }
}

/** @throws Fault INVALID */
export function checkConferenceName(name: string): void {
  const problem = name.trim() === "" ? "must not be empty" : textProblem(name, CONFERENCE_NAME_MAX);
  if (problem) throw Fault.field("name", problem);
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
