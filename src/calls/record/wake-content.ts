import { cutText } from "../../core/text";
import type { PushEnvironment } from "../../push/channel";
import type { WakeContent } from "../../push/event/wake-event";
import type { Invitation } from "./call-event";

/** Characters of the caller's name that a push shows at most. */
const NAME_MAX = 64;

/** What is known of a call that rings for somebody. */
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
 * What wakes a phone: a text to show, and the call as the app finds it under `call` (docs/PUSH.md
 * "Calls"). Nothing of it grows without bound, so that every service takes it.
 */
export function wakeContent(row: RingingRow, { opponentIds, userInfo }: Invitation): WakeContent {
  const name = cutText(row.full_name?.trim() ?? "", NAME_MAX);
  return {
    text: name === "" ? "Incoming call" : `Incoming call from ${name}`,
    // A second more, since the platforms count whole ones.
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
