import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
  passes,
} from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { LegacyClient } from "../../support/conferences/legacy-client";
import { overWebSocket } from "../../support/conferences/legacy-transports";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { startNode, type TestNode } from "../../support/node";
import { describeServices } from "../../support/operations/database";
import { newUser, rest, type TestUser } from "../../support/rest-client";

/** Who may be in a conference is what its lists say, also for those who are in it. */

const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) =>
  new MemoryEngine(listener);
const open: GraphqlParticipant[] = [];
let node: TestNode;
let host: TestUser;
let ann: TestUser;
let bob: TestUser;
let cleo: TestUser;

beforeAll(async () => {
  node = await startNode({}, { openEngine });
  host = await newUser(node);
  ann = await newUser(node);
  bob = await newUser(node);
  cleo = await newUser(node);
});
afterEach(async () => {
  for (const participant of open.splice(0)) await participant.leave();
});
afterAll(() => node.stop());

async function join(id: string, { token }: TestUser, at = node): Promise<GraphqlParticipant> {
  const participant = await joinConference(at, id, token);
  open.push(participant);
  return participant;
}

const ids = (...users: TestUser[]) => users.map(({ id }) => String(id));
const update = (conferenceId: string, changes: object, at = node, { token } = host) =>
  mutate(at, "updateConference", "conference { id }", { conferenceId, ...changes }, token);

/** The listed users by login, with a star for moderators. */
async function lists(id: string): Promise<string[]> {
  const rows = await node.sql<{ login: string; moderator: boolean }>(
    "SELECT u.login, c.moderator FROM conference_users c JOIN users u ON u.id = c.user_id WHERE conference_id = $1",
    [Number(id)],
  );
  return rows.map(({ login, moderator }) => `${login}${moderator ? "*" : ""}`).sort();
}

const removed = (participant: GraphqlParticipant, { id }: TestUser) =>
  participant.event(
    "ConferenceParticipantLeftEvent",
    ({ participantId, reason }) => participantId === String(id) && reason === "REMOVED",
  );

test("who is no longer listed is out at once; the creator, moderators and guests by link stay", async () => {
  const id = await createConference(node, host.token, {
    access: "LISTED",
    userIds: ids(ann, bob),
    moderatorIds: ids(cleo),
  });
  const { secret } = await mutate(
    node,
    "createConferenceLink",
    "secret",
    { conferenceId: id },
    host.token,
  );
  const guest = await mutate(node, "admitConferenceGuest", "token", { secret, name: "Grace" });
  const [first, out] = [await join(id, host), await join(id, ann)];
  for (const user of [bob, cleo, { ...bob, token: guest.token }]) await join(id, user);
  await update(id, { userIds: ids(bob) });
  await removed(first, ann);
  await passes(() => expect(out.isOver()).toBe(true));
  expect(first.names()).toEqual([host.login, bob.login, cleo.login, "Grace"]);
  await expect(join(id, ann)).rejects.toThrow(/^NOT_FOUND/);
});

test("who is no longer listed sees its own times, and neither the participants nor theirs", async () => {
  const id = await createConference(node, host.token, {
    access: "LISTED",
    userIds: ids(ann, bob),
  });
  for (const user of [host, ann, bob]) await join(id, user);
  /** What a user reads of the conference: its participants by two ways, and its history. */
  const read = async ({ token }: TestUser) => {
    const { data } = await graphql(
      node,
      `query ($id: ID!) {
        conference(id: $id) { participants { name } }
        joinedConferences(first: 100) { nodes { id participants { name } } }
        conferenceHistory(conferenceId: $id, first: 10) { nodes { userId leftAt } }
      }`,
      { id },
      token,
    );
    const joined = data.joinedConferences.nodes.find((each: { id: string }) => each.id === id);
    const names = (participants: Array<{ name: string }>) => participants.map(({ name }) => name);
    return {
      participants: [names(data.conference.participants), names(joined.participants)],
      history: data.conferenceHistory.nodes.map((each: { userId: string }) => each.userId),
    };
  };
  const all = [host.login, ann.login, bob.login];
  expect(await read(ann)).toEqual({ participants: [all, all], history: ids(host, ann, bob) });
  await update(id, { userIds: ids(bob) });
  expect(await read(ann)).toEqual({ participants: [[], []], history: ids(ann) });
  const others = [host.login, bob.login];
  for (const user of [host, bob]) {
    expect(await read(user)).toEqual({
      participants: [others, others],
      history: ids(host, ann, bob),
    });
  }
  await update(id, { access: "EVERYONE" });
  expect(await read(ann)).toEqual({ participants: [others, others], history: ids(host, ann, bob) });
});

