import { Fault } from "../../core/errors";
import { newId } from "../../core/random";
import type { MemberViewer } from "../../core/viewer";
import { type Call, type CallLoads, findCall } from "./history/call-list";
import type { HistoryDeps } from "./history/history-deps";
import { writeMemberEnd } from "./history/write-calls";
import type { Router } from "./router";
import type { FieldSignal, Party } from "./signals/signal";

/** Dependencies of {@link endCall}. */
export interface EndCallDeps {
  callHistory: HistoryDeps & CallLoads;
  router: Pick<Router, "sendForService">;
}

/**
 * Ends a call that is in progress, for a member of its application's account. Its record is written first, and then each
 * participant gets a `hangUp` from each other one, as if everybody had hung up. If those cannot be delivered, the call can
 * be ended again.
 * @param id of the call's record
 * @returns the call as it is recorded then
 * @throws Fault NOT_FOUND; CONFLICT if the call has ended otherwise; UNAVAILABLE when the database, the bus or the attached
 * chat server cannot be reached
 */
export async function endCall(
  { callHistory, router }: EndCallDeps,
  viewer: MemberViewer,
  id: string,
): Promise<Call> {
  const { id: record } = await findCall(callHistory, viewer, { id });
  await writeMemberEnd(callHistory, record);
  const call = await findCall(callHistory, viewer, { id });
  if (call.endReason !== "ended_by_member") {
    throw new Fault("CONFLICT", "The call has already ended");
  }
  await Promise.all(hangUpsOf(call).map((signal) => router.sendForService(signal)));
  return call;
}

/** A `hangUp` between each two participants, in both directions. */
function hangUpsOf({ applicationId, callId, callerId, participants }: Call): FieldSignal[] {
  const parties = participants.map(({ userId }): Party => ({ applicationId, userId }));
  return parties.flatMap((to) =>
    parties
      .filter((from) => from !== to)
      .map((from) => ({
        id: newId(),
        type: "hangUp",
        ...{ from, to, callId },
        ...(callerId === null ? {} : { callerId: String(callerId) }),
        extra: [],
      })),
  );
}
