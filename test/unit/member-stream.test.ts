import { Fault } from "../../src/core/errors";
import { mapStream } from "../../src/core/map-stream";
import { eachWhileMember } from "../../src/domain/access/member-stream";
import {
  type AuthenticatedSession,
  type AuthLookups,
  RequestAuth,
} from "../../src/domain/access/request-auth";
import { CoalescingQueue } from "../../src/platform/bus/coalescing-queue";

/** A stream over a queue of ids, of a member of an account unless another token is given, with what it costs. */
function streamOf(count: number, token = `acct_${"x".repeat(43)}`) {
  const costs = { lookUps: 0, loads: 0, closed: false, signedOut: false };
  const queue = new CoalescingQueue(() => {
    costs.closed = true;
  });
  for (let id = 1; id <= count; id += 1) queue.add(id);
  const lookups = {
    async findMemberByToken() {
      costs.lookUps += 1;
      if (costs.signedOut) throw Fault.noSession();
    },
  } as unknown as AuthLookups<AuthenticatedSession>;
  const auth = new RequestAuth(lookups, { token, origin: undefined });
  const batches = mapStream(queue, async (ids) => {
    costs.loads += 1;
    return ids.filter((id) => id !== 60);
  });
  return { queue, costs, stream: eachWhileMember(auth, batches) };
}

it("a batch of values costs one look-up of the member's session", async () => {
  const { stream, costs } = streamOf(1_000);
  const values: number[] = [];
  while (values.length < 999) values.push((await stream.next()).value);
  expect([values[0], values[59], values.at(-1)]).toEqual([1, 61, 1_000]);
  expect(costs).toMatchObject({ loads: 20, lookUps: 20 });
  await stream.return?.();
  expect([costs.closed, await stream.next()]).toEqual([true, { value: undefined, done: true }]);
});

it("costs no look-up for a session of an application, whose socket closes with it", async () => {
  const { stream, costs } = streamOf(51, "a session's token");
  costs.signedOut = true;
  for (let id = 1; id <= 51; id += 1) expect((await stream.next()).value).toBe(id);
  expect(costs.lookUps).toBe(0);
});

it("a batch of which nothing is left delivers nothing", async () => {
  const { stream, queue } = streamOf(0);
  const next = stream.next();
  queue.add(60);
  queue.add(61);
  expect((await next).value).toBe(61);
});

it("ends for a member whose session has ended, before the next batch", async () => {
  const { stream, costs } = streamOf(51);
  for (let id = 1; id <= 50; id += 1) expect((await stream.next()).value).toBe(id);
  costs.signedOut = true;
  await expect(stream.next()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect(costs.closed).toBe(true);
});
