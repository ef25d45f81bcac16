/**
 * Whether a JSON value nests deeper than a number of levels, the value itself being the first. Arrays
 * and objects count alike. Readers that recurse ask this first: what nests deep enough ends them.
 */
export function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels < 1) return true;
  const items = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => nestsDeeper(item, levels - 1));
}
