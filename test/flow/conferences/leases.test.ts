import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
  passes,
  watchEvents,
} from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";

/** How long seats, events and closed conferences are kept. */

const DAY = 24 * 60 * MINUTE;
const clock = new MovingClock();
const open: GraphqlParticipant[] = [];
let node: TestNode;
let host: TestUser;

beforeAll(async () => {
  const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) =>
    new MemoryEngine(listener);
  // The bus of a single node uses the test's clock; Redis uses its own.
  node = await startNode({ REDIS_URL: "" }, { openEngine, clock, jobsPollMs: 100 });
  host = await newUser(node);
});
afterEach(async () => {
  for (const participant of open.splice(0)) await participant.leave();
});
afterAll(() => node.stop());

async function join(id: string, { token }: TestUser): Promise<GraphqlParticipant> {
  const participant = await joinConference(node, id, token);
  open.push(participant);
  return participant;
}

/** Seconds until the lease of a participant ends. */
async function lease(id: string, { id: number }: TestUser): Promise<number> {
  const [row] = await node.sql<{ left: number }>(
    `SELECT extract(epoch FROM lease_until - now())::float8 AS left FROM conference_members
      WHERE conference_id = $1 AND number = $2 AND left_at IS NULL`,
    [Number(id), number],
  );
  return row?.left ?? Number.NaN;
}

/** Lets time pass for a lease. */
const shorten = (id: string, { id: number }: TestUser, seconds: number) =>
  node.sql(
    `UPDATE conference_members SET lease_until = lease_until - $3 * interval '1 second'
      WHERE conference_id = $1 AND number = $2`,
    [Number(id), number, seconds],
  );

test("the seat of a participant without a subscription is free after 15 seconds", async () => {
  const id = await createConference(node, host.token, { seats: 2 });
  const first = await join(id, host);
  const [user, late] = [await newUser(node), await newUser(node)];
  const participant = await join(id, user);
  expect(await lease(id, user)).toBeGreaterThan(5);
  expect(await lease(id, user)).toBeLessThanOrEqual(15);
  await participant.disconnect();
  // Until then the seat is kept.
  await shorten(id, user, 4);
  await expect(join(id, late)).rejects.toThrow(/^FULL/);
  await shorten(id, user, 11);
  const left = await first.event("ConferenceParticipantLeftEvent");
  expect(left).toMatchObject({ participantId: String(user.id), reason: "LEFT" });
  await join(id, late);
  // The history has when the lease ended, not when it was noticed.
  const [row] = await node.sql<{ ended: boolean }>(
    "SELECT left_at = lease_until AS ended FROM conference_members WHERE conference_id = $1 AND number = $2",
    [Number(id), user.id],
  );
  expect(row).toEqual({ ended: true });
});

test("a subscription renews the lease of its participant", async () => {
  const id = await createConference(node, host.token);
  const participant = await join(id, host);
  await shorten(id, host, 8);
  expect(await lease(id, host)).toBeLessThanOrEqual(7);
  // Renewed every five seconds.
  await passes(async () => expect(await lease(id, host)).toBeGreaterThan(10));
  expect(participant.isOver()).toBe(false);
});

test("events go on after a cursor of less than a minute, and INVALID is the answer to an older one", async () => {
  const id = await createConference(node, host.token);
  const participant = await join(id, host);
  const [first, second] = [await newUser(node), await newUser(node)];
  const cursors: string[] = [];
  for (const user of [first, second]) {
    await join(id, user);
    const joined = await participant.event(
      "ConferenceParticipantJoinedEvent",
      (event) => event.participant.id === String(user.id),
    );
    cursors.push(joined.cursor);
  }
  await participant.mutate("setConferenceMute", "participant { id }", { audio: true });
  const { membershipId, participantId } = participant;
  const resume = async (cursor: string | undefined) => {
    const resumed = await watchEvents(node, host.token, membershipId, participantId, cursor);
    open.push(resumed);
    return resumed;
  };
  clock.advance(MINUTE / 2);
  await (await resume(cursors[1])).event(
    "ConferenceParticipantUpdatedEvent",
    (event) => event.participant.audioMuted,
  );
  clock.advance(MINUTE);
  const expired = await resume(cursors[0]);
  await passes(() => expect(expired.isOver()).toBe(true));
  expect(expired.refused()).toEqual([
    expect.objectContaining({
      extensions: expect.objectContaining({
        code: "INVALID",
        fields: { after: [expect.stringContaining("has expired")] },
      }),
    }),
  ]);
  expect(expired.events).toEqual([]);
  // Without the cursor it begins with the state.
  const again = await watchEvents(node, host.token, membershipId, participantId);
  open.push(again);
  expect(again.names()).toEqual([host.login, first.login, second.login]);
});

test("closed conferences are deleted CALL_RETENTION_DAYS later, with their history", async () => {
  const [old, young, still] = [
    await createConference(node, host.token),
    await createConference(node, host.token),
    await createConference(node, host.token),
  ];
  for (const id of [old, young]) {
    const participant = await join(id, host);
    await participant.mutate("leaveConference", "done");
    await mutate(node, "closeConference", "conference { id }", { conferenceId: id }, host.token);
  }
  const closed = (id: string, days: number) =>
    node.sql("UPDATE conferences SET closed_at = $2 WHERE id = $1", [
      Number(id),
      new Date(clock.now() - days * DAY - MINUTE),
    ]);
  await closed(old, 90);
  await closed(young, 89);
  await node.sql("UPDATE conferences SET created_at = $2 WHERE id = $1", [
    Number(still),
    new Date(clock.now() - 400 * DAY),
  ]);
  await node.sql(
    "INSERT INTO pgboss.job (name, data, policy) VALUES ($1, '{}', 'stately') ON CONFLICT DO NOTHING",
    ["conference-purge"],
  );
  const found = async (id: string) => {
    const query = `query ($id: ID!) { conference(id: $id) { id }
      conferenceHistory(conferenceId: $id) { nodes { userId } } }`;
    const { data, errors } = await graphql(node, query, { id }, host.token);
    return errors ? errors[0].extensions.code : data.conferenceHistory.nodes.length;
  };
  await passes(async () => expect(await found(old)).toBe("NOT_FOUND"));
  expect(await found(young)).toBe(1);
  expect(await found(still)).toBe(0);
  const rows = await node.sql("SELECT id FROM conference_members WHERE conference_id = $1", [
    Number(old),
  ]);
  expect(rows).toEqual([]);
});
