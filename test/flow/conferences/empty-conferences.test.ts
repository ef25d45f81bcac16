import { HostedConference } from "../../../src/domain/conferences/host/hosted-conference";
import {
  createConference,
  joinConference,
  mutate,
  passes,
} from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { LegacyClient } from "../../support/conferences/legacy-client";
import { overWebSocket } from "../../support/conferences/legacy-transports";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/** When a conference closes that nobody is in: by its host, or by any node once none hosts it. */

const clock = new MovingClock();
let node: TestNode;
let host: TestUser;
let rooms = 0;
const newName = () => `quiet ${++rooms}`;

beforeAll(async () => {
  const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) =>
    new MemoryEngine(listener);
  node = await startNode({ REDIS_URL: "" }, { openEngine, clock, jobsPollMs: 100 });
  host = await newUser(node);
});
afterAll(() => node.stop());

interface Row {
  open: boolean;
  host: string | null;
  /** Seconds from the last leave to the end; null if it does not close. */
  closes: number | null;
}

async function row(id: string): Promise<Row> {
  const [found] = await node.sql<Row>(
    `SELECT closed_at IS NULL AS open, host, extract(epoch FROM closes_at - empty_since)::float8 AS closes
      FROM conferences WHERE id = $1`,
    [Number(id)],
  );
  if (!found) throw new Error("there is no such conference");
  return found;
}

/** Somebody joins, and leaves again. */
async function meet(id: string): Promise<void> {
  const participant = await joinConference(node, id, host.token);
  await participant.mutate("leaveConference", "done");
  await participant.leave();
}

/** Lets time pass for the rows of a conference. */
const age = (id: string, seconds: number) =>
  node.sql(
    `UPDATE conferences SET empty_since = empty_since - $2 * interval '1 second',
      closes_at = closes_at - $2 * interval '1 second' WHERE id = $1`,
    [Number(id), seconds],
  );

/** Runs the job that finds what no node hosts. */
async function runJob(): Promise<void> {
  await node.sql(
    "INSERT INTO pgboss.job (name, data, policy) VALUES ('conferences', '{}', 'stately') ON CONFLICT DO NOTHING",
  );
  await passes(async () => {
    const waiting = "name = 'conferences' AND state IN ('created', 'active')";
    expect(await node.sql(`SELECT id FROM pgboss.job WHERE ${waiting}`)).toEqual([]);
  });
}

/** Waits until no node hosts it, although it may still be open. */
async function release(id: string): Promise<void> {
  clock.advance(31_000);
  await passes(async () => expect((await row(id)).host).toBeNull());
}

const isClosed = (id: string) =>
  passes(async () => expect(await row(id)).toMatchObject({ open: false }));

test("without a number it closes ten minutes after the last participant left, and its name is free", async () => {
  const name = newName();
  const id = await createConference(node, host.token, { name });
  await meet(id);
  expect(await row(id)).toMatchObject({ open: true, closes: 600 });
  await release(id);
  expect((await row(id)).open).toBe(true);
  await node.sql("DELETE FROM conference_members WHERE conference_id = $1", [Number(id)]);
  const change = { conferenceId: id, locked: true };
  await mutate(node, "updateConference", "conference { id }", change, host.token);
  expect(await row(id)).toMatchObject({ open: true, closes: 600 });
  await release(id);
  await age(id, 300);
  await runJob();
  expect((await row(id)).open).toBe(true);
  await age(id, 301);
  await runJob();
  await isClosed(id);
  await createConference(node, host.token, { name });
});

test("its host closes it when the number is short", async () => {
  const id = await createConference(node, host.token, { name: newName(), emptyAfterSeconds: 5 });
  await meet(id);
  clock.advance(5_000);
  await isClosed(id);
});

test("one that nobody has joined stays open, whatever happens to it", async () => {
  const id = await createConference(node, host.token, { name: newName(), emptyAfterSeconds: 1 });
  const change = { conferenceId: id, locked: true };
  await mutate(node, "updateConference", "conference { id }", change, host.token);
  clock.advance(15 * MINUTE);
  await age(id, 3_600);
  await runJob();
  expect(await row(id)).toMatchObject({ open: true, closes: null });
});

test.each([
  ["0, which keeps it", 0],
  ["a number that is not over", 7_200],
])("with %i it stays open", async (_, emptyAfterSeconds) => {
  const id = await createConference(node, host.token, { name: newName(), emptyAfterSeconds });
  await meet(id);
  await release(id);
  await age(id, 3_600);
  await runJob();
  expect(await row(id)).toMatchObject({ open: true });
});

