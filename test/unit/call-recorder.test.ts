import { type Clock, systemClock } from "../../src/core/clock";
import { Fault } from "../../src/core/errors";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import type { HistoryDeps } from "../../src/domain/calls/history/history-deps";
import {
  EVENTS_MAX,
  LOOKUPS_MAX,
  REPEAT_AFTER_MS,
  Recorder,
  TIMELINE_EVENTS_MAX,
  TIMELINE_LOOKUPS_MAX,
} from "../../src/domain/calls/history/recorder";
import { TURN_MAX } from "../../src/domain/calls/history/timeline/timeline";
import type { Signal } from "../../src/domain/calls/signals/signal";
import { eventually, MovingClock } from "../support/moving-clock";

/** The recorder's queue: it is bounded, and rejected events are dropped one by one. */

const signal = (fields: Partial<Signal> = {}): Signal => ({
  id: "i",
  type: "call",
  callId: "s",
  callType: "1",
  extra: [],
  from: { applicationId: 1, userId: 1 },
  to: { applicationId: 1, userId: 2 },
  ...fields,
});

/**
 * A recorder over a database that stores nothing and fails as `transaction` does. Only the calls of the
 * sessions in `existing` exist.
 */
function recorderOver(transaction: () => Promise<void>, alone = true, clock: Clock = systemClock) {
  const metrics = openMetrics();
  const written: number[] = [];
  const existing = new Set<string>();
  /** Called with the name of each statement. */
  const statements = { begin: (_name: string) => undefined as unknown };
  const query = async ({ name }: { name: string }, [json]: unknown[]) => {
    statements.begin(name);
    if (name === "call_push_settings" || name === "callees_of_calls") return [];
    const rows = JSON.parse(String(json)) as Array<{ session_id?: string; user_id?: number }>;
    if (rows.some(({ session_id: id }) => id === "poison")) throw new Error("no such text");
    written.push(rows.length);
    if (name === "lock_matching_calls") {
      return rows
        .filter((row) => existing.has(row.session_id ?? ""))
        .map((row, id) => ({
          id,
          application_id: 1,
          session_id: row.session_id,
          caller_id: row.user_id,
          started_at: new Date(clock.now()),
          state: "ringing",
        }));
    }
    return [];
  };
  const records = {
    clock,
    bus: { publish: async () => undefined },
    jobs: { openQueues: async () => async () => undefined },
    store: {
      transaction: async (act: (open: object) => Promise<unknown>) => {
        await transaction();
        return act({ query });
      },
    },
    log: openLog("silent"),
    metrics,
  } as unknown as HistoryDeps;
  const recorder = new Recorder(records, alone);
  const count = async (outcome: string) => {
    const { values } = await metrics.callRecords.get();
    return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
  };
  const observe = (fields: Partial<Signal> = {}, hasSubscribers = true) =>
    recorder.observe({
      ...{ protocol: "rest", cursor: "c", hasSubscribers, ofUser: false },
      signal: signal(fields),
    });
  return { recorder, observe, count, written, existing, statements };
}

it("drops and counts events beyond its limit while the database is down", async () => {
  let isDown = true;
  let tries = 0;
  const { recorder, observe, count } = recorderOver(async () => {
    tries += 1;
    if (isDown) throw new Fault("UNAVAILABLE", "The database cannot be reached");
  });
  for (let n = 0; n < EVENTS_MAX + 25; n += 1) observe({ type: "hangUp", callId: `s${n}` });
  expect(await count("dropped")).toBe(25);
  await eventually(
    () => tries,
    (times) => times > 1,
  );
  expect(await count("unmatched")).toBe(0);
  isDown = false;
  // All queued events are processed once, in batches.
  await eventually(
    () => count("unmatched"),
    (number) => number === EVENTS_MAX,
  );
  expect(tries).toBeLessThan(30);
  await recorder.close();
});

