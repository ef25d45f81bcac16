import { Fault } from "../../src/core/errors";
import { deliver } from "../../src/domain/push/delivery/deliver";
import { type DeliverJob, fanOut } from "../../src/domain/push/delivery/fan-out";
import type { PushDeps } from "../../src/domain/push/deps/push-deps";
import { createEvents } from "../../src/domain/push/events/events";
import type { Outcome } from "../../src/domain/push/providers/port/provider";
import { universal } from "../support/push/push";
import { openPushFixture, type PushFixture } from "../support/push/push-fixture";

/** Recording outcomes of a batch that is repeated, or while the database fails. */

const BUSY: Outcome = { kind: "retry", reason: "Busy", delayMs: 60_000 };
const DEVICES = 3;

let fixture: PushFixture;
let sender: { applicationId: number; userId: number };
beforeAll(async () => {
  fixture = await openPushFixture();
  const [user] = await sql<{ id: number; application_id: number }>(
    `WITH a AS (INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'k', now())
        RETURNING id),
      b AS (INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
        SELECT id, 'x', 'k', 's', '{}', now() FROM a RETURNING id)
      INSERT INTO users (application_id, login, login_key, updated_at)
        SELECT id, 'l', 'l', now() FROM b RETURNING id, application_id`,
  );
  sender = { applicationId: user?.application_id ?? 0, userId: user?.id ?? 0 };
});
afterAll(() => fixture.close());

const sql = <Row>(text: string, values: unknown[] = []) =>
  fixture.store.query<Row>({ name: "test", text }, values);

/** Creates an event for new devices of the sender, and returns its batch. */
async function createBatch(answer: (attempt: number) => Outcome | Promise<Outcome>) {
  const { push, providers, fanOutJobs, deliverJobs, options } = fixture;
  await sql("DELETE FROM push_subscriptions");
  providers.sent.length = 0;
  deliverJobs.length = 0;
  options.length = 0;
  for (let n = 0; n < DEVICES; n += 1) {
    const token = `${batchCount}-${n}`;
    await sql(
      `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
          token, updated_at) VALUES ($1, $2, 'gcm', 'development', 'android', $3, $3, now())`,
      [sender.applicationId, sender.userId, token],
    );
    providers.outcomes.set(token, answer);
  }
  batchCount += 1;

  await createEvents(push, sender, {
    environment: "development",
    message: { platform: { channel: "gcm", payload: { a: "b" } } },
    userIds: [String(sender.userId)],
  });
  await fanOut(push, fanOutJobs.pop()!);
  return deliverJobs.pop() as DeliverJob;
}
let batchCount = 0;

const seen = ({ deliveries }: DeliverJob) =>
  sql<{ outcome: string; attempts: number }>(
    "SELECT outcome::text, attempts FROM push_deliveries WHERE id = ANY($1::bigint[]) ORDER BY id",
    [deliveries],
  );
const all = (outcome: string, attempts: number) => Array(DEVICES).fill({ outcome, attempts });

describe("a batch with recorded outcomes", () => {
  it("sends nothing when it is repeated, and enqueues no second retry", async () => {
    const { push, providers, deliverJobs } = fixture;
    const job = await createBatch(() => BUSY);
    await deliver(push, job);
    expect(deliverJobs).toEqual([{ ...job, attempts: 1 }]);
    await deliver(push, job);
    expect([deliverJobs.length, providers.sent.length]).toEqual([1, DEVICES]);
    expect(await seen(job)).toEqual(all("later", 1));
    await deliver(push, deliverJobs[0]!);
    expect([deliverJobs.length, providers.sent.length]).toEqual([2, 2 * DEVICES]);
  });

  it("is recorded once when another node considers it lost", async () => {
    const { push, deliverJobs } = fixture;
    const pending: Array<() => void> = [];
    const job = await createBatch(
      () =>
        new Promise<Outcome>((resolve) => {
          pending.push(() => resolve(BUSY));
          // Both runs have read the batch before either records outcomes.
          if (pending.length === 2 * DEVICES) for (const resume of pending) resume();
        }),
    );
    await Promise.all([deliver(push, job), deliver(push, job)]);
    expect(deliverJobs).toHaveLength(1);
    expect(await seen(job)).toEqual(all("later", 1));
  });
});

