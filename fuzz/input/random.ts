import { type Random, seeded } from "../../test/support/noise";

/**
 * The generator of one case: the same numbers for the same seed, target and number, whatever ran before,
 * so that any case runs again by itself.
 */
export function randomFor(seed: number, target: string, number: number): Random {
  let hash = 0x811c9dc5;
  for (const character of `${seed}/${target}/${number}`) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  }
  return seeded(hash);
}

/** One of the items. */
export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random(items.length)] as T;
}

/** True so many times in a hundred. */
export const chance = (random: Random, percent: number): boolean => random(100) < percent;

/** As many items as the bound allows, at least `min`. */
export function several<T>(random: Random, min: number, max: number, make: () => T): T[] {
  return Array.from({ length: min + random(max - min + 1) }, make);
}
