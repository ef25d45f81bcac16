import { seededRandom, shuffled } from "../../tools/seeded-random";

/**
 * Whether the matrices of the security tests are tested completely, as CI and `npm run test:all` do. Otherwise each
 * run tests a sample of them.
 */
export const isExhaustive = process.env.EXHAUSTIVE === "1";

const seed = Number(process.env.TEST_SEED);
const random = seededRandom(seed);

/** End of the title of a test with a sample: a failure names the seed, which gives the same sample again. */
export const SAMPLED = isExhaustive ? "" : ` (TEST_SEED=${seed})`;

/**
 * The values that each place is tested with: all of them, or a sample. In a sample, every value is used at some place,
 * and all about equally often.
 * @param places number of places
 * @param count number of values for each place in a sample; more if the places would not use all values
 */
export function sampleFor<T>(values: readonly T[], places: number, count: number): T[][] {
  if (isExhaustive) return Array.from({ length: places }, () => [...values]);
  const order = shuffled(random, values);
  const each = Math.min(values.length, Math.max(count, Math.ceil(values.length / places)));
  return Array.from({ length: places }, (_, place) =>
    Array.from({ length: each }, (_, turn) => order[(place * each + turn) % order.length] as T),
  );
}

/** One of the values, by the seed. */
export const oneOf = <T>(values: readonly T[]): T => values[random(values.length)] as T;

/** All values, or some of them, by the seed. */
export const someOf = <T>(values: readonly T[], count: number): readonly T[] =>
  isExhaustive ? values : shuffled(random, values).slice(0, count);
