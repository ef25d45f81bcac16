/** A percentile; `share` is from 0 to 1. Sorts the values in place. Returns 0 for an empty list. */
export function percentile(values: number[], share: number): number {
  values.sort((a, b) => a - b);
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}
