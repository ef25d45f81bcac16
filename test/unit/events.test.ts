import { GraphQLError } from "graphql";
import { Fault } from "../../src/core/errors";
import { openLog } from "../../src/core/log";
import { sourceError } from "../../src/graphql/error";
import { answerEach } from "../../src/graphql/events";

const log = openLog("silent");
const refuse = (error: unknown) => sourceError(error, log, "request");

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

function throwing(): never {
  throw new Error('relation "calls" does not exist');
}

async function rejecting(): Promise<never> {
  return throwing();
}

async function all<T>(results: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const result of results) found.push(result);
  return found;
}

test("answers each event in order, whether the answer is there or to come", async () => {
  const answers = answerEach(
    sourceOf(1, 2, 3),
    (event) => (event === 2 ? Promise.resolve(event * 10) : event * 10),
    refuse,
  );
  expect(await all(answers)).toEqual([10, 20, 30]);
});

test("whoever stops listening ends the source", async () => {
  const source = sourceOf(1, 2, 3);
  for await (const answer of answerEach(source, (event) => event, refuse)) {
    expect(answer).toBe(1);
    break;
  }
  expect(source.ended).toBe(true);
});

test.each<[string, (source: ReturnType<typeof sourceOf>) => unknown, () => unknown]>([
  ["a source", (source) => Object.assign(source, { next: rejecting }), () => 1],
  ["an answer to come", (source) => source, rejecting],
  ["an answer", (source) => source, throwing],
])("%s that fails ends the source, and tells nothing of the database", async (_, made, answer) => {
  const source = sourceOf(1, 2);
  made(source);
  const error = await all(answerEach(source, answer, refuse)).catch((thrown) => thrown);
  expect(source.ended).toBe(true);
  // What graphql-ws makes of it has the same message and extensions.
  expect(new GraphQLError(error.message, { originalError: error }).toJSON()).toEqual({
    message: "Internal server error",
    extensions: { code: "INTERNAL" },
  });
});

test("a source that refuses keeps its code, also when it cannot be ended", async () => {
  const source = {
    next: () => Promise.reject(new Fault("LIMITED", "too slow", undefined, 1)),
    return: rejecting,
  };
  await expect(all(answerEach(source, () => 1, refuse))).rejects.toMatchObject({
    ...{ message: "too slow", extensions: { code: "LIMITED", retryAfter: 1 } },
  });
});
