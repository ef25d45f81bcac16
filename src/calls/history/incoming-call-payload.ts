import { truncateText } from "../../core/text/text";
import type { PushEnvironment } from "../../push/channels/channel";
import type { CallPushContent } from "../../push/events/call-push";
import type { Invitation } from "./call-event";

/** Maximum length of the caller's name in a push, in characters. */
const NAME_MAX = 64;

/** A call that is ringing for a user. */
export interface RingingRow {
  call_id: number;
  user_id: number;
  missed_at: Date;
  application_id: number;
  session_id: string;
  call_type: number | null;
  wake_environment: PushEnvironment;
  caller_id: number;
  full_name: string | null;
}

/**
 * Builds the payload of an incoming-call push: a text to display, and the call under the key `call`
 * (docs/PUSH.md "Calls"). Its size is bounded, so that every push service accepts it.
 */
export function incomingCallPayload(
  row: RingingRow,
  { opponentIds, userInfo }: Invitation,
): CallPushContent {
  const name = truncateText(row.full_name?.trim() ?? "", NAME_MAX);
  return {
    text: name === "" ? "Incoming call" : `Incoming call from ${name}`,
    // Rounded up, since the platforms count in seconds.
    expiration: Math.ceil(row.missed_at.getTime() / 1000),
    custom: {
      call: {
        sessionId: row.session_id,
        callType: row.call_type,
        callerId: row.caller_id,
        callerName: name === "" ? null : name,
        opponentIds,
        userInfo,
        expiresAt: row.missed_at.toISOString(),
      },
    },
  };
}
