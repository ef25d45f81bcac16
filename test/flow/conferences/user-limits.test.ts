import {
  createConference,
  joinConference,
  mutate,
} from "../../../tools/conferences/graphql-participant";
import { LegacyClient } from "../../support/conferences/legacy-client";
import { overWebSocket } from "../../support/conferences/legacy-transports";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/** What one user can take of the conferences of all: seats, and open conferences. */

const SEATS = 8;
const OPEN = 100;

let node: TestNode;
let host: TestUser;
let user: TestUser;

beforeAll(async () => {
  const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) =>
    new MemoryEngine(listener);
  node = await startNode({ RATE_NEW_CALLS_PER_USER: "6000" }, { openEngine });
  host = await newUser(node);
  const input = { applicationId: String(node.application.id), conferencesOnJoin: true };
  await mutate(node, "updateApplication", "application { id }", input, await ownerToken(node));
});
beforeEach(async () => {
  user = await newUser(node);
});
afterAll(() => node.stop());

const legacyClient = () =>
  LegacyClient.open(overWebSocket, node.app.conferenceUrls.ws ?? "", user.token);

const join = (conferenceId: string) =>
  mutate(node, "joinConference", "membershipId", { conferenceId }, user.token);

/** Extends the leases of the user, which no subscription renews. */
const keepSeats = () =>
  node.sql(
    "UPDATE conference_members SET lease_until = now() + interval '1 day' WHERE user_id = $1",
    [user.id],
  );

/** Joins conferences at the same time. @returns the conferences, and how each join has ended */
async function joinMany(count: number) {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await createConference(node, host.token));
  const results = await Promise.allSettled(ids.map(join));
  await keepSeats();
  return ids.map((id, index) => {
    const result = results[index];
    if (result?.status === "fulfilled") return { id, membershipId: result.value.membershipId };
    return { id, refused: String(result?.reason) };
  });
}

test("a user has eight seats, however many joins race", async () => {
  const joins = await joinMany(SEATS + 4);
  const seated = joins.filter(({ membershipId }) => membershipId);
  const refused = joins.filter((each) => each.refused);
  expect(seated).toHaveLength(SEATS);
  for (const each of refused) {
    expect(each.refused).toMatch(/LIMITED A user may be in at most 8 conferences at a time/);
  }
  const [next, other] = refused.map(({ id }) => id);

  // A legacy client is told in place of the ack.
  const legacy = await legacyClient();
  await expect(legacy.join("ninth")).rejects.toThrow(/^490 A user may be in at most 8 conferences/);
  await legacy.destroy();

  // Others have seats of their own, and a rejoin takes the old one.
  await (await joinConference(node, next ?? "", (await newUser(node)).token)).leave();
  await join(seated[0]?.id ?? "");
  await keepSeats();

  const { membershipId } = seated[1] ?? {};
  await mutate(node, "leaveConference", "done", { membershipId }, user.token);
  await join(next ?? "");
  await expect(join(other ?? "")).rejects.toThrow(/^LIMITED/);
});

test("a user has a hundred open conferences, however many are created at once", async () => {
  await node.sql(
    `INSERT INTO conferences (application_id, name, seats, video, access, origin, bitrate, created_by, closed_at)
      SELECT $1, 'of ' || $2::bigint || ' ' || n, 12, true, 'everyone', 'graphql', 600000, $2,
        CASE WHEN n >= $3::int THEN now() END FROM generate_series(1, 2 * $3::int) n`,
    [node.application.id, user.id, OPEN],
  );
  const results = await Promise.allSettled(
    Array.from({ length: 4 }, () => createConference(node, user.token)),
  );
  const created = results.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const refused = results.flatMap((each) =>
    each.status === "rejected" ? [String(each.reason)] : [],
  );
  expect(created).toHaveLength(1);
  for (const each of refused) {
    expect(each).toMatch(/LIMITED A user may have at most 100 open conferences/);
  }

  const legacy = await legacyClient();
  await expect(legacy.join(`new of ${user.id}`)).rejects.toThrow(
    /^490 A user may have at most 100 open conferences/,
  );
  await legacy.destroy();

  await mutate(
    node,
    "closeConference",
    "conference { id }",
    { conferenceId: created[0] },
    user.token,
  );
  await createConference(node, user.token);
});

test("a conference that a legacy client creates by joining counts as a new call of its user", async () => {
  const owner = await ownerToken(node);
  const set = (newCallsPerMinute: number | null) =>
    mutate(
      node,
      "updateApplication",
      "application { id }",
      { applicationId: String(node.application.id), newCallsPerMinute },
      owner,
    );
  await set(2);
  const joinAs = async (name: string) => {
    const legacy = await legacyClient();
    await legacy.join(`${name} of ${user.id}`).finally(() => legacy.destroy());
  };
  for (const name of ["first", "second"]) await joinAs(name);
  await expect(joinAs("third")).rejects.toThrow(/^490 /);
  // One that is open is joined as before.
  await joinAs("first");
  await set(null);
});
