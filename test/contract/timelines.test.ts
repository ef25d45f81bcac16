import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import {
  CONTROL_ENTRIES,
  TIMELINE_ENTRIES,
  type TimedSignal,
  timelineEntries,
} from "../../src/domain/calls/history/timeline/timeline";
import {
  findTimelines,
  recordTimelines,
} from "../../src/domain/calls/history/timeline/timeline-queries";
import { openStore } from "../../src/platform/store/open";
import type { Store } from "../../src/platform/store/store";
import { DATABASE_NAME, type FreshDatabase, freshDatabase } from "../support/operations/database";

/** Which entries of a call's timeline are kept. */

const MAX = TIMELINE_ENTRIES + CONTROL_ENTRIES;
const START = Date.parse("2026-11-28T06:00:00Z");
const [ANN, BOB] = [1, 2];

let database: FreshDatabase;
let store: Store;
let applicationId: number;
let calls = 0;

beforeAll(async () => {
  database = await freshDatabase();
  const config = readConfig(database.environment);
  store = await openStore({ config, log: openLog("silent"), isNode: true });
  await store.db.account.create({ data: { name: "a", accountKey: "key" } });
  applicationId =
    await idOf(`INSERT INTO applications (account_id, name, auth_key, auth_secret, updated_at)
    SELECT id, 'a', 'k', 's', now() FROM accounts RETURNING id`);
});
afterAll(async () => {
  await store.close();
  await database.remove();
});

async function idOf(text: string, values: unknown[] = []): Promise<number> {
  const [row] = await store.query<{ id: number }>({ name: "test", text }, values);
  if (!row) throw new Error("there is no row");
  return row.id;
}

const newCall = () =>
  idOf(
    `INSERT INTO calls (application_id, session_id, state, started_at)
      VALUES ($1, $2, 'ringing', now()) RETURNING id`,
    [applicationId, `s${++calls}`],
  );

/** Signals of a kind, a millisecond apart, each of a device of its own. */
const signals = (kind: TimedSignal["kind"], count: number, after = 0): TimedSignal[] =>
  Array.from({ length: count }, (_, n) => ({
    kind,
    at: START + after + n,
    from: ANN,
    to: BOB,
    fromDevice: `d${after + n}`,
    toDevice: null,
  }));

/** Writes a batch of signals of calls. @returns the calls with an entry that was left out */
const write = (batch: ReadonlyArray<[callId: number, signals: TimedSignal[]]>) => {
  const entries = batch.flatMap(([callId, each]) => each.map((signal) => ({ callId, signal })));
  return store.transaction(async (transaction) =>
    recordTimelines(transaction, await timelineEntries(entries)),
  );
};

/** The numbers of a call's stored entries, by kind. */
async function stored(callId: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind } of await findTimelines(store, [callId]))
    counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

describe(`a timeline in the ${DATABASE_NAME} database`, () => {
  test("keeps the end of a call behind more other signals than fit, of the same batch", async () => {
    const [long, short] = [await newCall(), await newCall()];
    const updates = signals("update", TIMELINE_ENTRIES + CONTROL_ENTRIES + 10, 1);
    const all = [...signals("call", 1), ...updates, ...signals("hangUp", 1, 1_000)];
    const full = await write([
      [long, all],
      [short, signals("call", 1)],
    ]);
    expect(full).toEqual([long]);
    expect(await stored(long)).toEqual({ call: 1, update: TIMELINE_ENTRIES, hangUp: 1 });
    expect(await stored(short)).toEqual({ call: 1 });
  });

  test("keeps the end of a call that was full of other signals before", async () => {
    const id = await newCall();
    expect(await write([[id, signals("update", TIMELINE_ENTRIES)]])).toEqual([]);
    expect(await write([[id, signals("update", CONTROL_ENTRIES + 10, 500)]])).toEqual([id]);
    expect(await write([[id, signals("hangUp", 1, 1_000)]])).toEqual([]);
    expect(await stored(id)).toEqual({ update: TIMELINE_ENTRIES, hangUp: 1 });
  });

  test("merges with entries that it has also when it is full", async () => {
    const id = await newCall();
    const [updates, hangUps] = [signals("update", 200), signals("hangUp", 50, 300)];
    expect(await write([[id, [...updates, ...hangUps]]])).toEqual([]);
    const candidates = signals("iceCandidates", 1, 2_000);
    expect(await write([[id, [...updates, ...hangUps]]])).toEqual([]);
    expect(await write([[id, candidates]])).toEqual([id]);
    const again = [...updates, ...signals("update", 1, 1_000), ...hangUps];
    expect(await write([[id, again]])).toEqual([id]);
    expect(await stored(id)).toEqual({ update: TIMELINE_ENTRIES, hangUp: CONTROL_ENTRIES });
  });

  test("has what signals that start or end the call leave of the sum for others", async () => {
    const id = await newCall();
    const batch = [...signals("update", 20), ...signals("accept", MAX - 10, 100)];
    expect(await write([[id, batch]])).toEqual([id]);
    expect(await stored(id)).toEqual({ accept: MAX - 10, update: 10 });
    expect(await write([[id, signals("hangUp", 1, 1_000)]])).toEqual([id]);
    expect(await stored(id)).toEqual({ accept: MAX - 10, update: 10 });
  });
});
