import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
} from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { watchAsOwner } from "../../support/calls/application-calls";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { addConference } from "../../support/conferences/stored-conference";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newUser, type TestUser } from "../../support/rest-client";
import { memberToken, ownerCredentials, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** Conferences as the members of an application's account see and moderate them. */

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
type Data = Record<string, any>;

let engine: MemoryEngine;
let node: TestNode;
let owner: string;
let host: TestUser;
let user: TestUser;
const open: GraphqlParticipant[] = [];
const closing: { close(): unknown }[] = [];

beforeAll(async () => {
  node = await startNode(
    {},
    {
      openEngine: async (listener) => {
        engine = new MemoryEngine(listener);
        return engine;
      },
    },
  );
  owner = await ownerToken(node);
  host = await newUser(node);
  user = await newUser(node);
});
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
  for (const participant of open.splice(0)) await participant.leave();
});
afterAll(() => node.stop());

async function join(id: string, { token }: TestUser, at = node): Promise<GraphqlParticipant> {
  const participant = await joinConference(at, id, token);
  open.push(participant);
  return participant;
}

const application = () => String(node.application.id);
const PARTICIPANT = `id userId name device moderator joinedAt publishing sharingScreen audioMuted videoMuted audioMutedByParticipant
  videoMutedByParticipant audioMutedByModerator videoMutedByModerator`;
const CONFERENCE = `id applicationId name seats access locked bitrate creatorId createdAt closedAt origin hostNodeId engine
  participants { ${PARTICIPANT} }`;
const STATISTICS = "participantId source audioBitrate videoBitrate packetLoss roundTripMs";

/** A conference with what else a member of the account reads of it. */
async function ask(token: string, id: string, at = node): Promise<Data> {
  const query = `query ($id: ID!) { conference(id: $id) { ${CONFERENCE} }
    conferenceHistory(conferenceId: $id, first: 5) { nodes { name leaveReason } }
    conferenceLinks(conferenceId: $id) { id maxUses uses }
    conferenceStatistics(conferenceId: $id) { ${STATISTICS} } }`;
  const { data, errors } = await graphql(at, query, { id }, token);
  if (errors) throw new Error(JSON.stringify(errors));
  const { conference, conferenceHistory, conferenceLinks, conferenceStatistics } = data;
  return {
    ...conference,
    history: conferenceHistory.nodes,
    links: conferenceLinks,
    statistics: conferenceStatistics,
  };
}
const seen = (id: string) => ask(owner, id);

/** The identifier of the node, as the list of nodes has it. */
async function nodeId(): Promise<string> {
  const { data } = await graphql(node, "{ health { nodes { id } } }", {}, owner);
  expect(data.health.nodes).toHaveLength(1);
  return data.health.nodes[0].id;
}

/** Creates another application of the same account. */
async function createApplication(): Promise<string> {
  const input = { name: "Another" };
  const answer = await mutate(node, "createApplication", "application { id }", input, owner);
  return answer.application.id;
}

/** Runs an operation on a conference as the owner of its application's account. */
const moderate = (name: string, fields: string, conferenceId: string, more: object) =>
  mutate(node, name, fields, { conferenceId, ...more }, owner);

test("a conference with its participants, statistics, links and history", async () => {
  const id = await createConference(node, host.token, { seats: 5 });
  expect(await seen(id)).toMatchObject({
    ...{ id, applicationId: application(), seats: 5, origin: "GRAPHQL", closedAt: null },
    ...{ hostNodeId: null, engine: null, creatorId: String(host.id) },
    ...{ participants: [], links: [], statistics: [] },
  });
  const first = await join(id, host);
  const second = await join(id, user);
  const { peerId } = await second.mutate("publishConferenceMedia", "peerId", { offer: "offer" });
  await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.publishing,
  );
  await second.mutate("setConferenceMute", "participant { id }", { video: true });
  const stats = { audioBitrate: 32_000, videoBitrate: 500_000, packetLoss: 0.5, roundTripMs: 20 };
  engine.report(peerId, stats);
  const input = { conferenceId: id, maxUses: 3 };
  await mutate(node, "createConferenceLink", "link { id }", input, host.token);
  const conference = await seen(id);
  expect(conference).toMatchObject({
    hostNodeId: await nodeId(),
    engine: "memory",
    links: [{ maxUses: 3, uses: 0 }],
    history: [{ name: host.login }, { name: user.login }],
    statistics: [{ participantId: String(user.id), source: "MAIN", ...stats }],
    participants: [
      { userId: String(host.id), moderator: true, publishing: false },
      {
        ...{ userId: String(user.id), name: user.login, publishing: true, sharingScreen: false },
        ...{ audioMuted: false, audioMutedByParticipant: false, audioMutedByModerator: false },
        ...{ videoMuted: true, videoMutedByParticipant: true, videoMutedByModerator: false },
      },
    ],
  });
  await second.mutate("closeConferencePeer", "done", { peerId });
  expect((await seen(id)).statistics).toEqual([]);
});