describe("outcomes that the database fails to record", () => {
  /** A fixture whose transactions fail with these first. */
  function failing(errors: unknown[]): { push: PushDeps; left: unknown[] } {
    const left = [...errors];
    const { push } = fixture;
    const transaction: PushDeps["store"]["transaction"] = (act) =>
      push.store.transaction(async (open) => {
        const answer = await act(open);
        if (left.length > 0) throw left.shift();
        return answer;
      });
    return { push: { ...push, store: { ...push.store, transaction } }, left };
  }
  const deadlock = () => Object.assign(new Error("deadlock detected"), { code: "40P01" });

  it("are recorded by a retry, and the batch is sent once", async () => {
    const job = await createBatch(() => ({ kind: "accepted", providerId: null }));
    const { push, left } = failing([deadlock(), new Fault("UNAVAILABLE", "away")]);
    await deliver(push, job);
    expect([left, fixture.providers.sent.length]).toEqual([[], DEVICES]);
    expect(await seen(job)).toEqual(all("accepted", 1));
  });

  it("are an error after a permanent failure", async () => {
    const job = await createBatch(() => ({ kind: "accepted", providerId: null }));
    const { push } = failing([new Error("no such column"), deadlock()]);
    await expect(deliver(push, job)).rejects.toThrow("no such column");
    expect(await seen(job)).toEqual(all("pending", 0));
  });
});

it("the sixth failed attempt counts as failed", async () => {
  const { push, deliverJobs } = fixture;
  push.metrics.pushDeliveries.reset();
  let job: DeliverJob | undefined = await createBatch(() => BUSY);
  for (; job; job = deliverJobs.pop()) await deliver(push, job);
  const { values } = await push.metrics.pushDeliveries.get();
  expect(values.map(({ labels, value }) => [labels.outcome, value])).toEqual([
    ["retry", 5 * DEVICES],
    ["failed", DEVICES],
  ]);
});

it("nothing is recorded for a deleted event", async () => {
  const { push, deliverJobs } = fixture;
  const job = await createBatch(async () => {
    await sql("DELETE FROM push_events");
    return BUSY;
  });
  await deliver(push, job);
  expect([await seen(job), deliverJobs]).toEqual([[], []]);
});

describe("a batch of an incoming call that stopped ringing while it was sent", () => {
  const ENDS = `SELECT d.subscription_id FROM push_deliveries d JOIN push_events e ON e.id = d.event_id
    WHERE e.kind = 'CALL_END' ORDER BY 1`;

  /** Makes the event of a batch an incoming-call push that was withdrawn, with the event that ends its ring. */
  async function stopRinging({ event }: DeliverJob): Promise<void> {
    await sql("DELETE FROM push_events WHERE kind = 'CALL_END'");
    await sql(
      `WITH made AS (INSERT INTO push_events (application_id, channel, environment, message, selector, universal,
          kind, updated_at) SELECT application_id, channel, environment, $2, selector, true, 'CALL_END', now()
          FROM push_events WHERE id = $1 RETURNING id)
        UPDATE push_events e SET kind = 'CALL', withdrawn_at = now(), call_end_id = made.id FROM made WHERE e.id = $1`,
      [event, universal()],
    );
  }

  it("is not sent, and its devices are not told", async () => {
    const job = await createBatch(() => ({ kind: "accepted", providerId: null }));
    await stopRinging(job);
    await deliver(fixture.push, job);
    expect([fixture.providers.sent.length, await sql(ENDS)]).toEqual([0, []]);
  });

  it("is not sent again after a crash, and its devices are told once that the call has ended", async () => {
    const { push, providers, deliverJobs } = fixture;
    const job = await createBatch(() => ({ kind: "accepted", providerId: null }));
    await stopRinging(job);
    for (let run = 0; run < 2; run += 1) await deliver(push, job, { repeated: true });
    expect(providers.sent).toEqual([]);
    expect(await seen(job)).toEqual(all("refused", 1));
    expect(await sql(ENDS)).toHaveLength(DEVICES);
    expect(deliverJobs).toHaveLength(1);
    await deliver(push, deliverJobs[0]!);
    expect(providers.sent).toHaveLength(DEVICES);
  });
});
