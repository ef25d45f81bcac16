/**
 * Maps the events of a source to results, in order. A plain iterator takes three microtasks fewer per event
 * than a generator. If the source or `map` fails, the source is closed, which `for await` does not do. The source is
 * closed once, however often the iterator is returned; each return resolves when that is done.
 * @param mapError converts an error for the consumer
 * @param ended called when the iteration ends, possibly more than once
 */
export function mapAsyncIterator<Event, Result>(
  source: AsyncIterator<Event>,
  map: (event: Event) => Result | Promise<Result>,
  mapError: (error: unknown) => Error,
  ended: () => void = () => undefined,
): AsyncIterableIterator<Result> {
  let closing: Promise<unknown> | undefined;
  const close = () => {
    closing ??= Promise.resolve(source.return?.());
    return closing;
  };
  const fail = async (error: unknown): Promise<never> => {
    ended();
    try {
      await close();
    } catch {
      // Report the first error only.
    }
    throw mapError(error);
  };
  const mapStep = (step: IteratorResult<Event>) => {
    if (step.done) {
      closing ??= Promise.resolve();
      ended();
      return { value: undefined, done: true as const };
    }
    try {
      const value = map(step.value);
      return value instanceof Promise ? value.then(toStep, fail) : toStep(value);
    } catch (error) {
      return fail(error);
    }
  };
  return {
    next: () => source.next().then(mapStep, fail),
    async return() {
      ended();
      await close();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function toStep<Result>(value: Result): IteratorYieldResult<Result> {
  return { value, done: false };
}
