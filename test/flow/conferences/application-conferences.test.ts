import {
  createConference,
  type GraphqlMember,
  joinConference,
  mutate,
} from "../../../tools/conferences/graphql-member";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { watchAsOwner } from "../../support/calls/application-calls";
import { newUser, type TestUser } from "../../support/client";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { addConference } from "../../support/conferences/stored-conference";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { memberToken, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** Conferences as the owners of an application see and moderate them. */

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
type Data = Record<string, any>;

let engine: MemoryEngine;
let node: TestNode;
let owner: string;
let host: TestUser;
let user: TestUser;
const open: GraphqlMember[] = [];
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
  for (const member of open.splice(0)) await member.leave();
});
afterAll(() => node.stop());

async function join(id: string, { token }: TestUser, at = node): Promise<GraphqlMember> {
  const member = await joinConference(at, id, token);
  open.push(member);
  return member;
}

const application = () => String(node.application.id);
const MEMBER = `id userId name device moderator joinedAt publishing sharingScreen audioMuted videoMuted audioMutedByMember
  videoMutedByMember audioMutedByModerator videoMutedByModerator
  statistics { source audioBitrate videoBitrate packetLoss roundTripMs }`;
const CONFERENCE = `id name seats access locked bitrate creatorId createdAt closedAt origin hostNodeId engine
  members { ${MEMBER} } history(first: 5) { nodes { name leaveReason } } links { id maxUses uses }`;

async function ask(token: string, of: string, id: string): Promise<Data> {
  const query = `query ($a: ID!, $id: ID!) { application(id: $a) { conference(id: $id) { ${CONFERENCE} } } }`;
  const { data, errors } = await graphql(node, query, { a: of, id }, token);
  return errors ? { code: errors[0].extensions.code } : data.application.conference;
}
const seen = (id: string) => ask(owner, application(), id);

/** The identifier of the node, as the list of nodes has it. */
async function nodeId(): Promise<string> {
  const { data } = await graphql(node, "{ health { nodes { id } } }", {}, owner);
  expect(data.health.nodes).toHaveLength(1);
  return data.health.nodes[0].id;
}

/** Runs an operation of owners on a conference. */
const moderate = (
  name: string,
  fields: string,
  conferenceId: string,
  more: object,
  token = owner,
) => mutate(node, name, fields, { applicationId: application(), conferenceId, ...more }, token);

test("a conference with its members, figures, links and history", async () => {
  const id = await createConference(node, host.token, { seats: 5 });
  expect(await seen(id)).toMatchObject({
    ...{ id, seats: 5, origin: "GRAPHQL", hostNodeId: null, engine: null, closedAt: null },
    ...{ creatorId: String(host.id), members: [], links: [] },
  });
  const first = await join(id, host);
  const second = await join(id, user);
  const { peerId } = await second.mutate("publishConferenceMedia", "peerId", { offer: "offer" });
  await first.event("ConferenceMemberUpdatedEvent", ({ member }) => member.publishing);
  await second.mutate("setConferenceMute", "member { id }", { video: true });
  const figures = { audioBitrate: 32_000, videoBitrate: 500_000, packetLoss: 0.5, roundTripMs: 20 };
  engine.report(peerId, figures);
  const input = { conferenceId: id, maxUses: 3 };
  await mutate(node, "createConferenceLink", "link { id }", input, host.token);
  const conference = await seen(id);
  expect(conference).toMatchObject({
    hostNodeId: await nodeId(),
    engine: "memory",
    links: [{ maxUses: 3, uses: 0 }],
    history: { nodes: [{ name: host.login }, { name: user.login }] },
    members: [
      { userId: String(host.id), moderator: true, publishing: false, statistics: [] },
      {
        ...{ userId: String(user.id), name: user.login, publishing: true, sharingScreen: false },
        ...{ audioMuted: false, audioMutedByMember: false, audioMutedByModerator: false },
        ...{ videoMuted: true, videoMutedByMember: true, videoMutedByModerator: false },
        statistics: [{ source: "MAIN", ...figures }],
      },
    ],
  });
  await second.mutate("closeConferencePeer", "done", { peerId });
  expect((await seen(id)).members[1].statistics).toEqual([]);
});

