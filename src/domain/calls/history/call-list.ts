import { Fault } from "../../../core/errors";
import { BatchLoader, ListLoader } from "../../../core/loads/batch-loader";
import { SharedLoads } from "../../../core/loads/shared-loads";
import { parseId } from "../../../core/text/ids";
import type { UserOrMember, UserViewer } from "../../../core/viewer";
import { ID, listOrder, NEWEST_FIRST, TIME } from "../../paging/list-order";
import { type Page, type PageRequest, readPage } from "../../paging/page";
import { type TimeFilter, timePart } from "../../paging/time-filter";
import type { User } from "../../users/user";
import { findUsersById } from "../../users/user-queries";
import { requireUser } from "../../users/users";
import {
  type CallRow,
  findCallByCallId,
  findCallsByIds,
  findParticipants,
  listCallsOfApplication,
  listCallsOfUser,
  type ParticipantRow,
} from "./call-list-queries";
import { toCallee } from "./call-queries";
import { type CallState, hungUpBy, reasonOf } from "./call-states";
import { type CallEndReason, endReasonOf } from "./end-reason";
import type { HistoryDeps } from "./history-deps";
import { findTimelines, type TimelineRow } from "./timeline/timeline-queries";

/** Why a user's participation in a call ended. */
export type CallReason = NonNullable<ReturnType<typeof reasonOf>>;

/** A participant of a call. */
export interface CallParticipant {
  user: User;
  userId: number;
  caller: boolean;
  state: CallState;
  reason: CallReason | null;
  answeredAt: Date | null;
  device: string | null;
  pushedAt: Date | null;
}

/** The record of a call. */
export interface Call {
  id: number;
  applicationId: number;
  /** The sessionID of its signals. */
  callId: string;
  /** Null once the user was deleted. */
  callerId: number | null;
  callType: string | null;
  state: CallState;
  /** Why it has ended; null while it is active. */
  endReason: CallEndReason | null;
  startedAt: Date;
  acceptedAt: Date | null;
  endedAt: Date | null;
  /** The user who ended it by hanging up; null if nobody did, or if that user was deleted. */
  hungUpById: number | null;
  /** The caller first, then the callees in the order of their first `call`. */
  participants: CallParticipant[];
  /** Whether it had more signals than its timeline keeps. */
  timelineTruncated: boolean;
}

/** Page and filter of the calls of a user. */
export interface CallPageRequest extends PageRequest {
  /** States of the calls; all when omitted. */
  states?: CallState[] | null;
}

/** Page and filter of the calls of an application. */
export interface ApplicationCallRequest extends CallPageRequest, TimeFilter {
  userId?: string | null;
}

/** Names a call by exactly one of its identifiers. */
export interface CallKey {
  /** The id of its record. */
  id?: string | null;
  /** The sessionID of its signals. */
  callId?: string | null;
}

/** What the lists and subscriptions of a node share. */
export interface CallLoads {
  /** Calls of any user and application, by the ids of their records; who may see a call is checked afterwards. */
  calls: BatchLoader<number, Call>;
  /** The live calls of applications, newest first. */
  live: SharedLoads<CallRow[]>;
  /** The timelines of calls, in the order of their signals. */
  timelines: ListLoader<TimelineRow>;
}

/** Opens the loads of a node. */
export function openCallLoads(deps: Pick<HistoryDeps, "store">): CallLoads {
  const calls = new BatchLoader(async (ids: number[]) => {
    const loaded = await toCalls(deps, await findCallsByIds(deps.store, ids));
    return new Map(loaded.map((call) => [call.id, call]));
  });
  const timelines = new ListLoader<TimelineRow>(
    (ids) => findTimelines(deps.store, ids),
    (row) => row.call_id,
  );
  return { calls, live: new SharedLoads(), timelines };
}

/** The states of calls that are in progress. */
export const LIVE_STATES: readonly CallState[] = ["ringing", "accepted"];
const STATES: readonly CallState[] = [
  ...LIVE_STATES,
  ...(["rejected", "hung_up", "missed", "failed", "lost"] as const),
];

/**
 * Returns a page of the calls that a user participates in, newest first.
 * @throws Fault INVALID as {@link readPage}
 */
export async function listCalls(
  deps: HistoryDeps,
  { userId }: UserViewer,
  page: CallPageRequest,
): Promise<Page<Call>> {
  const states = page.states ?? null;
  const { nodes, ...neighbours } = await readPage(page, NEWEST_FIRST, (range) =>
    listCallsOfUser(deps.store, userId, states, range),
  );
  return { nodes: await toCalls(deps, nodes), ...neighbours };
}

/** The calls of an application, newest first. */
export const BY_START = listOrder(
  [TIME, ID],
  "descending",
  ({ startedAt, id }: Pick<Call, "startedAt" | "id">) => [startedAt, id],
);

/**
 * Returns a page of the calls of an application, in the order {@link BY_START}.
 * @throws Fault INVALID as {@link readPage}, and on `since` and `until`; NOT_FOUND for a user whom the application does not
 * have
 */
