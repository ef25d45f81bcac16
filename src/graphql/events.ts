/**
 * Answers one result for each event of a source, in order. A plain iterator rather than a generator,
 * which would take three more turns of the queue for each event of each subscriber. Where the source or
 * an answer fails, the source is ended: whoever reads by `for await` does not do that.
 * @param refuse what the reader is told in place of an error
 * @param ended called whenever the answers end, perhaps more than once
 */
export function answerEach<Event, Result>(
  source: AsyncIterator<Event>,
  answer: (event: Event) => Result | Promise<Result>,
  refuse: (error: unknown) => Error,
  ended: () => void = () => undefined,
): AsyncIterableIterator<Result> {
  const fail = async (error: unknown): Promise<never> => {
    ended();
    try {
      await source.return?.();
    } catch {
      // The first error is what there is to tell.
    }
    throw refuse(error);
  };
  const settle = (step: IteratorResult<Event>) => {
    if (step.done) {
      ended();
      return { value: undefined, done: true as const };
    }
    try {
      const value = answer(step.value);
      return isPromise(value) ? value.then(toStep, fail) : toStep(value);
    } catch (error) {
      return fail(error);
    }
  };
  return {
    next: () => source.next().then(settle, fail),
    async return() {
      ended();
      await source.return?.();
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

/** Whether a value is still to come. */
export function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value;
}
