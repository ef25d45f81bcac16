/** Id of an entry of a Redis stream: `milliseconds-sequence`, both 64-bit. */
export type StreamId = readonly [ms: bigint, sequence: bigint];

/** Reads an id; undefined for text that is none. */
export function parseStreamId(text: string): StreamId | undefined {
  const found = /^(\d{1,20})-(\d{1,20})$/.exec(text);
  if (!found?.[1] || !found[2]) return undefined;
  const id = [BigInt(found[1]), BigInt(found[2])] as const;
  return id[0] <= MAX && id[1] <= MAX ? id : undefined;
}

/** Whether the first id stands after the second. */
export function isAfter(a: StreamId, b: StreamId): boolean {
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);
}

const MAX = 2n ** 64n - 1n;
