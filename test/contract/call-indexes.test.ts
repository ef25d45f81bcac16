import { type Clock, systemClock } from "../../src/core/clock";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import type { UserViewer } from "../../src/core/viewer";
import { toCallEvent } from "../../src/domain/calls/history/call-event";
import { endLostCalls, expireCalls, purgeCalls } from "../../src/domain/calls/history/call-jobs";
import {
  findCall,
  findCalls,
  listApplicationCalls,
  listCalls,
  openCallLoads,
} from "../../src/domain/calls/history/call-list";
import type { HistoryDeps } from "../../src/domain/calls/history/history-deps";
import {
  type CallPushJob,
  sendCallPushes,
} from "../../src/domain/calls/history/incoming-call-push";
import {
  type MissedCallJob,
  markCallsSeen,
  sendMissedCallPushes,
} from "../../src/domain/calls/history/missed-call-push";
import { TIMELINE_ENTRIES } from "../../src/domain/calls/history/timeline/timeline";
import { findTimelines } from "../../src/domain/calls/history/timeline/timeline-queries";
import { writeCallEvents } from "../../src/domain/calls/history/write-calls";
import type { Signal } from "../../src/domain/calls/signals/signal";
import type { UserModule } from "../../src/domain/users/open-users";
import { removeUsers } from "../../src/domain/users/user-data";
import { exportUser } from "../../src/domain/users/user-export";
import type { EnqueueIn, Jobs } from "../../src/platform/jobs/jobs";
import { openStore } from "../../src/platform/store/open";
import type { Store } from "../../src/platform/store/store";
import { explainStatements } from "../../tools/explain";
import { openTestModules } from "../support/auth-modules";
import { type FreshDatabase, freshDatabase } from "../support/operations/database";
import { fillTables } from "../support/operations/fill-tables";
import { universal } from "../support/push/push";
import { RecordingProviders } from "../support/push/recording-provider";

/** Enough rows for the planner not to prefer a scan. */
const ROWS = 100_000;
const MINUTE = 60_000;

/** Ended calls, and some that are ringing; one user has a long history. */
const FILL = [
  `INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'key', now())`,
  `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, incoming_call_push,
      incoming_call_push_environment, call_end_push, missed_call_push, updated_at)
    SELECT id, 'x', 'k', 's', '{}', true, 'development', true, true, now() FROM accounts`,
  `INSERT INTO users (application_id, login, login_key, updated_at)
    SELECT a.id, 'l' || n, 'l' || n, now() FROM applications a, generate_series(1, ${ROWS}) n`,
  `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
      token, updated_at)
    SELECT application_id, id, 'gcm', 'development', 'android', 'u' || id, 't' || id, now()
    FROM users`,
  `INSERT INTO calls (application_id, session_id, caller_id, state, started_at, ended_at)
    SELECT application_id, 's' || id, id, 'hung_up', now() - id * interval '1 second', now()
    FROM users`,
  `INSERT INTO call_participants (call_id, user_id, session_id, started_at, state, rang_at)
    SELECT c.id, c.caller_id, c.session_id, c.started_at, 'hung_up', c.started_at FROM calls c`,
  `INSERT INTO call_participants (call_id, user_id, caller_id, session_id, started_at, state, rang_at, missed_at)
    SELECT c.id, CASE WHEN c.caller_id % 10 = 0 THEN 7 ELSE 1 + c.caller_id % ${ROWS} END, c.caller_id,
      c.session_id, c.started_at, CASE WHEN c.caller_id % 2 = 0 THEN 'ringing'::call_state ELSE 'missed' END, c.started_at,
      CASE WHEN c.caller_id % 1000 = 1 THEN now() + interval '1 hour' END
    FROM calls c WHERE c.caller_id <> 7 ON CONFLICT DO NOTHING`,
  `INSERT INTO push_events (application_id, user_id, channel, environment, message, selector, kind,
      call_id, delivery_count, accepted_count, updated_at)
    SELECT application_id, NULL, 'gcm', 'development', '${universal()}', '{"by":"ids","ids":[1]}', 'CALL', id,
      1, 1, now() FROM calls`,
  `INSERT INTO push_deliveries (event_id, subscription_id, outcome, updated_at)
    SELECT e.id, s.id, 'accepted', now() FROM push_events e CROSS JOIN push_subscriptions s WHERE s.user_id = 1`,
  `INSERT INTO call_signals (call_id, key, kind, from_user_id, to_user_id, first_at, last_at)
    SELECT c.id, gen_random_uuid(), k.kind::call_signal_kind, c.caller_id, 7, c.started_at, c.started_at
    FROM calls c, unnest('{call,iceCandidates,hangUp}'::text[]) AS k(kind)`,
];
const SCAN =
  /Seq Scan on (users|calls|call_participants|call_signals|push_subscriptions|push_events|push_deliveries)\b/;

