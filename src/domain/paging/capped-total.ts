/** Upper bound of a total: counting more would read as many rows. */
export const TOTAL_MAX = 10_000;

/** Number of entries of a list. */
export interface Total {
  /** At most {@link TOTAL_MAX} if it is not exact. */
  count: number;
  /** Whether the count is not capped. */
  exact: boolean;
}

/**
 * Counts a list on the first call, up to {@link TOTAL_MAX}.
 * @param read counts up to one more than that
 */
export function cappedTotal(read: () => Promise<number>): () => Promise<Total> {
  return once(async () => {
    const total = await read();
    return { count: Math.min(total, TOTAL_MAX), exact: total <= TOTAL_MAX };
  });
}

/** Counts a list on the first call, without a bound. */
export function exactTotal(read: () => Promise<number>): () => Promise<Total> {
  return once(async () => ({ count: await read(), exact: true }));
}

function once(count: () => Promise<Total>): () => Promise<Total> {
  let counting: Promise<Total> | undefined;
  return () => {
    counting ??= count();
    return counting;
  };
}