test("nobody else gets what only members of the account see", async () => {
  const id = await createConference(node, host.token);
  await join(id, host);
  const fields = `applicationId origin hostNodeId engine
    participants { id audioMutedByParticipant videoMutedByParticipant audioMutedByModerator videoMutedByModerator }`;
  const hidden = { applicationId: null, origin: null, hostNodeId: null, engine: null };
  const unknown = {
    ...{ id: String(host.id), audioMutedByParticipant: null, videoMutedByParticipant: null },
    ...{ audioMutedByModerator: null, videoMutedByModerator: null },
  };
  const query = `query ($id: ID!) { conference(id: $id) { ${fields} } }`;
  const input = { conferenceId: id };
  const { secret } = await mutate(node, "createConferenceLink", "secret", input, host.token);
  const guestFields = `token conference { ${fields} }`;
  const admit = (token: string) =>
    mutate(node, "admitConferenceGuest", guestFields, { secret, name: "Guest" }, token);
  const admitted = await admit(host.token);
  const [asUser, asGuest] = await Promise.all(
    [host.token, admitted.token].map((token) => graphql(node, query, { id }, token)),
  );
  for (const conference of [
    asUser?.data.conference,
    asGuest?.data.conference,
    admitted.conference,
  ]) {
    expect(conference).toEqual({ ...hidden, participants: [unknown] });
  }
  const other = await secondApplication(node);
  expect((await admit(await ownerToken(other))).conference).toEqual({
    ...hidden,
    participants: [],
  });
  expect((await admit(await memberToken(node, "support"))).conference).toEqual({
    ...{ applicationId: application(), origin: "GRAPHQL" },
    ...{ hostNodeId: await nodeId(), engine: "memory" },
    participants: [
      {
        ...{ id: String(host.id), audioMutedByParticipant: false, videoMutedByParticipant: false },
        ...{ audioMutedByModerator: false, videoMutedByModerator: false },
      },
    ],
  });
  // A document that also signs a member of another account in.
  const { email, password } = ownerCredentials(node);
  const address = "stranger@example.com";
  await node.sql(
    `INSERT INTO account_members (account_id, email, password_hash, role)
      SELECT a.account_id, $3, m.password_hash, 'owner' FROM applications a, account_members m
      WHERE a.id = $1 AND m.email = $2`,
    [other.application.id, email, address],
  );
  const document = `mutation ($member: SignInMemberInput!, $join: ConferenceInput!) {
    signInMember(input: $member) { token } joinConference(input: $join) { conference { ${fields} } } }`;
  const variables = { member: { email: address, password }, join: { conferenceId: id } };
  for (const token of [host.token, admitted.token]) {
    const { data } = await graphql(node, document, variables, token);
    const { conference } = data.joinConference;
    expect(conference).toMatchObject(hidden);
    expect(conference.participants[0]).toEqual(unknown);
  }
});