test("owners mute, remove, lock, change and close", async () => {
  const id = await createConference(node, host.token);
  const member = await join(id, user);
  const memberId = String(user.id);
  const { peerId } = await member.mutate("publishConferenceMedia", "peerId", { offer: "offer" });
  const name = "muteApplicationConferenceMember";
  const muted = await moderate(name, "member { audioMuted }", id, { memberId, audio: true });
  expect(muted.member).toEqual({ audioMuted: true });
  await member.event("ConferenceMemberUpdatedEvent", (event) => event.member.audioMuted);
  expect(engine.peers.get(peerId)?.messages).toContainEqual({ publisher: { audio: false } });
  expect((await seen(id)).members[0]).toMatchObject({
    audioMutedByModerator: true,
    audioMutedByMember: false,
  });
  await moderate(name, "member { id }", id, { memberId, audio: false });
  expect((await seen(id)).members[0]).toMatchObject({ audioMuted: false });

  const settings = { locked: true, bitrate: 100_000, name: `Renamed ${id}` };
  const changed = await moderate(
    "updateApplicationConference",
    "conference { locked bitrate name }",
    id,
    settings,
  );
  expect(changed.conference).toEqual(settings);
  await member.event("ConferenceUpdatedEvent", ({ conference }) => conference.locked);
  expect(engine.rooms.get(`c-${id}`)).toMatchObject({ bitrate: 100_000 });

  const removed = await moderate("removeApplicationConferenceMember", "done", id, { memberId });
  expect(removed).toEqual({ done: true });
  await eventually(
    () => member.hasEnded(),
    (ended) => ended,
  );
  await expect(join(id, user)).rejects.toThrow(/^FORBIDDEN.*locked/);
  expect((await seen(id)).history.nodes).toEqual([{ name: user.login, leaveReason: "REMOVED" }]);
  // Removing twice is no error, as for moderators.
  await moderate("removeApplicationConferenceMember", "done", id, { memberId });
  await expect(moderate(name, "member { id }", id, { memberId, audio: true })).rejects.toThrow(
    /^NOT_FOUND/,
  );

  const closed = await moderate(
    "closeApplicationConference",
    "conference { closedAt members { id } }",
    id,
    {},
  );
  expect(closed.conference).toEqual({ closedAt: expect.any(String), members: [] });
  for (const operation of [
    () => moderate("closeApplicationConference", "conference { id }", id, {}),
    () => moderate("updateApplicationConference", "conference { id }", id, { locked: false }),
    () => moderate(name, "member { id }", id, { memberId }),
    () => moderate("removeApplicationConferenceMember", "done", id, { memberId }),
  ]) {
    await expect(operation()).rejects.toThrow(/^CONFLICT/);
  }
});

