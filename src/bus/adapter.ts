import { Fault } from "../core/errors";
import type { Bus, Share } from "./bus";

/** A bus as the process that opened it holds it. */
export interface OpenBus extends Bus {
  /**
   * One round trip over every connection, for /readyz.
   * @throws Fault UNAVAILABLE when the bus cannot be reached
   */
  check(): Promise<void>;
  /** Ends every connection and every subscription. */
  close(): Promise<void>;
}

/**
 * How long a bus remembers the last cursor of an inbox whose entries are gone, in milliseconds. As
 * long as it does, it can tell a reader that stood still for hours that nothing was missed.
 */
export const HEAD_MS = 86_400_000;

/** What an entry counts for that is of no sender. */
export const NOBODYS: Share = { sender: "", lasting: false };

/** Seconds after which whoever was refused may try again: by then some entries are past their time. */
const TRY_AGAIN_S = 10;

/** What the sender of an entry is told for which an inbox has no room. */
export function inboxFull(): Fault {
  const message = "The recipient's inbox is full of what others sent; try again";
  return new Fault("LIMITED", message, undefined, TRY_AGAIN_S);
}

/** What the sender of an entry is told for which all inboxes together have no room. */
export function inboxesFull(): Fault {
  const message = "The inboxes of this service are full; try again";
  return new Fault("UNAVAILABLE", message, undefined, TRY_AGAIN_S);
}
