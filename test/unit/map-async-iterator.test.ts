import { GraphQLError } from "graphql";
import { Fault } from "../../src/core/errors";
import { openLog } from "../../src/core/log";
import { operationError } from "../../src/transports/graphql/engine/error";
import { mapAsyncIterator } from "../../src/transports/graphql/engine/map-async-iterator";

/** @own-modules Sources of this file return promises, which shared modules would not recognize as theirs. */

const log = openLog("silent");
const mapError = (error: unknown) => operationError(error, log, "request");

/** A source of given events, which records that it was closed. */
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

test("maps events in order, synchronously or asynchronously", async () => {
  const answers = mapAsyncIterator(
    sourceOf(1, 2, 3),
    (event) => (event === 2 ? Promise.resolve(event * 10) : event * 10),
    mapError,
  );
  expect(await all(answers)).toEqual([10, 20, 30]);
});

test("returning the iterator closes the source", async () => {
  const source = sourceOf(1, 2, 3);
  for await (const answer of mapAsyncIterator(source, (event) => event, mapError)) {
    expect(answer).toBe(1);
    break;
  }
  expect(source.ended).toBe(true);
});

test("the source is closed once, and each return waits for it", async () => {
  const order: string[] = [];
  let close = (): void => undefined;
  const closing = new Promise<void>((resolve) => {
    close = resolve;
  });
  const source = {
    ...sourceOf(1),
    return: async (): Promise<IteratorResult<number>> => {
      order.push("closes");
      await closing;
      order.push("closed");
      return { value: undefined, done: true };
    },
  };
  const answers = mapAsyncIterator(source, (event) => event, mapError);
  const returned = [1, 2].map(async () => {
    await answers.return?.();
    order.push("returned");
  });
  close();
  await Promise.all(returned);
  expect(order).toEqual(["closes", "closed", "returned", "returned"]);
});

test("a source that has ended is not closed", async () => {
  const source = sourceOf(1);
  const answers = mapAsyncIterator(source, (event) => event, mapError);
  expect(await all(answers)).toEqual([1]);
  await answers.return?.();
  expect(source.ended).toBe(false);
});

test.each<[string, (source: ReturnType<typeof sourceOf>) => unknown, () => unknown]>([
  ["a source", (source) => Object.assign(source, { next: rejecting }), () => 1],
  ["an asynchronous map", (source) => source, rejecting],
  ["a synchronous map", (source) => source, throwing],
])("%s that fails closes the source and masks internal errors", async (_, made, answer) => {
  const source = sourceOf(1, 2);
  made(source);
  const error = await all(mapAsyncIterator(source, answer, mapError)).catch((thrown) => thrown);
  expect(source.ended).toBe(true);
  // graphql-ws's error has the same message and extensions.
  expect(new GraphQLError(error.message, { originalError: error }).toJSON()).toEqual({
    message: "Internal server error",
    extensions: { code: "INTERNAL" },
  });
});

test("a fault of the source keeps its code, even if closing the source fails", async () => {
  const source = {
    next: () => Promise.reject(new Fault("LIMITED", "too slow", undefined, 1)),
    return: rejecting,
  };
  await expect(all(mapAsyncIterator(source, () => 1, mapError))).rejects.toMatchObject({
    message: "too slow",
    extensions: { code: "LIMITED", retryAfter: 1 },
  });
});
