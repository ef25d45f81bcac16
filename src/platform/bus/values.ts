/** How long a value can be read after it was set, in milliseconds. */
export const VALUE_TTL_MS = 60_000;

/** Maximum number of values in memory; beyond it, the oldest are evicted. */
export const VALUES_MAX = 100_000;

/**
 * Short texts under keys, which all nodes of a deployment share, with a TTL of {@link VALUE_TTL_MS}. Each
 * method throws the Fault UNAVAILABLE when the bus cannot be reached.
 */
export interface Values {
  /** Sets a value and restarts its TTL. */
  set(key: string, value: string): Promise<void>;
  /** Returns a value; undefined if there is none. */
  get(key: string): Promise<string | undefined>;
  /**
   * Sets a value if there is none, atomically over all nodes. Returns the existing value; undefined if this
   * call has set it.
   */
  setIfAbsent(key: string, value: string): Promise<string | undefined>;
  /** Deletes a value if it equals the given one, atomically over all nodes. */
  deleteIf(key: string, value: string): Promise<void>;
}