test("owners mute, remove, lock, change and close", async () => {
  const id = await createConference(node, host.token);
  const participant = await join(id, user);
  const participantId = String(user.id);
  const { peerId } = await participant.mutate("publishConferenceMedia", "peerId", {
    offer: "offer",
  });
  const name = "muteConferenceParticipant";
  const fields = "participant { audioMuted audioMutedByParticipant audioMutedByModerator }";
  const muted = await moderate(name, fields, id, { participantId, audio: true });
  expect(muted.participant).toEqual({
    ...{ audioMuted: true, audioMutedByParticipant: false, audioMutedByModerator: true },
  });
  await participant.event(
    "ConferenceParticipantUpdatedEvent",
    (event) => event.participant.audioMuted,
  );
  expect(engine.peers.get(peerId)?.messages).toContainEqual({ publisher: { audio: false } });
  expect((await seen(id)).participants[0]).toMatchObject({
    audioMutedByModerator: true,
    audioMutedByParticipant: false,
  });
  await moderate(name, "participant { id }", id, { participantId, audio: false });
  expect((await seen(id)).participants[0]).toMatchObject({ audioMuted: false });

  const settings = { locked: true, bitrate: 100_000, name: `Renamed ${id}` };
  const changed = await moderate(
    "updateConference",
    "conference { locked bitrate name }",
    id,
    settings,
  );
  expect(changed.conference).toEqual(settings);
  await participant.event("ConferenceUpdatedEvent", ({ conference }) => conference.locked);
  expect(engine.rooms.get(`c-${id}`)).toMatchObject({ bitrate: 100_000 });

  const removed = await moderate("removeConferenceParticipant", "done", id, { participantId });
  expect(removed).toEqual({ done: true });
  await eventually(
    () => participant.hasEnded(),
    (ended) => ended,
  );
  await expect(join(id, user)).rejects.toThrow(/^FORBIDDEN.*locked/);
  expect((await seen(id)).history).toEqual([{ name: user.login, leaveReason: "REMOVED" }]);
  // Removing twice is no error, as for moderators.
  await moderate("removeConferenceParticipant", "done", id, { participantId });
  await expect(
    moderate(name, "participant { id }", id, { participantId, audio: true }),
  ).rejects.toThrow(/^NOT_FOUND/);

  const closed = await moderate(
    "closeConference",
    "conference { closedAt participants { id } }",
    id,
    {},
  );
  expect(closed.conference).toEqual({ closedAt: expect.any(String), participants: [] });
  expect(await seen(id)).toMatchObject({
    ...{ closedAt: closed.conference.closedAt, participants: [], links: [], statistics: [] },
    history: [{ name: user.login, leaveReason: "REMOVED" }],
  });
  for (const operation of [
    () => moderate("closeConference", "conference { id }", id, {}),
    () => moderate("updateConference", "conference { id }", id, { locked: false }),
    () => moderate(name, "participant { id }", id, { participantId }),
    () => moderate("removeConferenceParticipant", "done", id, { participantId }),
  ]) {
    await expect(operation()).rejects.toThrow(/^CONFLICT/);
  }
});

test("owners moderate a conference that the first join of a legacy client has created", async () => {
  const id = await createConference(node, host.token);
  await node.sql("UPDATE conferences SET origin = 'legacy' WHERE id = $1", [id]);
  const input = { conferenceId: id, locked: true };
  const lock = (token: string) =>
    mutate(node, "updateConference", "conference { locked }", input, token);
  await expect(lock(host.token)).rejects.toThrow(/^FORBIDDEN/);
  expect(await lock(owner)).toEqual({ conference: { locked: true } });
});

test("another account's owner or user with the secret of a link sees nobody", async () => {
  const id = await createConference(node, host.token);
  await join(id, host);
  const input = { conferenceId: id };
  const { secret } = await mutate(node, "createConferenceLink", "secret", input, host.token);
  const other = await secondApplication(node);
  const [stranger, foreign] = [await ownerToken(other), await newUser(other)];
  const admit = (token: string) =>
    mutate(
      node,
      "admitConferenceGuest",
      "conference { participants { id } }",
      { secret, name: "Guest" },
      token,
    );
  expect((await admit(stranger)).conference.participants).toEqual([]);
  expect((await admit(foreign.token)).conference.participants).toEqual([]);
  expect((await admit(owner)).conference.participants).toHaveLength(1);
});

test("participants who are not listed are out when an owner limits who may join", async () => {
  const id = await createConference(node, host.token);
  const participant = await join(id, user);
  await moderate("updateConference", "conference { id }", id, { access: "LISTED" });
  await eventually(
    () => participant.hasEnded(),
    (ended) => ended,
  );
});

test.each([
  [{ bitrate: 1 }, "bitrate"],
  [{ seats: 1 }, "seats"],
  [{ name: " " }, "name"],
  [{ name: "x".repeat(129) }, "name"],
])("%j is refused", async (changes, field) => {
  const id = await createConference(node, host.token);
  const update = () => moderate("updateConference", "conference { id }", id, changes);
  await expect(update()).rejects.toThrow(new RegExp(`^INVALID.*${field}`));
});