describe("the name of a conference for listed users", () => {
  const legacyJoin = async (name: string, token: string) => {
    const client = await LegacyClient.open(overWebSocket, node.app.conferenceUrls.ws ?? "", token);
    try {
      await client.join(name);
    } finally {
      await client.destroy();
    }
  };
  /** The conferences of a name that a user has been in. */
  async function visited(name: string, { id }: TestUser): Promise<string[]> {
    const rows = await node.sql<{ id: number }>(
      `SELECT c.id FROM conferences c JOIN conference_members m ON m.conference_id = c.id
        WHERE c.name = $1 AND m.number = $2 ORDER BY c.id`,
      [name, id],
    );
    return rows.map((row) => String(row.id));
  }

  test("is reserved by it for nobody, and tells nobody of it", async () => {
    const name = `Board ${Date.now()}`;
    const listed = { name, access: "LISTED", userIds: ids(ann) };
    const own = await createConference(node, host.token, listed);
    await createConference(node, host.token, listed);
    const others = await createConference(node, bob.token, { name });
    await expect(createConference(node, host.token, { name })).rejects.toThrow(/INVALID.*taken/);
    await expect(update(own, { access: "EVERYONE" })).rejects.toThrow(/INVALID.*taken/);
    await mutate(node, "closeConference", "conference { id }", { conferenceId: others }, bob.token);
    await update(own, { access: "EVERYONE" });
  });

  test("refers to it only for its listed users, before the one for everyone", async () => {
    const name = `Staff ${Date.now()}`;
    const own = await createConference(node, host.token, {
      name,
      access: "LISTED",
      userIds: ids(ann),
    });
    // The first join of somebody who is not listed creates the conference for everyone.
    await legacyJoin(name, bob.token);
    const [created] = await visited(name, bob);
    expect(created).not.toBe(own);
    for (const { token } of [ann, cleo, host]) await legacyJoin(name, token);
    expect(await visited(name, ann)).toEqual([own]);
    expect(await visited(name, host)).toEqual([own]);
    expect(await visited(name, cleo)).toEqual([created]);
  });

  test("is no right: who creates a conference by joining does not moderate it", async () => {
    const name = `Lobby ${Date.now()}`;
    await legacyJoin(name, bob.token);
    const [id = ""] = await visited(name, bob);
    const participant = await join(id, bob);
    expect(participant.events[0]).toMatchObject({ participants: [{ moderator: false }] });
    const input = { conferenceId: id };
    for (const [operation, fields] of [
      ["closeConference", "conference { id }"],
      ["createConferenceLink", "secret"],
    ] as const) {
      await expect(mutate(node, operation, fields, input, bob.token)).rejects.toThrow(/^FORBIDDEN/);
    }
  });
});

test("who is not listed is out when everyone's conference becomes one for listed users", async () => {
  const id = await createConference(node, host.token, { userIds: ids(ann) });
  const first = await join(id, host);
  for (const user of [ann, bob]) await join(id, user);
  await update(id, { access: "LISTED" });
  await removed(first, bob);
  expect(first.names()).toEqual([host.login, ann.login]);
  // Nobody leaves for the reverse, or for a change of the lists while everyone may join.
  await update(id, { access: "EVERYONE" });
  await join(id, bob);
  await update(id, { userIds: [] });
  await update(id, { name: `after ${id}` });
  await first.event(
    "ConferenceUpdatedEvent",
    ({ conference }) => conference.name === `after ${id}`,
  );
  expect(first.names()).toEqual([host.login, ann.login, bob.login]);
});

