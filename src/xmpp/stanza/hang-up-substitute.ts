import type { AnsweredMessage } from "../../calls/signals/device";
import type { FieldSignal, Party } from "../../calls/signals/signal";

/**
 * The substitute that tells a legacy client that another device answered the call: a `hangUp` from the
 * other party of the call.
 */
export function answeredElsewhere(answer: AnsweredMessage, to: Party): FieldSignal {
  const { cursor, peer, sessionId, answerType } = answer;
  const { applicationId, userId } = to;
  return {
    id: `answered-${cursor}`,
    ...{ type: "hangUp", from: peer, to: { applicationId, userId }, sessionId },
    userInfo: { answered_elsewhere: answerType },
    extra: [],
  };
}
