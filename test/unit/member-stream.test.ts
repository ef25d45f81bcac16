import { eachWhileMember } from "../../src/access/member-stream";
import {
  type AuthenticatedSession,
  type AuthLookups,
  RequestAuth,
} from "../../src/access/request-auth";
import { CoalescingQueue, changedBatches } from "../../src/bus/coalescing-queue";
import { Fault } from "../../src/core/errors";

/** A stream of an owner over a queue of ids, with what it costs. */
function ownersStream(count: number) {
  const costs = { lookUps: 0, loads: 0, closed: false, signedOut: false };
  const queue = new CoalescingQueue(() => {
    costs.closed = true;
  });
  for (let id = 1; id <= count; id += 1) queue.add(id);
  const lookups = {
    async findOwner() {
      costs.lookUps += 1;
      if (costs.signedOut) throw Fault.noSession();
    },
  } as unknown as AuthLookups<AuthenticatedSession>;
  const auth = new RequestAuth(lookups, { token: "acct_token", origin: undefined });
  const batches = changedBatches(queue, async (ids) => {
    costs.loads += 1;
    return ids.filter((id) => id !== 60);
  });
  return { queue, costs, stream: eachWhileMember(auth, batches) };
}

it("a batch of values costs one look-up of the member's session", async () => {
  const { stream, costs } = ownersStream(1_000);
  const values: number[] = [];
  while (values.length < 999) values.push((await stream.next()).value);
  expect([values[0], values[59], values.at(-1)]).toEqual([1, 61, 1_000]);
  expect(costs).toMatchObject({ loads: 20, lookUps: 20 });
  await stream.return?.();
  expect([costs.closed, await stream.next()]).toEqual([true, { value: undefined, done: true }]);
});

it("a batch of which nothing is left delivers nothing", async () => {
  const { stream, queue } = ownersStream(0);
  const next = stream.next();
  queue.add(60);
  queue.add(61);
  expect((await next).value).toBe(61);
});

it("ends for a member whose session has ended, before the next batch", async () => {
  const { stream, costs } = ownersStream(51);
  for (let id = 1; id <= 50; id += 1) expect((await stream.next()).value).toBe(id);
  costs.signedOut = true;
  await expect(stream.next()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect(costs.closed).toBe(true);
});