it("drops only the events that cannot be written", async () => {
  const { recorder, observe, count, written } = recorderOver(async () => undefined);
  const bad = new Set([17, 18, 40]);
  for (let n = 0; n < 64; n += 1) observe({ callId: bad.has(n) ? "poison" : `s${n}` });
  await eventually(
    () => count("dropped"),
    (number) => number === bad.size,
  );
  await recorder.close();
  // Each event is written alone, and only once.
  expect(written.every((rows) => rows === 1)).toBe(true);
  expect(await count("unmatched")).toBe(64 - bad.size);
});

it("processes a bounded number of events in one turn of the event loop", async () => {
  const { recorder, observe, count, existing, statements } = recorderOver(async () => undefined);
  const events = 500;
  const turns = new Map<string, number>();
  let turn = 0;
  let running = true;
  const nextTurn = () => {
    turn += 1;
    if (running) setImmediate(nextTurn);
  };
  setImmediate(nextTurn);
  statements.begin = (name) => turns.set(name, turn);
  for (let n = 0; n < events; n += 1) {
    existing.add(`s${n}`);
    observe({ callId: `s${n}` });
  }
  await eventually(
    () => count("written"),
    (number) => number === events,
  );
  running = false;
  const between = (from: string, to: string) => (turns.get(to) ?? 0) - (turns.get(from) ?? 0);
  const turnsOf = Math.floor((events - 1) / TURN_MAX);
  // Matching has one round of all events; the entries of the timelines have two.
  expect(between("callees_of_calls", "save_calls")).toBeGreaterThanOrEqual(turnsOf);
  expect(between("save_call_participants", "record_call_signals")).toBeGreaterThanOrEqual(
    2 * turnsOf,
  );
  await recorder.close();
});

it("repeats the look-up of a call that another node may still have to write", async () => {
  let tries = 0;
  const nodes = recorderOver(async () => {
    tries += 1;
  }, false);
  nodes.observe({ type: "accept" });
  await eventually(
    () => tries,
    (times) => times > 1,
  );
  expect(await nodes.count("unmatched")).toBe(0);
  await nodes.recorder.close();
  const alone = recorderOver(async () => undefined);
  alone.observe({ type: "accept" });
  await eventually(
    () => alone.count("unmatched"),
    (number) => number === 1,
  );
  await alone.recorder.close();
});

it("retries after a deadlock, and counts what it could not write", async () => {
  let tries = 0;
  const { recorder, observe, count } = recorderOver(async () => {
    tries += 1;
    throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
  });
  observe();
  await eventually(
    () => tries,
    (times) => times > 1,
  );
  expect(await count("dropped")).toBe(0);
  await recorder.close();
  expect(await count("dropped")).toBe(1);
});

it("writes queued events when it is closed, and accepts none afterwards", async () => {
  const { recorder, observe, count } = recorderOver(async () => undefined);
  observe({ type: "hangUp" });
  await recorder.close();
  expect(await count("unmatched")).toBe(1);
  observe({ type: "hangUp" });
  await recorder.close();
  expect(await count("unmatched")).toBe(1);
});

it("answers to made-up calls do not displace calls", async () => {
  const { recorder, observe, count, existing } = recorderOver(async () => undefined, false);
  for (let n = 0; n < EVENTS_MAX; n += 1) observe({ type: "accept", callId: `made-up-${n}` });
  // The oldest are dropped first.
  await eventually(
    () => count("dropped"),
    (number) => number >= EVENTS_MAX - LOOKUPS_MAX,
  );
  existing.add("real");
  observe({ callId: "real" });
  await eventually(
    () => count("written"),
    (number) => number === 1,
  );
  await recorder.close();
  expect((await count("dropped")) + (await count("unmatched"))).toBe(EVENTS_MAX);
});

