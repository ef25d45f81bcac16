import { type Callee, type CallState, reasonOf } from "./call-states";

/** Why a call has ended. */
export type CallEndReason =
  | "declined"
  | "busy"
  | "not_supported"
  | "missed"
  | "cancelled"
  | "hung_up_by_caller"
  | "hung_up_by_callee"
  | "hung_up"
  | "failed"
  | "lost"
  | "ended_by_member";

/** What the reason is derived from. */
export interface EndedCall {
  state: CallState;
  acceptedAt: Date | null;
  endedAt: Date | null;
  /** When a member of the account ended it; null if no member did. */
  endedByMemberAt: Date | null;
}

/**
 * Why a call has ended; null while it is active. Of several callees who ended in different ways, the reason is that of
 * the callees who determine the state of the call.
 */
export function endReasonOf(call: EndedCall, callees: readonly Callee[]): CallEndReason | null {
  if (call.endedAt === null) return null;
  // A signal of before may be recorded later, and then it has ended the call.
  if (call.endedByMemberAt !== null && call.endedAt >= call.endedByMemberAt) {
    return "ended_by_member";
  }
  const reasons = new Set(callees.map(reasonOf));
  switch (call.state) {
    case "rejected":
      return reasons.has("busy") && !reasons.has("declined") ? "busy" : "declined";
    case "missed":
      return "missed";
    case "failed":
      return reasons.has("not_supported") ? "not_supported" : "failed";
    case "lost":
      return "lost";
    default:
      return hangUpReason(call, callees, call.endedAt.getTime());
  }
}

function hangUpReason(
  { acceptedAt }: EndedCall,
  callees: readonly Callee[],
  endedAt: number,
): CallEndReason {
  if (callees.some(({ leftAt }) => leftAt === endedAt)) return "hung_up_by_callee";
  // The row of the callee is gone once that user was erased.
  if (!callees.some(({ droppedAt }) => droppedAt === endedAt)) return "hung_up";
  return acceptedAt === null ? "cancelled" : "hung_up_by_caller";
}
