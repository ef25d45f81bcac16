import { Fault } from "../../core/errors";
import { BatchLoader } from "../../core/loads/batch-loader";
import type { UserViewer } from "../../core/viewer";
import { type Page, type PageRequest, readIdPage } from "../../paging/page";
import type { User } from "../../users/user";
import { findUsersById } from "../../users/user-queries";
import {
  type AnyCallRow,
  type CallRow,
  findCallByCallId,
  findCallsByIds,
  findParticipants,
  listCallsOfUser,
  type ParticipantRow,
} from "./call-list-queries";
import { toCallee } from "./call-queries";
import { type Callee, type CallState, hungUpBy, reasonOf } from "./call-states";
import { type HistoryDeps } from "./history-deps";

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

/** A call as its participants see it. */
export interface Call {
  id: number;
  /** The sessionID of its signals. */
  callId: string;
  /** Null once the user was deleted. */
  callerId: number | null;
  callType: string | null;
  state: CallState;
  startedAt: Date;
  acceptedAt: Date | null;
  endedAt: Date | null;
  /** The user who ended it by hanging up; null if nobody did, or if that user was deleted. */
  hungUpById: number | null;
  /** The caller first, then the callees in the order of their first `call`. */
  participants: CallParticipant[];
}

/** Page and filter of the call list. */
export interface CallPageRequest extends PageRequest {
  /** States of the calls; all when omitted. */
  states?: CallState[] | null;
}

/**
 * Returns a page of the calls that a user participates in, newest first.
 * @throws Fault INVALID as {@link readIdPage}
 */
export async function listCalls(
  deps: HistoryDeps,
  { userId }: UserViewer,
  page: CallPageRequest,
): Promise<Page<Call>> {
  const states = page.states ?? null;
  const { nodes, ...neighbours } = await readIdPage(page, true, (range) =>
    listCallsOfUser(deps.store, userId, states, range),
  );
  return { nodes: await withParticipants(deps, nodes), ...neighbours };
}

/** What the subscriptions of a node share of changed calls. */
export interface CallLoads {
  /** Calls of any user and application, by the ids of their records; who may see a call is checked afterwards. */
  calls: BatchLoader<number, CallWithCallees<AnyCallRow>>;
}

/** Opens the loads of a node. */
export function openCallLoads(deps: Pick<HistoryDeps, "store">): CallLoads {
  const calls = new BatchLoader(async (ids: number[]) => {
    const loaded = await withCallees(deps, await findCallsByIds(deps.store, ids));
    return new Map(loaded.map((each) => [each.row.id, each]));
  });
  return { calls };
}

/** Loads those of the calls that the user participates in, in the order of their ids in the list. */
export async function findCalls(
  { calls }: CallLoads,
  userId: number,
  ids: number[],
): Promise<Call[]> {
  return (await calls.loadAll(ids))
    .map(({ call }) => call)
    .filter(({ participants }) => participants.some((each) => each.userId === userId));
}

/**
 * Returns the user's call with this sessionID (`callId`); the last one if several callers used the same sessionID.
 * @throws Fault NOT_FOUND, also for a call that the user does not participate in
 */
export async function findCall(
  deps: HistoryDeps,
  { userId }: UserViewer,
  callId: string,
): Promise<Call> {
  const rows = await findCallByCallId(deps.store, userId, callId);
  const [call] = await withParticipants(deps, rows);
  if (!call) throw new Fault("NOT_FOUND", "There is no such call");
  return call;
}

async function withParticipants(deps: HistoryDeps, rows: CallRow[]): Promise<Call[]> {
  return (await withCallees(deps, rows)).map(({ call }) => call);
}

/** A call with its row, and what was observed of its callees. */
export interface CallWithCallees<Row> {
  call: Call;
  callees: Callee[];
  row: Row;
}

/** Loads the participants of all rows, and their users, in one query each. */
export async function withCallees<Row extends CallRow>(
  deps: Pick<HistoryDeps, "store">,
  rows: Row[],
): Promise<CallWithCallees<Row>[]> {
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
  return rows.map((row) => {
    const all = byCall.get(row.id) ?? [];
    const callees = all.filter(({ user_id: id }) => id !== row.caller_id).map(toCallee);
    return { call: toCall(row, all, callees), callees, row };
  });
}

function toCall(
  row: CallRow,
  participants: Array<ParticipantRow & { user: User }>,
  observed: readonly Callee[],
): Call {
  const callees = participants.filter(({ user_id: id }) => id !== row.caller_id);
  const callers = participants.filter(({ user_id: id }) => id === row.caller_id);
  return {
    id: row.id,
    callId: row.session_id,
    callerId: row.caller_id,
    callType: row.call_type === null ? null : String(row.call_type),
    state: row.state,
    startedAt: row.started_at,
    acceptedAt: row.accepted_at,
    endedAt: row.ended_at,
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
  };
}
