import type { JsonObject } from "../../../core/json";
import { parseId } from "../../../core/text/ids";
import { detachText, truncateText } from "../../../core/text/text";
import { jsonProblem } from "../../push/payload/json";
import type { Party, Signal, SignalHeader } from "../signals/signal";
import type { CalleeAnswer } from "./call-states";
import { signalKind, type TimedSignal } from "./timeline/timeline";

/** A signal that was accepted and written to the recipient's inbox. */
export interface SentSignal {
  protocol: "graphql" | "xmpp" | "rest";
  signal: Signal;
  cursor: string;
  /** Whether the inbox had a subscriber, on any node; always true if a chat server is attached. */
  hasSubscribers: boolean;
  /** Whether a `hangUp` concerns the user's part in the call, whatever the name of the device. */
  ofUser: boolean;
}

/** Maximum length of a sessionID in characters. A call with a longer one is delivered but not recorded. */
export const CALL_ID_MAX = 255;
/** Maximum stored length of a device's name in characters. */
const DEVICE_MAX = 255;
/** Maximum size of userInfo in a push, in bytes of JSON. */
const USER_INFO_MAX = 1_024;
/** Nesting level of userInfo in a push: `call` is a key of the payload. */
const USER_INFO_LEVEL = 3;
/** Maximum number of opponents in a push, as many as a call can have. */
const OPPONENTS_MAX = 3;

/** The parts of a `call` that are repeated in its push. */
export interface Invitation {
  opponentIds: number[];
  /** Null if there is none, or if a push cannot carry it unchanged. */
  userInfo: JsonObject | null;
}

interface CallEventBase {
  /** Milliseconds since the Unix epoch. */
  at: number;
  applicationId: number;
  callId: string;
  from: number;
  to: number;
  /** What the timeline of the call has of the signal. */
  signal: TimedSignal;
  /** The trace of the signal, if it is sampled. */
  trace?: string;
}

/** An event of a call, derived from a signal. */
export type CallEvent = CallEventBase &
  (
    | {
        kind: "call";
        /** The user who started the call, as claimed by the sender. */
        initiator: number;
        callType: number | null;
        hasSubscribers: boolean;
        invitation: Invitation;
      }
    | { kind: "answer"; answer: CalleeAnswer; device: string | null }
    | {
        kind: "hangUp";
        /** The device that hung up; null for the whole user. */
        device: string | null;
        /** The recipient's device; null for the whole user. */
        toDevice: string | null;
      }
    /** A signal that changes no state, only for the timeline. */
    | { kind: "other" }
  );

/**
 * Derives the call event of an accepted signal. Null for a signal without a sessionID or with one that is too long, or
 * between devices of one user.
 * @param at milliseconds since the Unix epoch
 */
export function toCallEvent(sent: SentSignal, at: number): CallEvent | null {
  const { signal } = sent;
  const { callId, from, to } = signal;
  if (!callId || callId.length > CALL_ID_MAX || from.userId === to.userId) return null;
  const { applicationId } = from;
  const fromDevice = toDeviceName(from);
  const toDevice = toDeviceName(to);
  const ends = { at, from: from.userId, to: to.userId };
  const timed = { ...ends, kind: signalKind(signal.type), fromDevice, toDevice };
  const base = { ...ends, applicationId, callId: detachText(callId), signal: timed };
  switch (signal.type) {
    case "call":
      return {
        ...base,
        kind: "call",
        hasSubscribers: sent.hasSubscribers,
        initiator: idOf(signal.callerId) ?? from.userId,
        callType: signal.callType === "1" || signal.callType === "2" ? +signal.callType : null,
        invitation: invitationOf(signal),
      };
    case "accept":
    case "reject": {
      const answer = signal.type === "accept" ? "accept" : rejectionOf(signal.userInfo);
      return { ...base, kind: "answer", answer, device: fromDevice };
    }
    case "hangUp":
      return sent.ofUser
        ? { ...base, kind: "hangUp", device: null, toDevice: null }
        : { ...base, kind: "hangUp", device: fromDevice, toDevice };
    default:
      return { ...base, kind: "other" };
  }
}

/** The name of a device as it is stored; null for all devices of a user. */
function toDeviceName({ resource }: Party): string | null {
  return resource === undefined ? null : truncateText(resource, DEVICE_MAX);
}

/** The kind of a `reject`; userInfo indicates that the client sent it without asking the user. */
function rejectionOf(userInfo: JsonObject | undefined): CalleeAnswer {
  if (isSet(userInfo, "not_supported")) return "unsupported";
  return isSet(userInfo, "busy") ? "busy" : "decline";
}

function isSet(userInfo: JsonObject | undefined, name: string): boolean {
  if (!userInfo || !Object.hasOwn(userInfo, name)) return false;
  const value = userInfo[name];
  return value === true || value === 1 || value === "true" || value === "1";
}

function invitationOf({ opponentIds = [], userInfo }: SignalHeader): Invitation {
  const ids = opponentIds.slice(0, 2 * OPPONENTS_MAX).map(idOf);
  const valid = [...new Set(ids.filter((id): id is number => id !== null))];
  return { opponentIds: valid.slice(0, OPPONENTS_MAX), userInfo: forPush(userInfo) };
}

/**
 * A copy of userInfo, which keeps nothing of the signal alive. Null if a push cannot carry it: signals allow more
 * nesting, and numbers beyond the exact range of JSON.
 */
function forPush(userInfo: JsonObject | undefined): JsonObject | null {
  if (userInfo === undefined) return null;
  const text = JSON.stringify(userInfo);
  const fits =
    Buffer.byteLength(text) <= USER_INFO_MAX && jsonProblem(userInfo, USER_INFO_LEVEL) === null;
  return fits ? (JSON.parse(text) as JsonObject) : null;
}

function idOf(text: string | undefined): number | null {
  return text === undefined ? null : parseId(text);
}
