/** What the driver of bench/signals.ts is asked for: its jobs in the words of JSON. */

/** Domain of every server's users. */
export const DOMAIN = "chat.example";

/** A way into a server. */
export type Door =
  | { kind: "websocket"; url: string }
  | { kind: "tls"; port: number }
  | { kind: "graphql"; url: string };

/** Who signs in: the user `{userId}-{applicationId}`, by the password or token that the server keeps. */
export interface Account {
  userId: number;
  applicationId: number;
  secret: string;
}

/** One who is to be connected, and by which door. */
export interface Seat {
  door: Door;
  account: Account;
}

/** Connects everybody; they stay connected until the job `leave`. */
export interface EnterJob {
  kind: "enter";
  seats: Seat[];
  /** How long that may take. */
  seconds: number;
}

/**
 * Those connected, in pairs: the first and the second, the third and the fourth. `both` ways, a call is
 * answered by an accept, whereupon the next call goes out; the time is that of a round trip. `one` way,
 * the next call goes out when one has arrived; the time is that on the way.
 */
export interface TalkJob {
  kind: "talk";
  /** How many of the pairs talk, at once. */
  pairs: number;
  ways: "both" | "one";
  seconds: number;
}

/** Everybody connected answers a sign of life, then all leave. It counts them. */
export interface LeaveJob {
  kind: "leave";
  seconds: number;
}

/** Signs in and leaves, eight at a time, for as long as the window lasts. */
export interface SignInsJob {
  kind: "sign-ins";
  door: Door;
  accounts: Account[];
  seconds: number;
}

export type SignalJob = EnterJob | TalkJob | LeaveJob | SignInsJob;
