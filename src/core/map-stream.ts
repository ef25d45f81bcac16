/**
 * Maps the values of a stream, in order, when the consumer asks for them; a value that maps to undefined is left out. The
 * source is closed with the result, and when `map` fails. A generator could not be closed while it waits for the source.
 */
export function mapStream<T, R>(
  source: AsyncIterableIterator<T>,
  map: (value: T) => Promise<R | undefined>,
): AsyncIterableIterator<R> {
  const close = async (): Promise<IteratorResult<R>> => {
    await source.return?.();
    return { value: undefined, done: true };
  };
  return {
    async next() {
      for (;;) {
        const step = await source.next();
        if (step.done) return { value: undefined, done: true };
        try {
          const value = await map(step.value);
          if (value !== undefined) return { value, done: false };
        } catch (error) {
          await close();
          throw error;
        }
      }
    },
    return: close,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Iterates over the values of batches one by one. */
export function oneByOne<T>(batches: AsyncIterableIterator<T[]>): AsyncIterableIterator<T> {
  let batch: T[] = [];
  return {
    async next() {
      while (batch.length === 0) {
        const step = await batches.next();
        if (step.done) return step;
        batch = [...step.value];
      }
      return { value: batch.shift() as T, done: false };
    },
    async return() {
      batch = [];
      await batches.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
