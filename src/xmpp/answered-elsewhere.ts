import type { AnsweredParcel } from "../calls/device";
import type { Party, Signal } from "../calls/signal";

/**
 * What stands for an answer on another device where the client knows no other word for it: a `hangUp`
 * of whom the call is with.
 */
export function answeredElsewhere(answer: AnsweredParcel, to: Party): Signal {
  const { cursor, peer, sessionId, word } = answer;
  const { applicationId, userId } = to;
  return {
    id: `answered-${cursor}`,
    ...{ type: "hangUp", from: peer, to: { applicationId, userId }, sessionId },
    userInfo: { answered_elsewhere: word },
    extra: [],
  };
}
