import type { Party, Signal } from "./signal";

/** The words that settle a call for the other devices of the user who says them. */
export const ANSWER_WORDS = ["accept", "reject", "hangUp"] as const;
/** A word of {@link ANSWER_WORDS}. */
export type AnswerWord = (typeof ANSWER_WORDS)[number];

/** That another device of the user answered a call. */
export interface Answer {
  sessionId: string;
  word: AnswerWord;
  /** The device that answered, the resource of its JID. */
  device: string;
  /** Whom it answered. */
  peer: Party;
}

/**
 * What reaches a device: a call signal with its place in the inbox, another stanza as it is, or the
 * word that another device of the user answered a call.
 */
export type Parcel =
  | { kind: "signal"; cursor: string; signal: Signal; mayHaveMissed?: boolean }
  | { kind: "stanza"; xml: string }
  | AnsweredParcel;

/** The word that another device of the user answered a call. */
export interface AnsweredParcel extends Answer {
  kind: "answered";
  /** Place of the answer in the inbox. */
  cursor: string;
  /**
   * Whether a client that knows no such word is sent a `hangUp` in its place: the setting
   * answeredElsewhere of the application. False for GraphQL.
   */
  hangUp: boolean;
}

/** Why the router ends a device; `behind` is one that did not take what it missed in time. */
export type CloseReason = "replaced" | "ended" | "draining" | "behind";

/** A connected client of a user: a chat stream, or a GraphQL subscriber. */
export interface Device {
  party: Required<Party>;
  door: "graphql" | "xmpp";
  /** Whether it hears of answers on other devices alone, and of no signal. */
  answersOnly?: boolean;
  /** Takes a parcel; must not throw, and bounds what it keeps. */
  receive(parcel: Parcel): void;
  /**
   * Is told, before it receives anything, that calls may ring which the inbox no longer holds: more was sent to
   * the user within the minute than it keeps. Only a device that is newly arrived; any other is refused or
   * closed where it may have missed something.
   */
  missed?(): void;
  /**
   * Resolves once what was received has left for the client; undefined when it has. Asked only while
   * a device is handed what it missed, so that a long replay does not overrun its bounds.
   */
  drained?(): Promise<void> | undefined;
  close(reason: CloseReason): void;
}

/**
 * Where a device goes on. Without one it is newly arrived: it receives the calls that still ring, and
 * what comes from then on.
 *
 * - `after`: a cursor of a parcel. Everything after it for this device, or the fault INVALID on
 *   `after` when that can no longer be promised.
 * - `resumed`: the resource of a device that acknowledged (see {@link Attachment.acknowledge}) and was
 *   lost less than {@link INBOX_MS} ago, on whichever node. Everything for it after the last position
 *   that it acknowledged. When the inbox no longer knows a position, nothing that it still holds was
 *   acknowledged, and all of it comes.
 */
export type Start = { after: string } | { resumed: string };

/** A device that the router knows. */
export interface Attachment {
  /**
   * Notes that the client has everything up to the parcel of this cursor; the empty text, that it
   * has nothing yet, which is how a device begins that will acknowledge (XEP-0198 `<enable/>`). Written
   * to the inbox behind, once a second at most. A device that is lost may then be resumed elsewhere.
   */
  acknowledge(cursor: string): void;
  detach(): Promise<void>;
}