it("signals for timelines alone take half of the queue at most, and displace no event", async () => {
  let isDown = true;
  const { recorder, observe, count } = recorderOver(async () => {
    if (isDown) throw new Fault("UNAVAILABLE", "The database cannot be reached");
  });
  for (let n = 0; n < TIMELINE_EVENTS_MAX + 25; n += 1) observe({ type: "iceCandidates" });
  expect(await count("dropped")).toBe(25);
  for (let n = 0; n < EVENTS_MAX - TIMELINE_EVENTS_MAX; n += 1) observe({ type: "hangUp" });
  expect(await count("dropped")).toBe(25);
  isDown = false;
  await eventually(
    () => count("unmatched"),
    (number) => number === EVENTS_MAX,
  );
  await recorder.close();
});

it("signals of made-up calls for timelines alone take half of the look-ups at most", async () => {
  const { recorder, observe, count } = recorderOver(async () => undefined, false);
  observe({ type: "accept", callId: "late" });
  for (let n = 0; n < LOOKUPS_MAX; n += 1) observe({ type: "update", callId: `made-up-${n}` });
  await eventually(
    () => count("dropped"),
    (number) => number === LOOKUPS_MAX + 1 - TIMELINE_LOOKUPS_MAX,
  );
  // There is room for events of calls, whose look-ups go on.
  for (let n = 0; n < LOOKUPS_MAX - TIMELINE_LOOKUPS_MAX; n += 1) {
    observe({ type: "accept", callId: `late-${n}` });
  }
  await recorder.close();
  expect(await count("dropped")).toBe(LOOKUPS_MAX + 1 - TIMELINE_LOOKUPS_MAX);
  expect(await count("unmatched")).toBe(LOOKUPS_MAX);
});

it("a call on behalf of another user becomes the sender's own when its look-up is dropped", async () => {
  const { recorder, observe, count, existing } = recorderOver(async () => undefined, false);
  observe({ callId: "named", callerId: "9" });
  for (let n = 0; n < LOOKUPS_MAX; n += 1) observe({ type: "accept", callId: `made-up-${n}` });
  existing.add("named");
  await eventually(
    () => count("written"),
    (number) => number === 1,
  );
  await recorder.close();
  expect(await count("dropped")).toBe(0);
});

it("records a repeat after a while, since it may trigger an incoming-call push", async () => {
  const clock = new MovingClock();
  clock.hold(true);
  const { recorder, observe, count, existing } = recorderOver(async () => undefined, true, clock);
  existing.add("s");
  const writes = (wanted: number) =>
    eventually(
      () => count("written"),
      (number) => number === wanted,
    );
  observe();
  await writes(1);
  observe();
  clock.advance(REPEAT_AFTER_MS - 1);
  observe();
  // The first repeat that reaches no device is recorded.
  observe({}, false);
  await writes(2);
  observe({}, false);
  clock.advance(REPEAT_AFTER_MS);
  observe({}, false);
  await writes(3);
  await recorder.close();
  expect(await count("written")).toBe(3);
});

it("writes events that wait for a look-up when it is closed, and retries after a deadlock", async () => {
  let deadlocks = 0;
  const { recorder, observe, count, existing } = recorderOver(async () => {
    if (deadlocks-- > 0) {
      throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
    }
  }, false);
  observe({ callId: "late", callerId: "9" });
  observe({ type: "accept", callId: "never" });
  await eventually(
    () => (recorder as unknown as { scheduled: Map<unknown, unknown> }).scheduled.size,
    (size) => size === 2,
  );
  existing.add("late");
  deadlocks = 2;
  await recorder.close();
  expect([await count("written"), await count("unmatched"), await count("dropped")]).toEqual([
    1, 1, 0,
  ]);
});

it("counts what it could not write when it is closed, including pending look-ups", async () => {
  let away = false;
  const { recorder, observe, count } = recorderOver(async () => {
    if (away) throw new Fault("UNAVAILABLE", "The database cannot be reached");
  }, false);
  observe({ type: "accept" });
  await eventually(
    () => (recorder as unknown as { scheduled: Map<unknown, unknown> }).scheduled.size,
    (size) => size === 1,
  );
  away = true;
  observe();
  await recorder.close();
  expect(await count("dropped")).toBe(2);
});
