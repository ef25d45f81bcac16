/** Returns a random integer, at least 0 and less than `bound`. */
export type Random = (bound: number) => number;

/** A deterministic pseudo-random generator (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

/** A copy of the values in an order that the generator draws. */
export function shuffled<T>(random: Random, values: readonly T[]): T[] {
  const order = [...values];
  for (let left = order.length - 1; left > 0; left -= 1) {
    const other = random(left + 1);
    [order[left], order[other]] = [order[other] as T, order[left] as T];
  }
  return order;
}

/** A copy of the bytes with some of them changed, removed, duplicated or added. */
export function corrupt(random: Random, bytes: Buffer): Buffer {
  let corrupted = Buffer.from(bytes);
  for (let edits = 1 + random(6); edits > 0; edits -= 1) {
    const at = random(corrupted.length + 1);
    const head = corrupted.subarray(0, at);
    const tail = corrupted.subarray(at);
    const kind = random(4);
    if (kind === 0) corrupted = Buffer.concat([head, Buffer.from([random(256)]), tail.subarray(1)]);
    else if (kind === 1) corrupted = Buffer.concat([head, tail.subarray(random(20))]);
    else if (kind === 2) corrupted = Buffer.concat([head, tail.subarray(0, random(40)), tail]);
    else {
      const inserted = Array.from({ length: 1 + random(8) }, () => random(256));
      corrupted = Buffer.concat([head, Buffer.from(inserted), tail]);
    }
  }
  return corrupted;
}