test("a participant who comes back ends the count, and the next leave begins it again", async () => {
  const id = await createConference(node, host.token, { name: newName() });
  await meet(id);
  const participant = await joinConference(node, id, host.token);
  expect(await row(id)).toMatchObject({ closes: null });
  clock.advance(15 * MINUTE);
  await runJob();
  expect((await row(id)).open).toBe(true);
  await participant.mutate("leaveConference", "done");
  await participant.leave();
  expect(await row(id)).toMatchObject({ open: true, closes: 600 });
});

test("a new number applies to the present emptiness", async () => {
  const id = await createConference(node, host.token, { name: newName(), emptyAfterSeconds: 0 });
  await meet(id);
  const set = async (emptyAfterSeconds: number) => {
    const input = { conferenceId: id, emptyAfterSeconds };
    const fields = "conference { emptyAfterSeconds }";
    const { conference } = await mutate(node, "updateConference", fields, input, host.token);
    expect(conference).toEqual({ emptyAfterSeconds });
  };
  await set(900);
  expect(await row(id)).toMatchObject({ closes: 900 });
  await set(0);
  expect(await row(id)).toMatchObject({ closes: null });
  await set(2);
  clock.advance(3_000);
  await isClosed(id);
});

test("a new number is stored also if the host is of an earlier version, which takes no notice of it", async () => {
  const id = await createConference(node, host.token, { name: newName(), emptyAfterSeconds: 0 });
  await meet(id);
  const update = jest
    .spyOn(HostedConference.prototype, "update")
    .mockImplementationOnce(async function (this: HostedConference, changes) {
      return { ...this.settings, ...changes };
    });
  const input = { conferenceId: id, emptyAfterSeconds: 30 };
  const fields = "conference { emptyAfterSeconds }";
  const { conference } = await mutate(node, "updateConference", fields, input, host.token);
  expect(update).toHaveBeenCalledTimes(1);
  update.mockRestore();
  expect(conference).toEqual({ emptyAfterSeconds: 30 });
  await release(id);
  await meet(id);
  expect(await row(id)).toMatchObject({ open: true, closes: 30 });
});

test.each([[-1], [2_592_001]])("%i seconds are INVALID", async (emptyAfterSeconds) => {
  const created = createConference(node, host.token, { name: newName(), emptyAfterSeconds });
  await expect(created).rejects.toThrow(/^INVALID .*emptyAfterSeconds.*between 0 and 2592000/);
  const conferenceId = await createConference(node, host.token, { name: newName() });
  const input = { conferenceId, emptyAfterSeconds };
  const updated = mutate(node, "updateConference", "conference { id }", input, host.token);
  await expect(updated).rejects.toThrow(/^INVALID .*emptyAfterSeconds/);
});

test("one whose participants were deleted while no node hosted it closes as well", async () => {
  const id = await createConference(node, host.token, { name: newName(), emptyAfterSeconds: 60 });
  const guest = await newUser(node);
  const participant = await joinConference(node, id, guest.token);
  await participant.disconnect();
  // What a killed node leaves behind: a host without a lease, and a row of a user who has been erased since.
  await node.sql("DELETE FROM conference_members WHERE conference_id = $1", [Number(id)]);
  await node.sql(
    "UPDATE conferences SET host = 'gone', generation = generation + 1 WHERE id = $1",
    [Number(id)],
  );
  await passes(async () => {
    await runJob();
    expect(await row(id)).toMatchObject({ open: true, closes: 60 });
  });
  clock.advance(61_000);
  await isClosed(id);
});

test("that of a legacy client keeps its 30 seconds", async () => {
  const input = { applicationId: String(node.application.id), conferencesOnJoin: true };
  await mutate(node, "updateApplication", "application { id }", input, await ownerToken(node));
  const name = newName();
  const client = await LegacyClient.open(
    overWebSocket,
    node.app.conferenceUrls.ws ?? "",
    host.token,
  );
  await client.join(name);
  const list = "{ conferences(first: 100) { nodes { id name emptyAfterSeconds } } }";
  const { data } = await graphql(node, list, {}, host.token);
  const room = data.conferences.nodes.find((each: { name: string }) => each.name === name);
  expect(room).toMatchObject({ emptyAfterSeconds: 30 });
  const change = { conferenceId: room.id, emptyAfterSeconds: 60 };
  const owner = await ownerToken(node);
  await expect(
    mutate(node, "updateConference", "conference { id }", change, owner),
  ).rejects.toThrow(/^INVALID .*emptyAfterSeconds.*legacy client/);
  await client.destroy();
  clock.advance(31_000);
  await isClosed(room.id);
});