test("a list that is not given stays as it is", async () => {
  const id = await createConference(node, host.token, {
    userIds: ids(ann),
    moderatorIds: ids(bob),
  });
  expect(await lists(id)).toEqual([ann.login, `${bob.login}*`].sort());
  await update(id, { userIds: ids(cleo) });
  expect(await lists(id)).toEqual([`${bob.login}*`, cleo.login].sort());
  // Also for a moderator who is named among the users.
  await update(id, { userIds: ids(bob, cleo) });
  expect(await lists(id)).toEqual([`${bob.login}*`, cleo.login].sort());
  // A former moderator stays listed.
  await update(id, { moderatorIds: ids(ann) });
  expect(await lists(id)).toEqual([`${ann.login}*`, bob.login, cleo.login].sort());
  await update(id, { name: `lists ${id}` });
  expect(await lists(id)).toEqual([`${ann.login}*`, bob.login, cleo.login].sort());
  await update(id, { userIds: ids(bob), moderatorIds: ids(cleo) });
  expect(await lists(id)).toEqual([bob.login, `${cleo.login}*`].sort());
  await update(id, { userIds: [], moderatorIds: [] });
  expect(await lists(id)).toEqual([]);
});

test("the participants see who begins and ceases to moderate", async () => {
  const id = await createConference(node, host.token, { moderatorIds: ids(ann) });
  const first = await join(id, ann);
  await join(id, bob);
  await update(id, { moderatorIds: ids(bob) });
  const changes = await passes(() => {
    const found = first.events.flatMap(({ __typename, participant }) =>
      __typename === "ConferenceParticipantUpdatedEvent"
        ? [[participant.id, participant.moderator]]
        : [],
    );
    expect(found).toHaveLength(2);
    return new Map(found as [string, boolean][]);
  });
  expect(changes).toEqual(
    new Map([
      [String(ann.id), false],
      [String(bob.id), true],
    ]),
  );
  const query = "query ($id: ID!) { conference(id: $id) { participants { id moderator } } }";
  const { data } = await graphql(node, query, { id }, host.token);
  expect(data.conference.participants).toEqual([
    { id: String(ann.id), moderator: false },
    { id: String(bob.id), moderator: true },
  ]);
});

test("200 users are listed at most, whether given, kept or invited", async () => {
  const [row] = await node.sql<{ all: string[] }>(
    `WITH made AS (INSERT INTO users (application_id, login, login_key, updated_at)
        SELECT $1, 'many' || n, 'many' || n, now() FROM generate_series(1, 201) n RETURNING id)
      SELECT array_agg(id::text ORDER BY id) AS all FROM made`,
    [node.application.id],
  );
  const many = row?.all ?? [];
  expect(many).toHaveLength(201);
  const id = await createConference(node, host.token, {
    access: "LISTED",
    moderatorIds: many.slice(0, 100),
  });
  await expect(update(id, { userIds: many })).rejects.toThrow(/INVALID.*at most 200/);
  await expect(update(id, { userIds: many.slice(100, 201) })).rejects.toThrow(
    /INVALID.*at most 200/,
  );
  expect(await lists(id)).toHaveLength(100);
  await update(id, { userIds: many.slice(100, 200) });
  const invite = (userId: string | undefined) =>
    mutate(
      node,
      "inviteToConference",
      "conference { id }",
      { conferenceId: id, userIds: [userId] },
      host.token,
    );
  await expect(invite(many[200])).rejects.toThrow(/INVALID.*at most 200/);
  await invite(many[0]);
  expect(await lists(id)).toHaveLength(200);
});

test("who joins while it is taken off the list does not stay", async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = await createConference(node, host.token, { access: "LISTED", userIds: ids(ann) });
    const first = await join(id, host);
    const [joined] = await Promise.allSettled([join(id, ann), update(id, { userIds: [] })]);
    if (joined.status === "fulfilled") {
      await passes(() => expect(joined.value.isOver()).toBe(true));
    } else expect(String(joined.reason)).toMatch(/NOT_FOUND/);
    await passes(() => expect(first.names()).toEqual([host.login]));
  }
});

