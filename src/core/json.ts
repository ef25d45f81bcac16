/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/**
 * Whether the arrays and objects of a JSON value nest deeper than a number of levels; the value itself is the
 * first level. Recursive readers check this first, to avoid a stack overflow.
 */
export function exceedsDepth(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels < 1) return true;
  const items = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => exceedsDepth(item, levels - 1));
}
