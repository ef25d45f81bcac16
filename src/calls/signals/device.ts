import type { Party, Signal } from "./signal";

/** The signals that end the ringing on the sender's other devices. */
export const ANSWER_TYPES = ["accept", "reject", "hangUp"] as const;
/** One of {@link ANSWER_TYPES}. */
export type AnswerType = (typeof ANSWER_TYPES)[number];

/** An answer to a call on another device of the user. The member names are the stored format. */
export interface AnswerDetails {
  sessionId: string;
  answerType: AnswerType;
  /** The device that answered: the resource of its JID. */
  device: string;
  /** The party that it answered. */
  peer: Party;
}

/**
 * A message to a device: a call signal with its cursor, another stanza unchanged, or the notification that
 * another device of the user answered a call.
 */
export type DeviceMessage =
  | { kind: "signal"; cursor: string; signal: Signal; mayHaveMissed?: boolean }
  | { kind: "stanza"; xml: string }
  | AnsweredMessage;

/** The notification that another device of the user answered a call. */
export interface AnsweredMessage extends AnswerDetails {
  kind: "answered";
  /** Cursor of the answer in the inbox. */
  cursor: string;
  /**
   * Whether a client without support for this notification receives a `hangUp` instead: the application's
   * setting answeredElsewhere. False for GraphQL.
   */
  hangUp: boolean;
}

/** Why the router closes a device; `behind` is a slow consumer, or one that may have a gap. */
export type CloseReason = "replaced" | "ended" | "draining" | "behind";

/** A connected client of a user: a chat stream, or a GraphQL subscriber. */
export interface Device {
  party: Required<Party>;
  protocol: "graphql" | "xmpp";
  /** Whether it receives answers of other devices only, and no signals. */
  answersOnly?: boolean;
  /** Accepts a message. Must not throw, and must bound its buffer. */
  receive(message: DeviceMessage): void;
  /**
   * Called before the first message if calls may be ringing whose entries were evicted from the inbox. Only
   * called for a new device; a device that resumes is refused or closed if it may have a gap.
   */
  onPossibleGap?(): void;
  /**
   * Resolves once everything received was sent to the client; undefined if it already was. Used for
   * back-pressure while a device catches up.
   */
  whenDrained?(): Promise<void> | undefined;
  close(reason: CloseReason): void;
}

/**
 * Where a device resumes. Without it the device is new: it receives the calls that are still ringing, then
 * new messages.
 *
 * - `after`: the cursor of a message. The device receives everything after it, or the fault INVALID on
 *   `after` if that can no longer be guaranteed.
 * - `resumed`: the resource of a device that acknowledged (see {@link Attachment.acknowledge}) and was lost
 *   less than {@link INBOX_TTL_MS} ago, on any node. The device receives everything after the last
 *   acknowledged cursor. If the inbox no longer has that cursor, none of its entries were acknowledged, and
 *   it receives all of them.
 */
export type StartPosition = { after: string } | { resumed: string };

/** The connection of a device to the router. */
export interface Attachment {
  /**
   * Records that the client has received everything up to this cursor. An empty text means that it has
   * received nothing yet and will acknowledge (XEP-0198 `<enable/>`). Written to the bus asynchronously, up to
   * once a second, so that a lost device can resume on another node.
   */
  acknowledge(cursor: string): void;
  detach(): Promise<void>;
}
