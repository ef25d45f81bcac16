import type { Bus } from "./bus";

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
