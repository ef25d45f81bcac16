import { answerEach } from "../../src/graphql/events";

/** A source that hands out what it is given, and notes that it was ended. */
function sourceOf(...events: number[]) {
  const source = {
    ended: false,
    next: async (): Promise<IteratorResult<number>> => {
      const value = events.shift();
      return value === undefined ? { value, done: true } : { value, done: false };
    },
    return: async (): Promise<IteratorResult<number>> => {
      source.ended = true;
      return { value: undefined, done: true };
    },
  };
  return source;
}

async function all<T>(results: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const result of results) found.push(result);
  return found;
}

test("answers each event in order, whether the answer is there or to come", async () => {
  const answers = answerEach(sourceOf(1, 2, 3), (event) =>
    event === 2 ? Promise.resolve(event * 10) : event * 10,
  );
  expect(await all(answers)).toEqual([10, 20, 30]);
});

test("whoever stops listening ends the source", async () => {
  const source = sourceOf(1, 2, 3);
  for await (const answer of answerEach(source, (event) => event)) {
    expect(answer).toBe(1);
    break;
  }
  expect(source.ended).toBe(true);
});

test("a source that fails, and an answer that fails, fail the reader", async () => {
  const failing = { next: () => Promise.reject(new Error("the source is gone")) };
  await expect(all(answerEach(failing, () => 1))).rejects.toThrow("the source is gone");
  const refusing = answerEach(sourceOf(1), () => Promise.reject(new Error("no answer")));
  await expect(all(refusing)).rejects.toThrow("no answer");
});
