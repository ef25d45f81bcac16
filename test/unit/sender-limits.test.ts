import { SenderLimits } from "../../src/domain/calls/sender-limits";
import type { Limiter } from "../../src/platform/limits/limiter";
import { LocalLimiter } from "../../src/platform/limits/local-limiter";

const user = (userId: number) => ({ applicationId: 7, userId });
const FIGURES = { RATE_MESSAGES_PER_USER: 100, RATE_MESSAGE_BYTES_PER_USER: 10_000 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

let now: number;
const clock = { now: () => now };
beforeEach(() => {
  now = 1_000_000;
});

/** A node that shares a limiter with others. */
const nodeWith = (limiter: Pick<Limiter, "add">, figures = FIGURES) =>
  new SenderLimits(figures, limiter, clock);

/** Number of a user's signals that are allowed when they are sent through the nodes in turn. */
async function passed(nodes: SenderLimits[], count: number, bytes = 1, userId = 1) {
  let through = 0;
  for (let n = 0; n < count; n++) {
    try {
      nodes[n % nodes.length]?.take(user(userId), bytes);
      through += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: "LIMITED", retryAfter: expect.any(Number) });
    }
    await turn();
  }
  return through;
}

test("one node allows the limit, and again in the next minute", async () => {
  const node = nodeWith(new LocalLimiter(clock));
  expect(await passed([node], 150)).toBe(100);
  expect(await passed([node], 1, 1, 2)).toBe(1);
  now += 60_000;
  expect(await passed([node], 150)).toBe(100);
  expect(await passed([nodeWith(new LocalLimiter(clock))], 30, 1_000)).toBe(10);
});

test("three nodes together exceed the limit by up to a twentieth each", async () => {
  const shared = new LocalLimiter(clock);
  const nodes = [1, 2, 3].map(() => nodeWith(shared));
  const through = await passed(nodes, 300);
  expect(through).toBeGreaterThanOrEqual(100);
  expect(through).toBeLessThanOrEqual(115);
  now += 60_000;
  expect(await passed(nodes, 300)).toBeLessThanOrEqual(115);
});

test("a node reports in batches, not for each signal", async () => {
  const shared = new LocalLimiter(clock);
  const add = jest.spyOn(shared, "add");
  await passed([nodeWith(shared)], 100);
  // Reports of the signals; their bytes are far below the reporting threshold.
  expect(add).toHaveBeenCalledTimes(20);
});

test("a node that cannot report relies on its own count", async () => {
  const alone = nodeWith({ add: async () => undefined });
  expect(await passed([alone], 150)).toBe(100);
});

test("while inboxes are crowded, the heaviest senders are throttled first", async () => {
  const node = nodeWith(new LocalLimiter(clock));
  expect(await passed([node], 2, 1_000)).toBe(2);
  node.noteUsage(0.6);
  expect(await passed([node], 1, 1_000)).toBe(0);
  expect(await passed([node], 5, 1_000, 2)).toBe(1);
  node.noteUsage(0.4);
  expect(await passed([node], 1, 1_000)).toBe(1);
  // A reported usage expires.
  node.noteUsage(0.6);
  now += 5_000;
  expect(await passed([node], 1, 1_000)).toBe(1);
});

test("a limit of 0 counts nothing", async () => {
  const none = { RATE_MESSAGES_PER_USER: 0, RATE_MESSAGE_BYTES_PER_USER: 0 };
  expect(await passed([nodeWith(new LocalLimiter(clock), none)], 1_000, 1_000_000)).toBe(1_000);
});
