import { Fault } from "../../core/errors";
import type { AppendOptions, Bus } from "./bus";

/** A bus with the operations of the process that opened it. */
export interface ManagedBus extends Bus {
  /**
   * Appends to an inbox of nobody's and makes sure that its notice arrives, for /readyz.
   * @throws Fault UNAVAILABLE when the bus cannot be reached or accepts no entries
   */
  check(): Promise<void>;
  /** Closes every connection and ends every subscription. */
  close(): Promise<void>;
}

/**
 * How long a bus keeps the last cursor of an inbox whose entries have expired, in milliseconds. During this
 * time a reader that was idle for hours can verify that it missed nothing.
 */
export const LAST_CURSOR_TTL_MS = 86_400_000;

/** The options of an entry without a sender. */
export const NO_SENDER: AppendOptions = { sender: "", highPriority: false };

/** Seconds after which a refused sender may retry: some entries have expired by then. */
const RETRY_AFTER_S = 10;

/** The fault for an entry that its inbox has no room for. */
export function inboxFull(): Fault {
  const message = "The recipient's inbox is full; try again";
  return new Fault("LIMITED", message, undefined, RETRY_AFTER_S);
}

/** The fault for an entry that exceeds the size of all inboxes together. */
export function inboxesFull(): Fault {
  const message = "The inboxes of this service are full; try again";
  return new Fault("UNAVAILABLE", message, undefined, RETRY_AFTER_S);
}