let database: FreshDatabase;
let store: Store;
let close: () => Promise<void>;
let applicationId: number;
let records: HistoryDeps & UserModule;
/** Offset of the clock of the functions under test, in milliseconds. */
let ahead = 0;
/** Query plans of the functions under test, by statement. */
const plans = new Map<string, string>();
/** Enqueued jobs. */
const pushes: CallPushJob[] = [];
const missed: MissedCallJob[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  const log = openLog("silent");
  const clock: Clock = { now: () => systemClock.now() + ahead };
  store = await openStore({ config, log, isNode: true });
  await fillTables(store, FILL);
  const [row] = await sql<{ id: number }>("SELECT id FROM applications");
  applicationId = row?.id ?? 0;
  const transaction: Store["transaction"] = (act) =>
    store.transaction((open) => act({ ...open, ...explainStatements(open, plans) }));
  const modules = await openTestModules({
    config,
    clock,
    store: { ...store, ...explainStatements(store, plans), transaction },
  });
  const enqueue: EnqueueIn = async (_transaction, name, data) => {
    if (name === "call-push") pushes.push(...([data].flat() as CallPushJob[]));
    if (name === "missed-call-push") missed.push(...([data].flat() as MissedCallJob[]));
  };
  const jobs: Jobs = {
    ...{ work: () => undefined, close: async () => undefined },
    enqueue: () => Promise.reject(new Error("the call history enqueues in transactions")),
    openQueues: async () => enqueue,
  };
  const metrics = openMetrics();
  const push = {
    ...modules.platform,
    sessionEvents: modules.sessionEvents,
    jobs,
    metrics,
    provider: new RecordingProviders().open,
    credentialsSetAt: async () => null,
    noteCredentials: async () => undefined,
  };
  records = { ...modules.platform, ...modules.users, jobs, push, metrics };
  close = async () => {
    await modules.close();
    await store.close();
    await database.remove();
  };
});
afterAll(() => close());

const sql = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  store.query<Row>({ name: "test", text }, values);

/** An event of a call, as the recorder makes it of a signal now. */
function event(type: string, from: number, to: number, callId: string) {
  const ends = { from: { applicationId, userId: from }, to: { applicationId, userId: to } };
  const signal: Signal = { id: "i", type, callId, ...ends, extra: [] };
  const found = toCallEvent(
    { protocol: "rest", cursor: "", hasSubscribers: false, ofUser: false, signal },
    records.clock.now(),
  );
  if (!found) throw new Error(`${type} is no event of a call`);
  return found;
}

