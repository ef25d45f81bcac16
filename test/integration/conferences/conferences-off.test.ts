import { passes } from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { addConference, type StoredConference } from "../../support/conferences/stored-conference";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";
import { type Participants, PERMISSION_ROWS } from "../../support/security/permission-rows";
import { ownerToken } from "../../support/sessions/owner";

/** A node with CONFERENCES=off, on a database that has conferences. */

/** What remains: reading, and ending what there is. */
const REMAINS = [
  "Query.conferences",
  "Query.joinedConferences",
  "Query.conference",
  "Query.conferenceHistory",
  "Query.conferenceLinks",
  "Query.conferenceStatistics",
  "Mutation.closeConference",
  "Mutation.deleteConferenceLink",
  "Mutation.leaveConference",
  "Mutation.removeConferenceParticipant",
];
/** The subscription that remains: members of the account see what there is. */
const WATCHED = "Subscription.conferenceChanges";
const ROWS = Object.entries(PERMISSION_ROWS).filter(([name]) => /conference/i.test(name));
const REFUSED = ROWS.filter(([name]) => !REMAINS.includes(name) && name !== WATCHED);

let node: TestNode;
let user: TestUser;
let stored: StoredConference;
let participants: Participants;

beforeAll(async () => {
  node = await startNode({ CONFERENCES: "off" }, { jobsPollMs: 100 });
  user = await newUser(node);
});
beforeEach(async () => {
  stored = await addConference(node, user);
  participants = { node, a: user, b: user, conference: stored } as Participants;
});
afterAll(() => node.stop());

const CALLERS = {
  "a user": async () => user.token,
  "the account's owner": () => ownerToken(node),
} as const;
/** Operations with each caller who may run them. */
const withCallers = (rows: typeof ROWS) =>
  rows.flatMap(([name, row]) => {
    const callers = { "a user": row.self, "the account's owner": row.account };
    return (Object.keys(CALLERS) as (keyof typeof CALLERS)[])
      .filter((caller) => callers[caller] === "OK")
      .map((caller) => [name, caller, row] as const);
  });

test.each(withCallers(REFUSED))("%s of %s is UNSUPPORTED", async (name, caller, {
  document,
  variables,
}) => {
  if (name.startsWith("Subscription.")) {
    const socket = await openSocket(node, user.token);
    const payload = { query: document, variables: variables(participants) };
    socket.send({ id: "s", type: "subscribe", payload });
    const { type, payload: answer } = await socket.next();
    const errors = type === "error" ? answer : answer.errors;
    expect(errors[0].extensions.code).toBe("UNSUPPORTED");
    await socket.close();
    return;
  }
  const token = await CALLERS[caller]();
  const { errors } = await graphql(node, document, variables(participants), token);
  expect(errors?.[0].extensions.code).toBe("UNSUPPORTED");
  expect(errors?.[0].message).toBe("Conferences are off on this server");
});

test.each(
  withCallers(ROWS.filter(([name]) => REMAINS.includes(name))),
)("%s of %s remains", async (_name, caller, { document, variables }) => {
  const token = await CALLERS[caller]();
  const { errors } = await graphql(node, document, variables(participants), token);
  expect(errors).toBeUndefined();
});

test("owners see the conferences that there are", async () => {
  const socket = await openSocket(node, await ownerToken(node));
  const query = PERMISSION_ROWS[WATCHED]?.document;
  const variables = PERMISSION_ROWS[WATCHED]?.variables(participants);
  socket.send({ id: "s", type: "subscribe", payload: { query, variables } });
  const { payload } = await socket.next();
  expect(payload.data.conferenceChanges).toMatchObject({ id: stored.id, hostNodeId: null });
  const all = { query, variables: { ...variables, c: null } };
  socket.send({ id: "a", type: "subscribe", payload: all });
  // An empty conference is none of those that it begins with.
  expect((await socket.run("{ __typename }")).errors).toBeUndefined();
  expect(socket.received.filter(({ id }) => id === "a")).toEqual([]);
  await socket.close();
});

test("every operation is one or the other, and nothing was written", async () => {
  expect(REFUSED).toHaveLength(ROWS.length - REMAINS.length - 1);
  expect(REFUSED.map(([name]) => name)).toContain("Mutation.createConference");
  const [row] = await node.sql<{ seats: number; locked: boolean }>(
    "SELECT seats, locked FROM conferences WHERE id = $1",
    [Number(stored.id)],
  );
  expect(row).toEqual({ seats: 12, locked: false });
  const guests = await node.sql("SELECT id FROM conference_guests");
  expect(guests).toEqual([]);
});

test("the history and the export stay", async () => {
  const history = `query ($id: ID!) { conferenceHistory(conferenceId: $id) { nodes { userId } } }`;
  const read = await graphql(node, history, { id: stored.id }, user.token);
  expect(read.data.conferenceHistory.nodes).toEqual([{ userId: String(user.id) }]);
  const query = "mutation ($input: ApplicationUserInput!) { exportUser(input: $input) { export } }";
  const input = { applicationId: String(node.application.id), userId: String(user.id) };
  const { data } = await graphql(node, query, { input }, await ownerToken(node));
  const { conferences, conferenceParticipations } = data.exportUser.export;
  const conferenceId = Number(stored.id);
  expect(conferences).toContainEqual(expect.objectContaining({ id: conferenceId }));
  expect(conferenceParticipations).toContainEqual(expect.objectContaining({ conferenceId }));
});

test("the endpoint of legacy clients is not open, over WebSocket and long polling", async () => {
  expect(node.app.conferenceUrls).toEqual({});
  const response = await fetch(`${node.baseUrl}/janus`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ janus: "create", transaction: "t", token: user.token }),
  });
  expect(response.status).toBe(404);
});

test("participants whose lease has ended leave", async () => {
  const { id } = stored;
  // As the join of a participant leaves them.
  await node.sql("UPDATE conferences SET empty_since = NULL WHERE id = $1", [Number(id)]);
  await node.sql("UPDATE conference_members SET lease_until = now() - interval '1 second'");
  await node.sql(
    "INSERT INTO pgboss.job (name, data, policy) VALUES ('conferences', '{}', 'stately') ON CONFLICT DO NOTHING",
  );
  const text = "SELECT leave_reason FROM conference_members WHERE conference_id = $1";
  await passes(async () => {
    expect(await node.sql(text, [Number(id)])).toEqual([{ leave_reason: "left" }]);
  });
});
