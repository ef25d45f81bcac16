import { type Random, seededRandom } from "../../tools/seeded-random";

/**
 * The random generator of a case. It depends on seed, target and number alone, so that every case can be
 * reproduced separately.
 */
export function randomFor(seed: number, target: string, number: number): Random {
  let hash = 0x811c9dc5;
  for (const character of `${seed}/${target}/${number}`) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  }
  return seededRandom(hash);
}

/** A random item. */
export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random(items.length)] as T;
}

/** True with a probability in percent. */
export const chance = (random: Random, percent: number): boolean => random(100) < percent;

/** Between `min` and `max` items. */
export function several<T>(random: Random, min: number, max: number, make: () => T): T[] {
  return Array.from({ length: min + random(max - min + 1) }, make);
}