test("members who are not listed are out when an owner limits who may join", async () => {
  const id = await createConference(node, host.token);
  const member = await join(id, user);
  await moderate("updateApplicationConference", "conference { id }", id, { access: "LISTED" });
  await eventually(
    () => member.hasEnded(),
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
  const update = () => moderate("updateApplicationConference", "conference { id }", id, changes);
  await expect(update()).rejects.toThrow(new RegExp(`^INVALID.*${field}`));
});

test("support reads and changes nothing; other accounts see nothing", async () => {
  const id = await createConference(node, host.token);
  const support = await memberToken(node, "support");
  expect(await ask(support, application(), id)).toMatchObject({ id, links: [] });
  const other = await secondApplication(node);
  const stranger = await ownerToken(other);
  expect(await ask(stranger, application(), id)).toEqual({ code: "NOT_FOUND" });
  expect(await ask(stranger, String(other.application.id), id)).toBeNull();
  for (const [name, fields] of [
    ["updateApplicationConference", "conference { id }"],
    ["closeApplicationConference", "conference { id }"],
    ["muteApplicationConferenceMember", "member { id }"],
    ["removeApplicationConferenceMember", "done"],
  ] as const) {
    const member = name.endsWith("Member") ? { memberId: String(user.id) } : {};
    for (const applicationId of [application(), String(other.application.id)]) {
      const input = { applicationId, conferenceId: id, ...member };
      await expect(mutate(node, name, fields, input, stranger)).rejects.toThrow(/^NOT_FOUND/);
    }
    const input = { applicationId: application(), conferenceId: id, ...member };
    await expect(mutate(node, name, fields, input, support)).rejects.toThrow(/^FORBIDDEN/);
  }
  const watching = await watchAsOwner(
    node,
    stranger,
    `subscription { applicationConference(applicationId: "${other.application.id}", id: "${id}") { id } }`,
  );
  closing.push(watching);
  expect(await watching.refused()).toBe("NOT_FOUND");
});

describe("the list", () => {
  const ids: string[] = [];
  beforeAll(async () => {
    for (const name of ["Planning a", "planning B", "PLANNING c", "plan_", "Other"]) {
      ids.push(await createConference(node, host.token, { name }));
    }
    await moderate("closeApplicationConference", "conference { id }", ids[1] ?? "", {});
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

  test.each([
    ["history { nodes { id } }", "history", "ListedApplicationConference"],
    ["links { id }", "links", "ListedApplicationConference"],
    ["members { statistics { source } }", "statistics", "ListedApplicationConferenceMember"],
  ])("has no %s, which are for one conference at a time", async (fields, field, type) => {
    const lists = [
      `application(id: "${application()}") { conferences { nodes { ${fields} } } }`,
      `applicationConferences(applicationId: "${application()}") { ${fields} }`,
    ];
    const documents = [`{ ${lists[0]} }`, `subscription { ${lists[1]} }`];
    const socket = await openSocket(node, owner);
    closing.push(socket);
    for (const document of documents) {
      const { errors } = await socket.run(document);
      expect(errors?.[0].message).toContain(`Cannot query field "${field}" on type "${type}"`);
    }
  });

  test("by name has pages in both directions", async () => {
    const first = await list({ name: "plan", first: 2 });
    expect(first).toMatchObject({ names: [3, 0], pageInfo: { hasNextPage: true } });
    const second = await list({ name: "plan", first: 2, after: first.pageInfo.endCursor });
    expect(second.names).toEqual([1, 2]);
    const back = await list({ name: "plan", last: 2, before: second.pageInfo.startCursor });
    expect(back).toMatchObject({ names: [3, 0], pageInfo: { hasPreviousPage: false } });
  });

  test.each([
    [{ name: "p", after: "x" }, "after"],
    [{ name: "p", after: Buffer.from("[1,2]").toString("base64url") }, "after"],
    [{ name: "p", after: Buffer.from('["a",-1]').toString("base64url") }, "after"],
    [{ name: "p", before: Buffer.from('{"a":1}').toString("base64url"), last: 1 }, "before"],
    [{ name: "p", before: Buffer.from('["a",1]').toString("base64url") }, "first"],
    [{ name: "x".repeat(129) }, "name"],
    [{ name: "p", first: 0 }, "first"],
  ])("refuses %j", async (variables, field) => {
    await expect(list(variables)).rejects.toThrow(field);
  });
});

/** Live conferences of a subscription: those with members first, then what changes. */
async function follows(at: TestNode): Promise<void> {
  const present = await createConference(node, host.token);
  const empty = await createConference(node, host.token);
  await join(present, host);
  const watching = await watchAsOwner(
    at,
    owner,
    `subscription { applicationConferences(applicationId: "${application()}") {
      id locked closedAt members { userId audioMutedByModerator } } }`,
  );
  closing.push(watching);
  const last = (id: string): Data | undefined =>
    watching.received().findLast((conference) => conference.id === id);
  await eventually(
    () => last(present),
    (conference) => conference?.members.length === 1,
  );
  expect(last(empty)).toBeUndefined();
  const id = await createConference(node, host.token);
  const member = await join(id, user, at);
  await eventually(
    () => last(id),
    (conference) => conference?.members[0]?.userId === String(user.id),
  );
  const memberId = String(user.id);
  await moderate("muteApplicationConferenceMember", "member { id }", id, { memberId, audio: true });
  await eventually(
    () => last(id),
    (conference) => conference?.members[0]?.audioMutedByModerator,
  );
  await moderate("updateApplicationConference", "conference { id }", id, { locked: true });
  await eventually(
    () => last(id),
    (conference) => conference?.locked,
  );
  await member.mutate("leaveConference", "done");
  await eventually(
    () => last(id),
    (conference) => conference?.members.length === 0,
  );
  await moderate("closeApplicationConference", "conference { id }", id, {});
  await eventually(
    () => last(id),
    (conference) => typeof conference?.closedAt === "string",
  );
}

test("live conferences and their changes", () => follows(node));

test("one conference, first as it is, with its links and figures", async () => {
  const id = await createConference(node, host.token);
  const watching = await watchAsOwner(
    node,
    owner,
    `subscription { applicationConference(applicationId: "${application()}", id: "${id}") { ${CONFERENCE} } }`,
  );
  closing.push(watching);
  const last = (): Data | undefined => watching.received().at(-1);
  await eventually(last, (conference) => conference?.id === id && conference?.members.length === 0);
  const member = await join(id, user);
  const { peerId } = await member.mutate("publishConferenceMedia", "peerId", { offer: "offer" });
  const figures = { audioBitrate: 1, videoBitrate: 2, packetLoss: 0, roundTripMs: null };
  engine.report(peerId, figures);
  await mutate(node, "createConferenceLink", "link { id }", { conferenceId: id }, host.token);
  await createConference(node, host.token);
  await moderate("updateApplicationConference", "conference { id }", id, { locked: true });
  await eventually(last, (conference) => conference?.locked);
  expect(last()).toMatchObject({
    links: [{ uses: 0 }],
    members: [{ userId: String(user.id), statistics: [{ source: "MAIN", ...figures }] }],
  });
  expect(watching.received().filter((conference) => conference.id !== id)).toEqual([]);
});

test("reading a conference whose host is gone takes it over from nobody", async () => {
  const { id } = await addConference(node, host);
  await node.sql("UPDATE conferences SET host = 'gone' WHERE id = $1", [id]);
  const query = `query ($a: ID!, $id: ID!) { application(id: $a) { conference(id: $id) { hostNodeId members { ${MEMBER} } } } }`;
  const read = async () => {
    const { data } = await graphql(node, query, { a: application(), id }, owner);
    return data.application.conference;
  };
  expect((await read()).members).toMatchObject([{ userId: String(host.id), statistics: [] }]);
  expect((await read()).hostNodeId).toBe("gone");
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

    test("changes of a conference reach owners at the other node, and figures come from its host", async () => {
      await follows(other);
      const id = await createConference(node, host.token);
      const member = await join(id, user);
      const { peerId } = await member.mutate("publishConferenceMedia", "peerId", {
        offer: "offer",
      });
      const figures = { audioBitrate: 1, videoBitrate: 2, packetLoss: 0, roundTripMs: null };
      engine.report(peerId, figures);
      const query = `query ($a: ID!, $id: ID!) { application(id: $a) { conference(id: $id) { members { ${MEMBER} } } } }`;
      const { data } = await graphql(other, query, { a: application(), id }, owner);
      expect(data.application.conference.members[0].statistics).toEqual([
        { source: "MAIN", ...figures },
      ]);
    });
  });
