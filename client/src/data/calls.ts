import {
  type CallFieldsFragment,
  GetCallDocument,
  ListCallsDocument,
  type ListCallsQuery,
  type ListCallsQueryVariables,
  MarkCallsSeenDocument,
} from "../generated/operations.ts";
import type { Session } from "../session/session.ts";

/** A call of the past or present, as the service has recorded it. */
export type CallRecord = CallFieldsFragment;

/** A page of calls. The next one begins after `pageInfo.endCursor`. */
export type CallRecordPage = ListCallsQuery["calls"];

/**
 * Finds the record of a call of the signed-in user.
 * @example
 * ```ts
 * import { getCall, listCalls } from "@signalbox/client";
 *
 * const [last] = (await listCalls(signalbox.session, { first: 1 })).nodes;
 * if (last) console.log((await getCall(signalbox.session, last.callId)).state);
 * ```
 * @param callId `id` of a Call of this package
 * @throws SignalboxError NOT_FOUND
 */
export async function getCall(session: Session, callId: string): Promise<CallRecord> {
  return (await session.execute(GetCallDocument, { callId })).call;
}

/**
 * Lists the calls of the signed-in user, newest first, 100 to a page.
 * @example
 * ```ts
 * import { listCalls } from "@signalbox/client";
 *
 * const { nodes } = await listCalls(signalbox.session, { first: 20 });
 * for (const { startedAt, state } of nodes) console.log(startedAt, state);
 * ```
 * @throws SignalboxError
 */
export async function listCalls(
  session: Session,
  variables: ListCallsQueryVariables = {},
): Promise<CallRecordPage> {
  return (await session.execute(ListCallsDocument, variables)).calls;
}

/**
 * Says that the signed-in user has seen the list of calls: the count of missed calls in pushes starts again, and pushes of
 * missed calls that were not sent are dropped.
 * @example
 * ```ts
 * import { markCallsSeen } from "@signalbox/client";
 *
 * await markCallsSeen(signalbox.session);
 * ```
 * @throws SignalboxError
 */
export async function markCallsSeen(session: Session): Promise<void> {
  await session.execute(MarkCallsSeenDocument, {});
}
