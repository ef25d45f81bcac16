import { FAN_OUT_OPTIONS } from "../../src/domain/push/deps/push-deps";
import { validateEvent } from "../../src/domain/push/events/event-request";
import { writePushEvents } from "../../src/domain/push/events/events";
import type { JobOptions } from "../../src/platform/jobs/jobs";
import type { Transaction } from "../../src/platform/store/store";

test("the fan-out resumes after a minute if its node dies, from the first window on", async () => {
  const message = { notification: { body: "x" } };
  const request = validateEvent({ environment: "development", userIds: ["1"], message }, 0);
  const transaction = { query: async () => [{ id: 7 }] } as unknown as Transaction;
  const asked: Array<[string, object, JobOptions?]> = [];
  await writePushEvents(
    transaction,
    async (_transaction, ...job) => void asked.push(job),
    { applicationId: 1, userId: 1 },
    request,
    { channels: ["gcm"], key: null, requestHash: null, now: 0, callId: null },
  );
  expect(asked).toEqual([["push-fan-out", expect.objectContaining({ event: 7 }), FAN_OUT_OPTIONS]]);
  expect(FAN_OUT_OPTIONS.leaseSeconds).toBe(60);
});