export async function listApplicationCalls(
  deps: HistoryDeps,
  applicationId: number,
  { states, userId, since, until, ...page }: ApplicationCallRequest,
): Promise<Page<Call>> {
  const user = typeof userId === "string" ? await requireUser(deps, applicationId, userId) : null;
  const listed = {
    applicationId,
    states: states ? [...new Set(states)] : STATES,
    userId: user?.id ?? null,
  };
  const { nodes, ...neighbours } = await readPage(
    page,
    BY_START,
    (range) => listCallsOfApplication(deps.store, listed, range),
    timePart({ since, until }),
  );
  return { nodes: await toCalls(deps, nodes), ...neighbours };
}

/** Loads those of the calls that the user participates in, in the order of their ids in the list. */
export async function findCalls(
  { calls }: Pick<CallLoads, "calls">,
  userId: number,
  ids: number[],
): Promise<Call[]> {
  return (await calls.loadAll(ids)).filter((call) => participates(userId, call));
}

/** Loads those of the calls that belong to the application, in the order of their ids in the list. */
export async function findApplicationCalls(
  { calls }: Pick<CallLoads, "calls">,
  applicationId: number,
  ids: number[],
): Promise<Call[]> {
  return (await calls.loadAll(ids)).filter((call) => call.applicationId === applicationId);
}

/**
 * Finds a call that the viewer participates in, or a call of an application of the viewer's account. Of several calls of
 * a user with one sessionID (`callId`), it is the last one.
 * @throws Fault NOT_FOUND, also for a call that the viewer may not see; INVALID unless exactly one
 * key is given, and for `callId` from a member of an account, because users of several applications may choose the same
 */
export async function findCall(
  deps: Pick<HistoryDeps, "store"> & Pick<CallLoads, "calls">,
  viewer: UserOrMember,
  { id, callId }: CallKey,
): Promise<Call> {
  const hasId = typeof id === "string";
  if (hasId === (typeof callId === "string"))
    throw Fault.field("id", "or callId is required, and not both");
  const call = hasId
    ? await findCallById(deps, viewer, id)
    : await findCallOfUser(deps, viewer, String(callId));
  if (!call) throw noCall();
  return call;
}

/** NOT_FOUND, for a missing call as well as for somebody else's. */
export function noCall(): Fault {
  return new Fault("NOT_FOUND", "There is no such call");
}

async function findCallById(
  { calls }: Pick<CallLoads, "calls">,
  viewer: UserOrMember,
  id: string,
): Promise<Call | undefined> {
  const number = parseId(id);
  const call = number === null ? undefined : await calls.load(number);
  return call && (await sees(viewer, call)) ? call : undefined;
}

async function findCallOfUser(
  deps: Pick<HistoryDeps, "store">,
  viewer: UserOrMember,
  callId: string,
): Promise<Call | undefined> {
  if (viewer.kind === "member") throw Fault.field("callId", "is for users; use id");
  const [call] = await toCalls(deps, await findCallByCallId(deps.store, viewer.userId, callId));
  return call;
}

async function sees(viewer: UserOrMember, call: Call): Promise<boolean> {
  if (viewer.kind === "member") return viewer.owns(call.applicationId);
  return participates(viewer.userId, call);
}

function participates(userId: number, { participants }: Call): boolean {
  return participants.some((each) => each.userId === userId);
}

/** Loads the participants of all rows, and their users, in one query each. */
async function toCalls(deps: Pick<HistoryDeps, "store">, rows: CallRow[]): Promise<Call[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const participants = await findParticipants(deps.store, ids);
  const users = await findUsersById(
    deps,
    participants.map(({ user_id: id }) => id),
  );
  const byCall = new Map(
    ids.map((id): [number, Array<ParticipantRow & { user: User }>] => [id, []]),
  );
  for (const participant of participants) {
    // Missing if the user was deleted between the two reads.
    const user = users.get(participant.user_id);
    if (user) byCall.get(participant.call_id)?.push({ ...participant, user });
  }
  return rows.map((row) => toCall(row, byCall.get(row.id) ?? []));
}

function toCall(row: CallRow, participants: Array<ParticipantRow & { user: User }>): Call {
  const callers = participants.filter(({ user_id: id }) => id === row.caller_id);
  const callees = participants.filter(({ user_id: id }) => id !== row.caller_id);
  const observed = callees.map(toCallee);
  const { state, accepted_at: acceptedAt, ended_at: endedAt, ended_by_member_at } = row;
  const ended = { state, acceptedAt, endedAt, endedByMemberAt: ended_by_member_at };
  return {
    ...{ state, acceptedAt, endedAt },
    id: row.id,
    applicationId: row.application_id,
    callId: row.session_id,
    callerId: row.caller_id,
    callType: row.call_type === null ? null : String(row.call_type),
    endReason: endReasonOf(ended, observed),
    startedAt: row.started_at,
    hungUpById: hungUpBy(row.caller_id, observed, row.ended_at?.getTime() ?? null),
    participants: [...callers, ...callees].map((participant) => ({
      user: participant.user,
      userId: participant.user_id,
      caller: participant.user_id === row.caller_id,
      state: participant.state,
      reason: participant.user_id === row.caller_id ? null : reasonOf(toCallee(participant)),
      answeredAt: participant.answered_at,
      device: participant.device,
      pushedAt: participant.pushed_at,
    })),
    timelineTruncated: row.signals_truncated,
  };
}
