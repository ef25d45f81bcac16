import { systemClock } from "../../src/core/clock";
import { Fault } from "../../src/core/errors";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import { callUuidOf } from "../../src/domain/calls/history/call-uuid";
import type { HistoryDeps } from "../../src/domain/calls/history/history-deps";
import {
  type PendingCallPush,
  sendCallPushes,
} from "../../src/domain/calls/history/incoming-call-push";
import type { PushChannel } from "../../src/domain/push/channels/channel";
import { collapseCallPush } from "../../src/domain/push/events/call-push";
import { translate } from "../../src/domain/push/payload/translate";
import { readUniversal } from "../../src/domain/push/payload/universal";
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
  /** The avatar of every caller. */
  avatar?: string | null;
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
  avatar = null,
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
      return (json as number[]).map((id) => ({ u_id: id, full_name: "Ann", avatar, tags: null }));
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

describe("the payload's keys for the app", () => {
  /** The keys of `call` in a push. */
  async function callOf(scenario: Scenario) {
    const { records, pushes } = depsWith(scenario);
    await sendCallPushes(records, { pushes: list(1) });
    return JSON.parse(Buffer.from(String(pushes[0]?.message), "base64").toString()).call;
  }

  it("leave out an avatar that is too long", async () => {
    // Two bytes are the quotation marks.
    for (const avatar of ["a".repeat(510), "\u0001".repeat(85)]) {
      expect((await callOf({ avatar })).callerAvatar).toBe(avatar);
    }
    for (const avatar of ["a".repeat(511), "\u0001".repeat(86)]) {
      expect((await callOf({ avatar })).callerAvatar).toBeNull();
    }
  });

  it("have the UUID of version 5 of the application and the call", async () => {
    expect((await callOf({})).callUuid).toBe(callUuidOf(1, "s1"));
    // Computed with uuid.uuid5 of Python.
    expect(callUuidOf(774, "1605784922547")).toBe("59df5726-92db-589a-b69f-daa56f8a2c4c");
    expect(callUuidOf(1, "Anruf ä")).toBe("ae24d371-e1b1-5b1a-a819-ba846052622e");
  });
});

describe("a push about a call", () => {
  const uuid = "59df5726-92db-589a-b69f-daa56f8a2c4c";
  const message = readUniversal({ message: "Incoming call", call: { callUuid: uuid } });
  const translated = (channel: PushChannel) =>
    collapseCallPush(translate(message, channel, 0), message);

  it("replaces an earlier one of the same call, where the service can", () => {
    expect(translated("apns")).toMatchObject({ collapseId: uuid });
    expect(translated("web")).toMatchObject({ topic: "59df572692db589ab69fdaa56f8a2c4c" });
    expect(translated("gcm")).toEqual(translate(message, "gcm", 0));
  });

  it("of an earlier version, without a UUID, is sent as it is", () => {
    const earlier = readUniversal({ message: "Incoming call", call: { callId: "1" } });
    const payload = translate(earlier, "apns", 0);
    expect(collapseCallPush(payload, earlier)).toEqual(payload);
  });
});
