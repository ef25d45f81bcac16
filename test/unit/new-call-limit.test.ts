import { Fault } from "../../src/core/errors";
import { openLog } from "../../src/core/log";
import { countNewCall } from "../../src/domain/calls/new-call-limit";
import { openLocalBus } from "../../src/platform/bus/local";

/** Which calls count as new. */

const MINUTE = 60_000;
const ann = { applicationId: 7, userId: 42 };
const bob = { applicationId: 7, userId: 43 };

function start(max: number) {
  let now = 1_000_000;
  const counted: number[] = [];
  const deps = {
    bus: openLocalBus({ now: () => now }, openLog("silent")),
    async countNewCall({ userId }: typeof ann) {
      if (counted.length >= max) throw new Fault("LIMITED", "too many", undefined, 60);
      counted.push(userId);
    },
  };
  const call = (callId: string | undefined, from = ann) =>
    countNewCall(deps, { from, ...(callId !== undefined && { callId }) });
  return {
    counted,
    call,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("a repeat does not count, the same sessionID of another user does", async () => {
  const { call, counted, pass } = start(100);
  for (let repeat = 0; repeat < 12; repeat += 1) {
    await call("a");
    pass(5_000);
  }
  await call("b");
  await call("b", bob);
  await call("x".repeat(1_000));
  await call("x".repeat(1_000));
  expect(counted).toEqual([42, 42, 43, 42]);
});

test("what was refused counts when it is sent again", async () => {
  const { call, counted, pass } = start(1);
  await call("a");
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect(call("b")).rejects.toMatchObject({ code: "LIMITED", retryAfter: 60 });
  }
  await call("a");
  pass(MINUTE + 1);
  await expect(call("a")).rejects.toMatchObject({ code: "LIMITED" });
  expect(counted).toEqual([42]);
});

test("a call without a sessionID makes no row and does not count", async () => {
  const { call, counted } = start(0);
  await call(undefined);
  await call("");
  expect(counted).toEqual([]);
});
