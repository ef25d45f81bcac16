import { truncateText } from "../../core/text/text";
import type { PushEnvironment } from "../../push/channels/channel";
import type { CallPushContent } from "../../push/events/call-push";
import type { Invitation } from "./call-event";

/** Maximum length of the caller's name in a push, in characters. */
const NAME_MAX = 64;
/** The GraphQL values of `calls.call_type`. */
const CALL_TYPES: Readonly<Record<number, string>> = { 1: "VIDEO", 2: "AUDIO" };

/** A row of a call that is ringing for a user. */
export interface RingingRow {
  call_id: number;
  user_id: number;
  missed_at: Date;
  application_id: number;
  session_id: string;
  call_type: number | null;
  caller_id: number;
}

/** A call that is ringing for a user, with its caller's name and the builds that its push is for. */
export interface CallToPush extends RingingRow {
  full_name: string | null;
  environment: PushEnvironment;
}

/**
 * Builds the payload of an incoming-call push: a text to display, and the call under the key `call`, with the
 * names and values of GraphQL (docs/PUSH.md "Calls"). Its size is bounded, so that every push service accepts
 * it.
 */
export function incomingCallPayload(
  row: CallToPush,
  { opponentIds, userInfo }: Invitation,
): CallPushContent {
  const name = truncateText(row.full_name?.trim() ?? "", NAME_MAX);
  return {
    text: name === "" ? "Incoming call" : `Incoming call from ${name}`,
    // Rounded up, since the platforms count in seconds.
    expiration: Math.ceil(row.missed_at.getTime() / 1000),
    custom: {
      call: {
        callId: row.session_id,
        callType: CALL_TYPES[row.call_type ?? 0] ?? null,
        callerId: String(row.caller_id),
        callerName: name === "" ? null : name,
        opponentIds: opponentIds.map(String),
        userInfo,
        expiresAt: row.missed_at.toISOString(),
      },
    },
  };
}
