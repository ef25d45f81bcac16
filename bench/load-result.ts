/** The result of a job. */
export interface LoadResult {
  /** Number of answered requests or delivered messages within the window. */
  count: number;
  /** Length of the window. */
  seconds: number;
  /** Latency in milliseconds, median and 99th percentile. */
  p50: number;
  p99: number;
  /** Responses by HTTP status, and connection failures as `error`; only for a load with a fixed rate. */
  statuses?: Record<string, number>;
}
