/**
 * Answers one result for each event of a source, in order. A plain iterator rather than a generator,
 * which would take three more turns of the queue for each event of each subscriber.
 */
export function answerEach<Event, Result>(
  source: AsyncIterator<Event>,
  answer: (event: Event) => Result | Promise<Result>,
): AsyncIterableIterator<Result> {
  const settle = (step: IteratorResult<Event>) => {
    if (step.done) return { value: undefined, done: true as const };
    const value = answer(step.value);
    return isPromise(value) ? value.then(toStep) : toStep(value);
  };
  return {
    next: () => source.next().then(settle),
    async return() {
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