it("keeps the newest 1,000 ended calls of a caller and a callee, and those of others", async () => {
  const [caller, callee, other] = [2_001, 2_002, 2_003];
  const add = async (count: number, state: string, callees: number[]) => {
    const made = await sql<{ id: number }>(
      `INSERT INTO calls (application_id, session_id, caller_id, state)
        SELECT $1, 'pair-' || $2 || '-' || n, $3, $2::text::call_state FROM generate_series(1, $4::int) n
        RETURNING id`,
      [applicationId, state, caller, count],
    );
    const ids = made.map(({ id }) => id);
    await sql(
      `INSERT INTO call_participants (call_id, user_id, caller_id, session_id, state, rang_at)
        SELECT c.id, u, c.caller_id, c.session_id, c.state, now()
        FROM calls c, unnest($2::bigint[]) u WHERE c.id = ANY($1::bigint[])`,
      [ids, callees],
    );
    return ids;
  };
  const live = await add(1, "accepted", [callee]);
  const group = await add(1, "hung_up", [callee, other]);
  const oldest = await add(3, "missed", [callee]);
  const kept = await add(999, "rejected", [callee]);
  const before = [...live, ...group, ...oldest, ...kept];
  const call = async (callId: string) => {
    const events = [event("call", caller, callee, callId), event("reject", callee, caller, callId)];
    expect((await writeCallEvents(records, events)).unknown).toEqual([]);
  };
  const left = async () => {
    const found = await sql<{ id: number }>("SELECT id FROM calls WHERE id = ANY($1::bigint[])", [
      before,
    ]);
    return found.map(({ id }) => id).sort((a, b) => a - b);
  };
  await call("pair-1");
  expect(await left()).toEqual([...live, ...group, ...kept]);
  await call("pair-2");
  expect(await left()).toEqual([...live, ...group, ...kept.slice(1)]);
  // The caller's calls to others push out none of these.
  const events = [event("call", caller, 7, "pair-3"), event("reject", 7, caller, "pair-3")];
  await writeCallEvents(records, events);
  expect(await left()).toEqual([...live, ...group, ...kept.slice(1)]);
  expect(plans.get("delete_calls_beyond_pair")).toContain("call_participants_pair_idx");
});

