import type { Party, Signal } from "../signals/signal";

/** The types of the signals that end the ringing on the sender's other devices. */
export const ANSWER_TYPES = ["accept", "reject", "hangUp"] as const;
/** One of {@link ANSWER_TYPES}. */
export type AnswerType = (typeof ANSWER_TYPES)[number];

/** An answer of one of the user's devices to a call. The member names are the stored format. */
export interface AnswerDetails {
  callId: string;
  answerType: AnswerType;
  /** The resource of the device that answered, as text. The name is stored, so it stays `device`. */
  device: string;
  /** The other party of the call, which receives the answer. */
  peer: Party;
}

/**
 * A message to a subscriber:
 *
 * - `signal`: a call signal and its cursor. `mayHaveMissed` is set if the subscriber may have missed a ringing call.
 * - `stanza`: another stanza, unchanged.
 * - `answered`: the notification that another device of the user answered a call.
 */
export type SubscriberMessage =
  | { kind: "signal"; cursor: string; signal: Signal; mayHaveMissed?: boolean }
  | { kind: "stanza"; xml: string }
  | AnsweredCall;

/** The notification that another device of the user answered a call. */
export interface AnsweredCall extends AnswerDetails {
  kind: "answered";
  /** Cursor of the answer in the inbox. */
  cursor: string;
  /**
   * Whether a client that does not support this notification receives a `hangUp` instead. It is the
   * application's setting answeredElsewhere, and false for GraphQL devices, which all support the notification.
   */
  hangUp: boolean;
}

/**
 * Why the inbox closes a subscriber.
 *
 * - `replaced`: a newer chat stream has the same address.
 * - `behind`: the subscriber reads too slowly, or may have missed an entry of the inbox.
 */
export type CloseReason = "replaced" | "behind";

/**
 * A subscriber of a user's inbox: a chat stream, or one GraphQL subscription. The subscriptions of one session are
 * subscribers of one device. The router calls its methods.
 */
export interface SignalSubscriber {
  /** The user, and the resource of the device. */
  party: Required<Party>;
  protocol: "graphql" | "xmpp";
  /** Whether it receives only `answered` messages, and no signals. */
  answersOnly?: boolean;
  /** Accepts a message. Must not throw, and must bound its buffer. */
  receive(message: SubscriberMessage): void;
  /**
   * Called before the first message if entries were evicted from the inbox: for a new subscriber, calls that may
   * still be ringing; for one that was disconnected, anything that it has not acknowledged. A subscriber that
   * resumes `after` a cursor is refused instead, unless it allows a gap.
   */
  onPossibleGap?(): void;
  /**
   * Resolves once the subscriber has sent everything it received to the client; undefined if it already has. The
   * inbox waits for it while the subscriber catches up.
   */
  whenDrained?(): Promise<void> | undefined;
  /** Ends the connection to the client. */
  close(reason: CloseReason): void;
}

/**
 * Where a subscriber resumes reading its user's inbox. A subscriber without a start position is new: it receives the
 * calls that are still ringing, then new messages.
 *
 * - `after`: the cursor of a message. The subscriber receives everything after it. If that can no longer be guaranteed,
 *   it receives the fault INVALID on `after`, or with `allowGap` what the inbox still holds.
 * - `resumed`: the resource of a chat stream that acknowledged (see {@link Attachment.acknowledge}) and was
 *   disconnected less than {@link INBOX_TTL_MS} ago, on any node. The subscriber receives everything after the last
 *   acknowledged cursor. If the inbox no longer has that cursor, none of its entries were acknowledged, and
 *   it receives all of them.
 */
export type StartPosition = { after: string; allowGap?: boolean | undefined } | { resumed: string };

/** An attached subscriber's handle: the subscriber acknowledges and leaves by it. */
export interface Attachment {
  /**
   * Records that the client has received everything up to this cursor. An empty text means that it has
   * received nothing yet and will acknowledge (XEP-0198 `<enable/>`). Written to the bus asynchronously, up to
   * once a second, so that a disconnected device can resume on another node.
   */
  acknowledge(cursor: string): void;
  /** Removes the subscriber from the inbox; it receives nothing more. */
  detach(): Promise<void>;
}
