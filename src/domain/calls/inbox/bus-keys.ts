import { hash } from "node:crypto";
import type { Party } from "../signals/signal";

/** Maximum length of a text in a key; a longer one, which clients can choose, is hashed. */
const KEY_TEXT_MAX = 64;

/** Name of a user's inbox, and of its notification channel. */
export function inboxOf(party: Party): string {
  return `user:${party.applicationId}:${party.userId}`;
}

/** Key of the cursor that a device has acknowledged, on the bus. */
export function acknowledgedKey(user: Party, device: string): string {
  return `position:${inboxOf(user)}:${shortText(device)}`;
}

/** Key of the device that has accepted a call, on the bus. */
export function acceptedKey(user: Party, callId: string): string {
  return `accepted:${inboxOf(user)}:${shortText(callId)}`;
}

/** Key of the time at which that device has accepted, on the bus, in milliseconds since the Unix epoch. */
export function acceptedAtKey(user: Party, callId: string): string {
  return `accepted-at:${inboxOf(user)}:${shortText(callId)}`;
}

/** Key of a call that a user has started, on the bus. */
export function newCallKey(user: Party, callId: string): string {
  return `called:${inboxOf(user)}:${shortText(callId)}`;
}

/** The text itself, or the hash of a long one. */
export function shortText(text: string): string {
  return text.length <= KEY_TEXT_MAX ? text : hash("sha256", text, "base64url");
}
