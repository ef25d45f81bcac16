import { systemClock } from "../../src/core/clock";
import { Fault } from "../../src/core/errors";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import type { HistoryDeps } from "../../src/domain/calls/history/history-deps";
import {
  type PendingCallPush,
  sendCallPushes,
} from "../../src/domain/calls/history/incoming-call-push";
import type { EnqueueIn } from "../../src/platform/jobs/jobs";
import type { Statement } from "../../src/platform/store/store";

/** The recipients of incoming-call pushes; a failure of one does not affect the others. */

const pushTo = (callId: number, fields: Partial<PendingCallPush> = {}): PendingCallPush => ({
  callId,
  userId: 100 + callId,
  opponentIds: [],
  userInfo: null,
  ...fields,
});

interface Scenario {
  /** Callees without a device. */
  withoutDevice?: number[];
  /** Callers, by the id of their call, who exceed the rate limit. */
  limitedCallers?: number[];
  /** Calls whose pushes the database rejects, and its error. */
  rejected?: number[];
  failure?: Error;
}

/** A database in which every call rings and every user has one device. */
function depsWith({
  withoutDevice = [],
  limitedCallers = [],
  rejected = [],
  failure,
}: Scenario = {}) {
  const metrics = openMetrics();
  let statements = 0;
  /** Calls with a push, by committed transaction. */
  const pushed: number[][] = [];
  const pushes: Array<Record<string, unknown>> = [];
  const query = async ({ name }: Statement, [json]: unknown[]): Promise<object[]> => {
    statements += 1;
    if (name === "call_push_settings") {
      return [
        {
          id: 1,
          incoming_call_push_delay_seconds: 0,
          incoming_call_push_environment: "production",
        },
      ];
    }
    if (name === "users_by_id") {
      return (json as number[]).map((id) => ({ u_id: id, full_name: "Ann", tags: null }));
    }
    const keys = JSON.parse(String(json)) as Array<{ call_id: number; user_id: number }>;
    switch (name) {
      case "ringing_for_pushes":
        return keys.map((key) => ({
          ...key,
          missed_at: new Date(systemClock.now() + 60_000),
          application_id: 1,
          session_id: `s${key.call_id}`,
          call_type: 1,
          caller_id: key.call_id,
        }));
      case "push_channels_of_users":
        return keys
          .filter(({ user_id: id }) => !withoutDevice.includes(id - 100))
          .map(({ user_id }) => ({ user_id, channel: "gcm" }));
      case "write_call_pushes":
        if (keys.some((key) => rejected.includes(key.call_id)))
          throw failure ?? new Error("bad row");
        pushes.push(...keys);
        return keys.map((_, id) => ({ id }));
      default:
        return keys;
    }
  };
  const jobs: Array<[string, unknown]> = [];
  const enqueue: EnqueueIn = async (_transaction, name, data) => void jobs.push([name, data]);
  const transaction = async (act: (open: object) => Promise<number>) => {
    const before = pushes.length;
    const answer = await act({ query });
    pushed.push(pushes.slice(before).map((push) => Number(push.call_id)));
    return answer;
  };
  const countPush = async (id: number) => {
    if (limitedCallers.includes(id)) throw new Fault("LIMITED", "Too many requests", undefined, 9);
  };
  const records = {
    clock: systemClock,
    store: { query, transaction },
    limits: { countPush },
    push: { jobs: { openQueues: async () => enqueue } },
    log: openLog("silent"),
    metrics,
  } as unknown as HistoryDeps;
  return { records, pushed, pushes, jobs, statements: () => statements };
}

const list = (count: number) => Array.from({ length: count }, (_, n) => pushTo(n + 1));

it("sends many pushes with a few statements", async () => {
  const { records, pushed, jobs, statements } = depsWith();
  await sendCallPushes(records, { pushes: list(20) });
  expect(pushed.flat()).toHaveLength(20);
  expect(statements()).toBe(6);
  expect(jobs).toEqual([
    [
      "push-fan-out",
      expect.arrayContaining([{ event: 19, occurrence: 0, recipient: 0, subscription: 0 }]),
    ],
  ]);
});

it("a payload that a push cannot carry does not affect other pushes", async () => {
  const { records, pushed } = depsWith();
  const pushes = [...list(3), pushTo(4, { userInfo: { id: 1e20 } }), pushTo(5)];
  await sendCallPushes(records, { pushes });
  expect(pushed).toEqual([[1, 2, 3, 5]]);
});

it("only the row that cannot be written is dropped", async () => {
  const { records, pushed } = depsWith({ rejected: [3] });
  await sendCallPushes(records, { pushes: list(7) });
  expect(pushed.flat()).toEqual([1, 2, 4, 5, 6, 7]);
});

it.each([
  ["the database is down", new Fault("UNAVAILABLE", "The database cannot be reached")],
  ["it hits a deadlock", Object.assign(new Error("deadlock"), { code: "40P01" })],
])("is retried when %s", async (_, failure) => {
  const { records, pushed } = depsWith({ rejected: [3], failure });
  await expect(sendCallPushes(records, { pushes: list(7) })).rejects.toBe(failure);
  expect(pushed).toEqual([]);
});

it("claims no user without a device, and none whose caller exceeds the rate limit", async () => {
  const { records, pushed } = depsWith({ withoutDevice: [2], limitedCallers: [4] });
  await sendCallPushes(records, { pushes: list(5) });
  // Without a claim pushed_at stays null, so that a repeat of the call may send the push.
  expect(pushed).toEqual([[1, 3, 5]]);
  const none = depsWith({ withoutDevice: [1] });
  await sendCallPushes(none.records, { pushes: list(1) });
  expect(none.pushed).toEqual([]);
});