test("support reads and changes nothing; other accounts see nothing", async () => {
  const id = await createConference(node, host.token);
  const support = await memberToken(node, "support");
  expect(await ask(support, id)).toMatchObject({ id, links: [], statistics: [] });
  const other = await secondApplication(node);
  const stranger = await ownerToken(other);
  for (const read of [
    "conference(id: $id) { id }",
    "conferenceHistory(conferenceId: $id) { nodes { id } }",
    "conferenceLinks(conferenceId: $id) { id }",
    "conferenceStatistics(conferenceId: $id) { participantId }",
  ]) {
    const { errors } = await graphql(node, `query ($id: ID!) { ${read} }`, { id }, stranger);
    expect([read, errors?.[0].extensions.code]).toEqual([read, "NOT_FOUND"]);
  }
  for (const [name, fields] of [
    ["updateConference", "conference { id }"],
    ["closeConference", "conference { id }"],
    ["muteConferenceParticipant", "participant { id }"],
    ["removeConferenceParticipant", "done"],
  ] as const) {
    const participant = name.endsWith("Participant") ? { participantId: String(user.id) } : {};
    const input = { conferenceId: id, ...participant };
    await expect(mutate(node, name, fields, input, stranger)).rejects.toThrow(/^NOT_FOUND/);
    await expect(mutate(node, name, fields, input, support)).rejects.toThrow(/^FORBIDDEN/);
  }
  const ofAnother = (of: string) =>
    `subscription { conferenceChanges(applicationId: "${of}", conferenceId: "${id}") { id } }`;
  const own = await createApplication();
  for (const [token, query] of [
    [stranger, `subscription { conferenceChanges(applicationId: "${application()}") { id } }`],
    [stranger, ofAnother(String(other.application.id))],
    [stranger, ofAnother(application())],
    [owner, ofAnother(own)],
  ] as const) {
    const watching = await watchAsOwner(node, token, query);
    closing.push(watching);
    expect(await watching.refused()).toBe("NOT_FOUND");
  }
});

