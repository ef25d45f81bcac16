import { cutText } from "../../core/text";
import { parseId } from "../../identity/user/find-user";
import { problemOf } from "../../push/payload/json";
import type { JsonObject, Party, Signal } from "../signal";
import type { CallAnswer } from "./call-states";

/** A signal that was accepted: it stands in the recipient's inbox. */
export interface SentSignal {
  door: "graphql" | "xmpp" | "rest";
  signal: Signal;
  cursor: string;
  /** Whether anybody listened to the inbox, on whichever node. */
  heard: boolean;
}

/** Characters of a sessionID at most; a call by a longer one goes through and is not recorded. */
export const SESSION_ID_MAX = 255;
/** Characters of a device's name that are kept. */
const DEVICE_MAX = 255;
/** Bytes of a call's userInfo, as JSON, that go along in a push. */
const USER_INFO_MAX = 1_024;
/** The level of userInfo in a push: beside other keys of `call`. */
const USER_INFO_LEVEL = 3;
/** Opponents that go along in a push at most: as many as a call has. */
const OPPONENTS_MAX = 3;

/** What a `call` says that a push repeats. */
export interface Invitation {
  opponentIds: number[];
  /** Null where there is none, and where a push would not take it as it is. */
  userInfo: JsonObject | null;
}

interface Parties {
  /** Milliseconds since the Unix epoch. */
  at: number;
  applicationId: number;
  sessionId: string;
  from: number;
  to: number;
}

/** What a signal says about a call. */
export type CallEvent = Parties &
  (
    | {
        kind: "call";
        /** Who began the call, as the sender claims. */
        initiator: number;
        callType: number | null;
        heard: boolean;
        invitation: Invitation;
      }
    | { kind: "answer"; answer: CallAnswer; device: string | null }
    | {
        kind: "hangUp";
        /** The device that hung up. */
        device: string | null;
        /** The one device that it is for; null for all of the recipient's. */
        toDevice: string | null;
      }
  );

/**
 * What an accepted signal says about a call, or null when it says nothing: of another kind, without a
 * sessionID or with one that is too long, or between devices of one user.
 * @param at milliseconds since the Unix epoch
 */
export function toCallEvent({ signal, heard }: SentSignal, at: number): CallEvent | null {
  const { sessionId, from, to } = signal;
  if (!sessionId || sessionId.length > SESSION_ID_MAX || from.userId === to.userId) return null;
  const { applicationId } = from;
  const parties = { at, applicationId, sessionId, from: from.userId, to: to.userId };
  switch (signal.type) {
    case "call":
      return {
        ...{ ...parties, kind: "call", heard },
        initiator: idOf(signal.callerId) ?? from.userId,
        callType: signal.callType === "1" || signal.callType === "2" ? +signal.callType : null,
        invitation: invitationOf(signal),
      };
    case "accept":
    case "reject": {
      const answer = signal.type === "accept" ? "accept" : refusalOf(signal.userInfo);
      return { ...parties, kind: "answer", answer, device: deviceOf(from) };
    }
    case "hangUp":
      return { ...parties, kind: "hangUp", device: deviceOf(from), toDevice: deviceOf(to) };
    default:
      return null;
  }
}

function deviceOf({ resource }: Party): string | null {
  return resource === undefined ? null : cutText(resource, DEVICE_MAX);
}

/** How a `reject` is meant: its userInfo tells when a client sent it by itself. */
function refusalOf(userInfo: JsonObject | undefined): CallAnswer {
  if (isSet(userInfo, "not_supported")) return "unsupported";
  return isSet(userInfo, "busy") ? "busy" : "decline";
}

function isSet(userInfo: JsonObject | undefined, name: string): boolean {
  if (!userInfo || !Object.hasOwn(userInfo, name)) return false;
  const value = userInfo[name];
  return value === true || value === 1 || value === "true" || value === "1";
}

function invitationOf({ opponentIds = [], userInfo }: Signal): Invitation {
  const ids = opponentIds.slice(0, 2 * OPPONENTS_MAX).map(idOf);
  const known = [...new Set(ids.filter((id): id is number => id !== null))];
  const fits = userInfo !== undefined && fitsPush(userInfo);
  return { opponentIds: known.slice(0, OPPONENTS_MAX), userInfo: fits ? userInfo : null };
}

/** Signals carry more than pushes do: deeper, and numbers that JSON does not pass on exactly. */
function fitsPush(userInfo: JsonObject): boolean {
  const small = Buffer.byteLength(JSON.stringify(userInfo)) <= USER_INFO_MAX;
  return small && problemOf(userInfo, USER_INFO_LEVEL) === null;
}

function idOf(text: string | undefined): number | null {
  return text === undefined ? null : parseId(text);
}
