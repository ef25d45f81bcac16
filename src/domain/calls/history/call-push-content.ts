import { Fault } from "../../../core/errors";
import { truncateText } from "../../../core/text/text";
import type { User } from "../../users/user";
import { callUuidOf } from "./call-uuid";
import type { HistoryDeps } from "./history-deps";

/** What the pushes about a call have in common. Its size is bounded, so that every push service accepts them. */

/** Maximum length of the caller's name in a push, in characters. */
const NAME_MAX = 64;
/** Maximum size of the caller's avatar in a push, in bytes of JSON. A longer one is left out: a part of it names nothing. */
const AVATAR_MAX = 512;
/** The GraphQL values of `calls.call_type`. */
const CALL_TYPES: Readonly<Record<number, string>> = { 1: "VIDEO", 2: "AUDIO" };

/** The columns of a call that its pushes need. */
interface PushedCall {
  application_id: number;
  session_id: string;
  call_type: number | null;
  caller_id: number;
}

/** The keys of `call` that every push about a call has, with the names and values of GraphQL (docs/PUSH.md "Calls"). */
export function describeCall(row: PushedCall, caller: Pick<User, "fullName" | "avatar">) {
  const name = truncateText(caller.fullName?.trim() ?? "", NAME_MAX);
  const callType = CALL_TYPES[row.call_type ?? 0] ?? null;
  return {
    callId: row.session_id,
    callType,
    callerId: String(row.caller_id),
    callerName: name === "" ? null : name,
    callUuid: callUuidOf(row.application_id, row.session_id),
    hasVideo: callType === "VIDEO",
    callerAvatar: fitsPush(caller.avatar) ? caller.avatar : null,
  };
}

const fitsPush = (avatar: string | null) => Buffer.byteLength(JSON.stringify(avatar)) <= AVATAR_MAX;

/** The text that platforms show which display a push by themselves. */
export function withCaller(text: string, callerName: string | null): string {
  return callerName === null ? text : `${text} from ${callerName}`;
}

/** Counts a push against the caller's rate limit. @returns false if it is exceeded */
export async function mayPush({ limits, log }: HistoryDeps, callerId: number): Promise<boolean> {
  try {
    await limits.countPush(callerId);
    return true;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "LIMITED") throw error;
    log.info(
      { user: callerId, code: error.code },
      "no push about a call: the caller's rate limit is exceeded",
    );
    return false;
  }
}
