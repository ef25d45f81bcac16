import { Emitter } from "../../../client/src/emitter.ts";
import { SignalboxError } from "../../../client/src/index.ts";
import { PolledList } from "../../../client/src/react/polled-list.ts";
import type { Session, SessionEvents } from "../../../client/src/session/session.ts";

/** The lists of the hooks for React, which are read now and then. */

class FakeSession extends Emitter<SessionEvents> {
  signIn(userId: string | null): void {
    this.emit("changed", { userId } as SessionEvents["changed"]);
  }
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  delete (globalThis as { document?: unknown }).document;
  jest.useRealTimers();
});

/** A list that is read by `answers`, one after the other; the last one repeats. */
function listOf(...answers: (() => Promise<string[]>)[]) {
  const own = new FakeSession();
  const shown: (readonly string[] | null)[] = [];
  let reads = 0;
  const list = new PolledList<string>(own as unknown as Session, () => {
    reads += 1;
    return (answers.length > 1 ? answers.shift() : answers[0])?.() ?? Promise.resolve([]);
  });
  const callback = () => shown.push(list.getSnapshot().items);
  return { list, own, shown, callback, reads: () => reads };
}

const give =
  (...items: string[]) =>
  async () =>
    items;
const fail = async () => {
  throw new SignalboxError("NETWORK", "The service does not answer");
};

test("is read when it is shown, every ten seconds, and not after that", async () => {
  const { list, callback, shown, reads } = listOf(give("a"), give("a", "b"));
  expect([list.getSnapshot().items, reads()]).toEqual([null, 0]);
  const stop = list.subscribe(callback);
  await pass(0);
  expect(shown).toEqual([["a"]]);
  await pass(10_000);
  expect(shown.at(-1)).toEqual(["a", "b"]);
  stop();
  await pass(60_000);
  expect(reads()).toBe(2);
});

test("is read once for all components that show it, and again for those that come back", async () => {
  const { list, callback, reads } = listOf(give("a"));
  const stops = [list.subscribe(callback), list.subscribe(() => {})];
  await pass(0);
  expect(reads()).toBe(1);
  for (const stop of stops) stop();
  list.subscribe(callback);
  await pass(0);
  expect(reads()).toBe(2);
});

test("is not read while the page is hidden", async () => {
  const { list, callback, reads } = listOf(give("a"));
  list.subscribe(callback);
  Object.assign(globalThis, { document: { visibilityState: "hidden" } });
  await pass(60_000);
  expect(reads()).toBe(1);
});

test("shows the error of the last read beside the items of the one before", async () => {
  const { list, callback } = listOf(give("a"), fail, give("b"));
  list.subscribe(callback);
  await pass(0);
  await pass(10_000);
  expect(list.getSnapshot()).toMatchObject({ items: ["a"], error: { code: "NETWORK" } });
  await list.getSnapshot().reload();
  expect(list.getSnapshot()).toMatchObject({ items: ["b"], error: null });
});

test("a read that is overtaken changes nothing", async () => {
  let proceed = () => {};
  const late = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const { list, callback } = listOf(() => late.then(give("late")), give("new"));
  list.subscribe(callback);
  await list.getSnapshot().reload();
  proceed();
  await pass(0);
  expect(list.getSnapshot().items).toEqual(["new"]);
});

test("what one user has read is gone for the next one, also for one who was signed in before", async () => {
  const { list, own, callback, shown, reads } = listOf(give("of ann"), give("of ben"));
  list.subscribe(callback);
  await pass(0);
  expect(shown).toEqual([["of ann"]]);
  own.signIn(null);
  expect(shown.at(-1)).toBeNull();
  own.signIn("2");
  await pass(0);
  expect(shown.at(-1)).toEqual(["of ben"]);
  const before = reads();
  own.signIn("2");
  await pass(0);
  expect(reads()).toBe(before);
});

test("a read that takes longer than ten seconds is not overtaken by the next one", async () => {
  const slow = () => new Promise<string[]>((resolve) => setTimeout(() => resolve(["a"]), 25_000));
  const { list, callback, reads } = listOf(slow);
  list.subscribe(callback);
  await pass(25_000);
  expect([list.getSnapshot().items, reads()]).toEqual([["a"], 1]);
  await pass(5_000);
  expect(reads()).toBe(2);
});