it("runs no statement that scans a whole table", async () => {
  const loads = openCallLoads(records);
  const viewer: UserViewer = { kind: "user", sessionId: 1, applicationId, userId: 7 };
  const callers = Array.from({ length: 100 }, (_, n) => 1_000 + n);
  const calling = await writeCallEvents(
    records,
    callers.map((from) => event("call", from, 7, `new-${from}`)),
  );
  expect(calling.unknown).toEqual([]);
  expect(pushes.flatMap((job) => job.pushes)).toHaveLength(100);
  for (const job of pushes) await sendCallPushes(records, job);
  // Their devices ring.
  await sql(
    `WITH rung AS (UPDATE push_events SET delivery_count = 1, accepted_count = 1
        WHERE kind = 'CALL' AND delivery_count = 0 RETURNING id)
      INSERT INTO push_deliveries (event_id, subscription_id, outcome, updated_at)
        SELECT r.id, s.id, 'accepted', now() FROM rung r, push_subscriptions s WHERE s.user_id = 7`,
  );
  const answers = callers
    .slice(0, 50)
    .flatMap((from) => [
      event("accept", 7, from, `new-${from}`),
      event("hangUp", from, 7, `new-${from}`),
    ]);
  expect((await writeCallEvents(records, answers)).unknown).toEqual([]);
  const lost = [event("call", 1_099, 8, "lost"), event("accept", 8, 1_099, "lost")];
  expect((await writeCallEvents(records, lost)).unknown).toEqual([]);
  const openedAt = records.clock.now();
  await endLostCalls(records, openedAt);
  ahead = 2 * MINUTE;
  await endLostCalls(records, openedAt);
  const loser: UserViewer = { ...viewer, userId: 8 };
  expect((await findCall({ ...records, ...loads }, loser, { callId: "lost" })).state).toBe("lost");
  await expireCalls(records);
  expect((await findCall({ ...records, ...loads }, viewer, { callId: "new-1099" })).state).toBe(
    "missed",
  );
  expect(missed.flatMap((job) => job.callees).length).toBeGreaterThanOrEqual(49);
  for (const job of missed) await sendMissedCallPushes(records, job);
  await markCallsSeen(records, 7);
  const page = await listCalls(records, viewer, { first: 100 });
  expect(page).toMatchObject({ hasNextPage: true });
  await listCalls(records, viewer, { first: 10, after: String(page.nodes.at(-1)?.id) });
  await listCalls(records, viewer, { first: 10, states: ["missed", "hung_up"] });
  expect(
    await findCalls(
      loads,
      7,
      page.nodes.map(({ id }) => id),
    ),
  ).toHaveLength(100);
  const owners = { states: ["missed", "hung_up"] as const, userId: "7" };
  for (const filter of [{}, { states: [...owners.states] }, { userId: owners.userId }]) {
    const since = new Date(records.clock.now() - 60 * 60 * MINUTE);
    const listed = await listApplicationCalls(records, applicationId, { first: 50, ...filter });
    expect(listed).toMatchObject({ hasNextPage: true });
    await listApplicationCalls(records, applicationId, { last: 5, since, until: since, ...filter });
  }
  const [found] = page.nodes;
  const byId = await findCall({ ...records, ...loads }, viewer, { id: String(found?.id) });
  expect(byId.callId).toBe(found?.callId);
  const { query } = explainStatements(store, plans);
  expect(await findTimelines({ query }, [found?.id ?? 0, 8])).not.toEqual([]);
  const many = Array.from({ length: 3 * TIMELINE_ENTRIES }, (_, n) => {
    const update = event("update", 1_050, 7, "new-1050");
    return { ...update, signal: { ...update.signal, at: update.at + n } };
  });
  expect((await writeCallEvents(records, many)).unknown).toEqual([]);
  await exportUser(records, applicationId, "1000");
  await removeUsers(records, [1_000]);
  ahead = 80 * 24 * 60 * MINUTE;
  await purgeCalls(records);
  expect([...plans.keys()]).toEqual(
    expect.arrayContaining([
      ...[
        "begin_calls",
        "lock_matching_calls",
        "lock_calls",
        "callees_of_calls",
        "save_call_participants",
      ],
      ...[
        "save_calls",
        "call_push_settings",
        "users_by_id",
        "claim_call_pushes",
        "withdraw_call_pushes",
        "call_end_settings",
        "write_call_ends",
        "write_call_end_deliveries",
        "count_call_end_deliveries",
        "missed_call_settings",
        "missed_for_pushes",
        "claim_missed_call_pushes",
        "count_missed_calls",
        "find_calls_seen",
        "calls_seen",
        "calls_with_missed_push",
        "withdraw_missed_call_pushes",
        "missed_calls",
        "accepted_calls",
        "mark_unreachable_calls",
      ],
      ...[
        "purge_calls",
        "delete_calls_beyond_pair",
        "calls_of_user",
        "calls_by_ids",
        "call_by_session",
        "delete_calls_without_others",
      ],
      ...["application_calls", "application_calls_ascending", "application_calls_of_user"],
      ...["application_calls_of_user_ascending", "call_timelines"],
      ...["record_call_signals", "mark_truncated_calls", "forget_users_in_timelines"],
      ...["ringing_for_pushes", "push_channels_of_users", "write_call_pushes"],
      ...[
        "participants_of_calls",
        "delete_call_pushes",
        "clear_callers",
        "remove_users",
        "export_user",
      ],
      ...["lock_calls_of_users", "export_calls", "calls_with_participant", "export_call_pushes"],
      ...["export_push_subscriptions", "export_push_events", "export_push_deliveries"],
    ]),
  );
  expect([...plans].filter(([, plan]) => SCAN.test(plan))).toEqual([]);
  // A page reads a part of the index of each state, and sorts no more than these.
  expect(plans.get("application_calls")).toContain("calls_application_id_state_started_at_id_idx");
  expect(plans.get("application_calls_of_user")).toContain(
    "call_participants_user_id_started_at_call_id_idx",
  );
});

it("detects a statement without an index", async () => {
  await explainStatements(store, plans).query(
    { name: "bad", text: "SELECT 1 FROM calls WHERE state = 'failed'" },
    [],
  );
  expect(plans.get("bad")).toMatch(SCAN);
});