describe("the list", () => {
  const ids: string[] = [];
  beforeAll(async () => {
    for (const name of ["Planning a", "planning B", "PLANNING c", "plan_", "Other"]) {
      ids.push(await createConference(node, host.token, { name }));
    }
    await moderate("closeConference", "conference { id }", ids[1] ?? "", {});
  });

  async function list(variables: Record<string, unknown>) {
    const query = `query ($a: ID!, $first: Int, $after: String, $last: Int, $before: String, $open: Boolean, $name: String) {
      application(id: $a) { conferences(first: $first, after: $after, last: $last, before: $before, open: $open, name: $name) {
        nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;
    const { data, errors } = await graphql(node, query, { a: application(), ...variables }, owner);
    if (errors) throw new Error(JSON.stringify(errors));
    const { nodes, pageInfo } = data.application.conferences;
    return { names: nodes.map(({ id }: Data) => ids.indexOf(id)), pageInfo };
  }

  test.each<[Record<string, unknown>, number[]]>([
    [{ name: "planning" }, [0, 1, 2]],
    [{ name: "PLAN" }, [3, 0, 1, 2]],
    [{ name: "planning", open: true }, [0, 2]],
    [{ name: "planning", open: false }, [1]],
    [{ name: "plan_" }, [3]],
    [{ name: "planning%" }, []],
    [{ name: "planning", last: 2 }, [1, 2]],
    [{ first: 2, open: true }, [4, 3]],
  ])("of %j", async (variables, expected) => {
    expect((await list(variables)).names).toEqual(expected);
  });

  test("by name has pages in both directions", async () => {
    const first = await list({ name: "plan", first: 2 });
    expect(first).toMatchObject({ names: [3, 0], pageInfo: { hasNextPage: true } });
    const second = await list({ name: "plan", first: 2, after: first.pageInfo.endCursor });
    expect(second.names).toEqual([1, 2]);
    const back = await list({ name: "plan", last: 2, before: second.pageInfo.startCursor });
    expect(back).toMatchObject({ names: [3, 0], pageInfo: { hasPreviousPage: false } });
    const before = await list({ name: "plan", first: 1, before: second.pageInfo.startCursor });
    expect(before).toMatchObject({ names: [3], pageInfo: { hasNextPage: true } });
    const after = await list({ name: "plan", last: 1, after: first.pageInfo.endCursor });
    expect(after).toMatchObject({ names: [2], pageInfo: { hasPreviousPage: true } });
    const { startCursor, endCursor } = (await list({ name: "plan" })).pageInfo;
    const between = await list({ name: "plan", after: startCursor, before: endCursor });
    expect(between.names).toEqual([0, 1]);
    // A cursor of another prefix is a position like any other.
    expect((await list({ name: "other", after: endCursor })).names).toEqual([]);
    expect((await list({ name: "other", before: endCursor })).names).toEqual([4]);
  });

  test.each([
    [{ name: "p", after: "x" }, "after"],
    [{ name: "p", after: "7" }, "after"],
    [{ name: "p", after: `${Buffer.from("a").toString("base64")}--1` }, "after"],
    [{ name: "p", after: `${Buffer.from("a\0").toString("base64")}-1` }, "after"],
    [{ name: "p", before: `${Buffer.from("a").toString("base64")}-`, last: 1 }, "before"],
    [{ name: "p", before: `${Buffer.from("x".repeat(129)).toString("base64")}-1` }, "before"],
    [{ name: "x".repeat(129) }, "name"],
    [{ name: "p", first: 0 }, "first"],
  ])("refuses %j", async (variables, field) => {
    await expect(list(variables)).rejects.toThrow(field);
  });
});

/** Live conferences of a subscription: those with participants first, then what changes. */
async function follows(at: TestNode): Promise<void> {
  const present = await createConference(node, host.token);
  const empty = await createConference(node, host.token);
  await join(present, host);
  const watching = await watchAsOwner(
    at,
    owner,
    `subscription { conferenceChanges(applicationId: "${application()}") {
      id locked closedAt participants { userId audioMutedByModerator } } }`,
  );
  closing.push(watching);
  const last = (id: string): Data | undefined =>
    watching.received().findLast((conference) => conference.id === id);
  await eventually(
    () => last(present),
    (conference) => conference?.participants.length === 1,
  );
  expect(last(empty)).toBeUndefined();
  const id = await createConference(node, host.token);
  const participant = await join(id, user, at);
  await eventually(
    () => last(id),
    (conference) => conference?.participants[0]?.userId === String(user.id),
  );
  const participantId = String(user.id);
  await moderate("muteConferenceParticipant", "participant { id }", id, {
    participantId,
    audio: true,
  });
  await eventually(
    () => last(id),
    (conference) => conference?.participants[0]?.audioMutedByModerator,
  );
  await moderate("updateConference", "conference { id }", id, { locked: true });
  await eventually(
    () => last(id),
    (conference) => conference?.locked,
  );
  await participant.mutate("leaveConference", "done");
  await eventually(
    () => last(id),
    (conference) => conference?.participants.length === 0,
  );
  await moderate("closeConference", "conference { id }", id, {});
  await eventually(
    () => last(id),
    (conference) => typeof conference?.closedAt === "string",
  );
}

test("live conferences and their changes", () => follows(node));

test("one conference, first as it is, and no other", async () => {
  const id = await createConference(node, host.token);
  const watching = await watchAsOwner(
    node,
    owner,
    `subscription { conferenceChanges(applicationId: "${application()}", conferenceId: "${id}") { ${CONFERENCE} } }`,
  );
  closing.push(watching);
  const last = (): Data | undefined => watching.received().at(-1);
  await eventually(
    last,
    (conference) => conference?.id === id && conference?.participants.length === 0,
  );
  const participant = await join(id, user);
  await participant.mutate("publishConferenceMedia", "peerId", { offer: "offer" });
  await createConference(node, host.token);
  await moderate("updateConference", "conference { id }", id, { locked: true });
  await eventually(last, (conference) => conference?.locked);
  expect(last()).toMatchObject({
    ...{ applicationId: application(), origin: "GRAPHQL", engine: "memory" },
    participants: [{ userId: String(user.id), publishing: true, audioMutedByParticipant: false }],
  });
  expect(watching.received().filter((conference) => conference.id !== id)).toEqual([]);
});

test("reading a conference whose host is gone takes it over from nobody", async () => {
  const { id } = await addConference(node, host);
  await node.sql("UPDATE conferences SET host = 'gone' WHERE id = $1", [id]);
  expect(await seen(id)).toMatchObject({
    participants: [{ userId: String(host.id) }],
    statistics: [],
  });
  expect((await seen(id)).hostNodeId).toBe("gone");
});

if (hasServices)
  describe("on two nodes", () => {
    let other: TestNode;
    beforeAll(async () => {
      const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) =>
        new MemoryEngine(listener);
      other = await startNode({}, { openEngine }, node);
    });
    afterAll(() => other.stop());

    test("changes of a conference reach owners at the other node, and statistics come from its host", async () => {
      await follows(other);
      const id = await createConference(node, host.token);
      const participant = await join(id, user);
      const { peerId } = await participant.mutate("publishConferenceMedia", "peerId", {
        offer: "offer",
      });
      const stats = { audioBitrate: 1, videoBitrate: 2, packetLoss: 0, roundTripMs: null };
      engine.report(peerId, stats);
      expect((await ask(owner, id, other)).statistics).toEqual([
        { participantId: String(user.id), source: "MAIN", ...stats },
      ]);
    });
  });