describe("after a restart of the node", () => {
  test("whose session, link or listing ended meanwhile is out", async () => {
    const one = await startNode({}, { openEngine });
    let two: TestNode | null = null;
    try {
      const users = await Promise.all(Array.from({ length: 4 }, () => newUser(one)));
      const [owner, stays, leaves, unlisted] = users as [TestUser, TestUser, TestUser, TestUser];
      const id = await createConference(one, owner.token, {
        access: "LISTED",
        userIds: ids(stays, leaves, unlisted),
      });
      const link = await mutate(
        one,
        "createConferenceLink",
        "secret link { id }",
        { conferenceId: id },
        owner.token,
      );
      const guest = await mutate(one, "admitConferenceGuest", "token", {
        secret: link.secret,
        name: "Grace",
      });
      for (const user of [owner, stays, leaves, unlisted]) await join(id, user, one);
      await join(id, { ...owner, token: guest.token }, one);
      await one.app.close();
      two = await startNode({}, { openEngine }, one);
      await two.sql("UPDATE conference_members SET lease_until = now() + interval '1 hour'");
      await two.sql("DELETE FROM sessions WHERE id = $1", [leaves.sessionId]);
      await two.sql("DELETE FROM conference_users WHERE user_id = $1", [unlisted.id]);
      await two.sql("DELETE FROM conference_links");
      const back = await join(id, owner, two);
      await passes(() => expect(back.names()).toEqual([owner.login, stays.login]));
      const reasons = await two.sql<{ name: string; leave_reason: string | null }>(
        "SELECT name, leave_reason FROM conference_members WHERE left_at IS NOT NULL ORDER BY id",
      );
      expect(reasons).toEqual([
        { name: leaves.login, leave_reason: "session-ended" },
        { name: unlisted.login, leave_reason: "removed" },
        { name: "Grace", leave_reason: "link-withdrawn" },
      ]);
    } finally {
      for (const participant of open.splice(0)) await participant.leave();
      await two?.stop();
      await one.stop();
    }
  });
});

describeServices("on two nodes", () => {
  let one: TestNode;
  let two: TestNode;
  let owner: TestUser;
  let user: TestUser;
  beforeEach(async () => {
    one = await startNode({}, { openEngine });
    two = await startNode({}, { openEngine }, one);
    owner = await newUser(one);
    user = await newUser(one);
  });
  afterEach(async () => {
    for (const participant of open.splice(0)) await participant.leave();
    await two.stop();
    await one.stop();
  });

  test("who is no longer listed is out of a conference that the other node hosts", async () => {
    const id = await createConference(one, owner.token, { access: "LISTED", userIds: ids(user) });
    const first = await join(id, owner, one);
    const out = await join(id, user, two);
    await update(id, { userIds: [] }, two, owner);
    await removed(first, user);
    await passes(() => expect(out.isOver()).toBe(true));
  });

  test("whose session ends while no host lives is out once the other node is the host", async () => {
    const id = await createConference(one, owner.token);
    await join(id, user, one);
    const first = await join(id, owner, two);
    await two.sql("UPDATE conference_members SET lease_until = now() + interval '1 hour'");
    // A host that is dead, and whose lease has not ended yet.
    await two.sql(
      "INSERT INTO conference_nodes (id, lease_until) VALUES ('dead', now() + interval '1 hour')",
    );
    await two.sql("UPDATE conferences SET host = 'dead' WHERE id = $1", [Number(id)]);
    const { status } = await rest(two, "DELETE", "/session", { token: user.token });
    expect(status).toBe(200);
    await two.sql("DELETE FROM conference_nodes WHERE id = 'dead'");
    await first.event(
      "ConferenceParticipantLeftEvent",
      ({ participantId }) => participantId === String(user.id),
    );
    await passes(() => expect(first.names()).toEqual([owner.login]));
  });
});
