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
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signIn, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

let node: TestNode;
let engine: MemoryEngine;
let host: TestUser;
const open: GraphqlParticipant[] = [];

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
  host = await newUser(node);
});
afterEach(async () => {
  for (const participant of open.splice(0)) await participant.leave();
});
afterAll(() => node.stop());

async function join(conferenceId: string, token: string): Promise<GraphqlParticipant> {
  const participant = await joinConference(node, conferenceId, token);
  open.push(participant);
  return participant;
}

const publish = (participant: GraphqlParticipant, source = "MAIN") =>
  participant.mutate("publishConferenceMedia", "peerId answer", { offer: "offer", source });

test("participants see each other join, publish, mute, leave", async () => {
  const id = await createConference(node, host.token, { name: "Daily" });
  const guest = await newUser(node);
  const first = await join(id, host.token);
  expect(first.events[0]).toMatchObject({
    __typename: "ConferenceSnapshotEvent",
    conference: { id, name: "Daily", seats: 12, video: true, access: "EVERYONE", locked: false },
    participants: [
      { id: String(host.id), userId: String(host.id), moderator: true, publishing: false },
    ],
  });
  const second = await join(id, guest.token);
  expect(second.names()).toEqual([host.login, guest.login]);
  await first.event(
    "ConferenceParticipantJoinedEvent",
    ({ participant }) => participant.id === String(guest.id),
  );

  const { peerId, answer } = await publish(second);
  expect(answer).toBe("answer to offer");
  await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.publishing,
  );
  await second.mutate("setConferenceMute", "participant { audioMuted }", { audio: true });
  const muted = await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.audioMuted,
  );
  expect(muted.participant).toMatchObject({
    id: String(guest.id),
    publishing: true,
    videoMuted: false,
  });

  await second.mutate("leaveConference", "done");
  const left = await first.event("ConferenceParticipantLeftEvent");
  expect(left).toMatchObject({ participantId: String(guest.id), reason: "LEFT" });
  await passes(async () => expect(second.isOver()).toBe(true));
  expect(second.events.at(-1)).toMatchObject({ __typename: "ConferenceParticipantLeftEvent" });
  expect(engine.peers.has(peerId)).toBe(false);
  expect(first.names()).toEqual([host.login]);
  await second.mutate("leaveConference", "done");
});

test("a subscription without a cursor begins with the whole state, and then with the streams to answer", async () => {
  const id = await createConference(node, host.token);
  const first = await join(id, host.token);
  const { peerId } = await first.mutate("watchConference", "peerId");
  await first.disconnect();
  await publish(await join(id, (await newUser(node)).token));
  const again = await watchEvents(node, host.token, first.membershipId, first.participantId);
  open.push(again);
  const { offer, streams } = await again.event("ConferenceStreamsEvent");
  expect(again.events.map(({ __typename }) => __typename).slice(0, 2)).toEqual([
    "ConferenceSnapshotEvent",
    "ConferenceStreamsEvent",
  ]);
  expect([offer, streams.length]).toEqual(["offer", 2]);
  await again.mutate("answerConferencePeer", "done", { peerId, answer: "answer" });
});

test("a watching peer follows who publishes, one update at a time", async () => {
  const id = await createConference(node, host.token);
  const first = await join(id, host.token);
  const others = [await newUser(node), await newUser(node)];
  const watched = await first.mutate("watchConference", "peerId offer streams { mid }");
  expect(watched).toMatchObject({ offer: null, streams: [] });
  const participants = [];
  for (const { token } of others) participants.push(await join(id, token));
  for (const participant of participants) await publish(participant);
  const event = await first.event("ConferenceStreamsEvent");
  expect(event).toMatchObject({ peerId: watched.peerId, offer: "offer" });
  const before = first.events.filter(({ __typename }) => __typename === "ConferenceStreamsEvent");
  await first.mutate("answerConferencePeer", "done", { peerId: watched.peerId, answer: "answer" });
  const both = await first.event("ConferenceStreamsEvent", ({ streams }) => streams.length === 4);
  expect(both.streams.map(({ participantId }: { participantId: string }) => participantId)).toEqual(
    others.flatMap(({ id: user }) => [String(user), String(user)]),
  );
  // The first feed alone came first, or both together.
  expect(before.length).toBeLessThanOrEqual(1);
  // Nobody watches itself.
  const own = await participants[0]?.mutate("watchConference", "streams { participantId }");
  expect(own.streams.map(({ participantId }: { participantId: string }) => participantId)).toEqual(
    [others[1], others[1]].map((user) => String(user?.id)),
  );
});

test("another device takes the seat over, and the others see one person", async () => {
  const id = await createConference(node, host.token);
  const user = await newUser(node);
  const [first, old] = [await join(id, host.token), await join(id, user.token)];
  const { peerId } = await publish(old);
  const again = await signIn(node, user);
  const fresh = await join(id, again.token);
  await old.event("ConferenceReplacedEvent");
  await passes(async () => expect(old.isOver()).toBe(true));
  expect(old.events.at(-1)).toMatchObject({ __typename: "ConferenceReplacedEvent" });
  const rejoined = await first.event(
    "ConferenceParticipantUpdatedEvent",
    (event) => event.rejoined,
  );
  expect(rejoined.participant).toMatchObject({ id: String(user.id), publishing: false });
  expect(first.names()).toEqual([host.login, user.login]);
  expect(fresh.names()).toEqual([host.login, user.login]);
  expect(engine.peers.has(peerId)).toBe(false);
  await expect(publish(old)).rejects.toThrow(/^CONFLICT/);
  await expect(watchEvents(node, user.token, old.membershipId, old.participantId)).rejects.toThrow(
    /CONFLICT/,
  );
  // What the old device still does is no matter of the new one.
  await old.mutate("leaveConference", "done");
  expect(fresh.isOver()).toBe(false);
});

test("the thirteenth is refused, also when all join at once", async () => {
  const id = await createConference(node, host.token);
  const users = await Promise.all(Array.from({ length: 14 }, () => newUser(node)));
  const results = await Promise.allSettled(
    users.map(({ token }) =>
      mutate(node, "joinConference", "membershipId", { conferenceId: id }, token),
    ),
  );
  const refused = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  expect(refused.map(String)).toEqual([
    expect.stringMatching(/^Error: FULL All 12 seats/),
    expect.stringMatching(/^Error: FULL/),
  ]);
  const query = "query ($id: ID!) { conference(id: $id) { participants { id } } }";
  const { data } = await graphql(node, query, { id }, host.token);
  expect(data.conference.participants).toHaveLength(12);
});

test("moderators mute, remove, lock and close", async () => {
  const moderator = await newUser(node);
  const user = await newUser(node);
  const late = await newUser(node);
  const id = await createConference(node, host.token, { moderatorIds: [String(moderator.id)] });
  const [first, second] = [await join(id, moderator.token), await join(id, user.token)];
  const { peerId } = await publish(second);
  await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.publishing,
  );
  const target = { conferenceId: id, participantId: String(user.id) };
  await mutate(
    node,
    "muteConferenceParticipant",
    "participant { id }",
    { ...target, audio: true },
    moderator.token,
  );
  await second.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.audioMuted,
  );
  expect(engine.peers.get(peerId)?.messages).toEqual([{ publisher: { audio: false } }]);
  const screen = await publish(second, "SCREEN");
  expect(engine.peers.get(screen.peerId)?.messages).toEqual([{ publisher: { audio: false } }]);
  // The participant unmutes itself.
  await second.mutate("setConferenceMute", "participant { audioMuted }", { audio: false });
  expect(engine.peers.get(peerId)?.messages.at(-1)).toEqual({ publisher: { audio: true } });

  const lock = { conferenceId: id, locked: true };
  await mutate(node, "updateConference", "conference { locked }", lock, moderator.token);
  await second.event("ConferenceUpdatedEvent", ({ conference }) => conference.locked);
  await expect(join(id, late.token)).rejects.toThrow(/^FORBIDDEN The conference is locked/);
  await mutate(node, "removeConferenceParticipant", "done", target, moderator.token);
  expect(await first.event("ConferenceParticipantLeftEvent")).toMatchObject({ reason: "REMOVED" });
  await passes(async () => expect(second.isOver()).toBe(true));
  const history =
    "query ($id: ID!) { conferenceHistory(conferenceId: $id) { nodes { userId leaveReason } } }";
  const { data } = await graphql(node, history, { id }, moderator.token);
  const removed = { userId: String(user.id), leaveReason: "REMOVED" };
  expect(data.conferenceHistory.nodes).toContainEqual(removed);

  for (const [name, fields, input] of [
    ["muteConferenceParticipant", "participant { id }", { ...target, audio: true }],
    ["removeConferenceParticipant", "done", target],
    ["updateConference", "conference { id }", lock],
    ["closeConference", "conference { id }", { conferenceId: id }],
    ["createConferenceLink", "secret", { conferenceId: id }],
  ] as const) {
    await expect(mutate(node, name, fields, input, user.token)).rejects.toThrow(/^FORBIDDEN/);
  }
  await mutate(
    node,
    "closeConference",
    "conference { closedAt }",
    { conferenceId: id },
    moderator.token,
  );
  await passes(async () => expect(first.isOver()).toBe(true));
  expect(first.events.at(-1)).toMatchObject({ __typename: "ConferenceEndedEvent" });
  await expect(join(id, host.token)).rejects.toThrow(/^CONFLICT/);
});

test("a participant that joins again and again has one row, with the first time and what is muted", async () => {
  const id = await createConference(node, host.token, { seats: 2 });
  const user = await newUser(node);
  const moderator = await join(id, host.token);
  const stays: Array<{ joinedAt: string; firstJoinedAt: string; leaveReason: string | null }> = [];
  for (let stay = 0; stay < 3; stay += 1) {
    const participant = await join(id, user.token);
    if (stay === 0) {
      const input = { conferenceId: id, participantId: participant.participantId, audio: true };
      await mutate(node, "muteConferenceParticipant", "participant { id }", input, host.token);
    }
    await participant.mutate("leaveConference", "done");
    const history = `query ($id: ID!) { conferenceHistory(conferenceId: $id) {
      nodes { userId firstJoinedAt joinedAt leaveReason } } }`;
    const { data } = await graphql(node, history, { id }, moderator.token);
    const own = data.conferenceHistory.nodes.filter(
      (each: { userId: string }) => each.userId === String(user.id),
    );
    expect(own).toHaveLength(1);
    stays.push(own[0]);
    if (stay > 0) continue;
    // An hour ago, since the times of answers are whole seconds.
    const earlier = `UPDATE conference_members SET joined_at = joined_at - interval '1 hour'
      WHERE conference_id = $1 AND user_id = $2`;
    await node.sql(earlier, [Number(id), user.id]);
  }
  const [first, , last] = stays;
  expect(first?.firstJoinedAt).toBe(first?.joinedAt);
  expect(last?.leaveReason).toBe("LEFT");
  const hour = 3_600_000;
  const [firstAt, firstOfLast, lastAt] = [first?.joinedAt, last?.firstJoinedAt, last?.joinedAt].map(
    (time) => Date.parse(time ?? ""),
  );
  expect(firstOfLast).toBe((firstAt ?? 0) - hour);
  expect(lastAt).toBeGreaterThanOrEqual(firstAt ?? 0);
  // A join that is refused keeps the row of the stay before.
  const other = await join(id, (await newUser(node)).token);
  await expect(join(id, user.token)).rejects.toThrow(/^FULL/);
  await other.mutate("leaveConference", "done");
  const rows = `SELECT count(*)::int AS stays, bool_and(audio_blocked) AS muted FROM conference_members
    WHERE conference_id = $1 AND user_id = $2`;
  expect(await node.sql(rows, [Number(id), user.id])).toEqual([{ stays: 1, muted: true }]);
});

test("the lists, the history and the owner's view", async () => {
  const name = `History ${Date.now()}`;
  const user = await newUser(node);
  const outsider = await newUser(node);
  const id = await createConference(node, host.token, {
    name,
    access: "LISTED",
    userIds: [String(user.id)],
  });
  const list = "{ conferences { nodes { id name participants { name } } } }";
  const listed = async ({ token }: TestUser) =>
    (await graphql(node, list, {}, token)).data.conferences.nodes.map(
      (each: { id: string }) => each.id,
    );
  expect(await listed(user)).toContain(id);
  expect(await listed(outsider)).not.toContain(id);
  await expect(join(id, outsider.token)).rejects.toThrow(/^FORBIDDEN|^NOT_FOUND/);
  const participant = await join(id, user.token);
  await participant.mutate("leaveConference", "done");

  const history = `query ($id: ID!) { conferenceHistory(conferenceId: $id, first: 5) {
    nodes { userId name joinedAt leftAt leaveReason } pageInfo { hasNextPage } } }`;
  const { data } = await graphql(node, history, { id }, user.token);
  expect(data.conferenceHistory).toMatchObject({
    nodes: [{ userId: String(user.id), name: user.login, leaveReason: "LEFT" }],
    pageInfo: { hasNextPage: false },
  });
  const { errors } = await graphql(node, history, { id }, outsider.token);
  expect(errors?.[0].extensions.code).toBe("NOT_FOUND");

  const owner = await ownerToken(node);
  const all = `query ($id: ID!) { application(id: $id) { conferences(open: true, first: 100) { nodes { id participants { id } } } } }`;
  const application = { id: String(node.application.id) };
  const seen = await graphql(node, all, application, owner);
  expect(seen.data.application.conferences.nodes).toContainEqual({ id, participants: [] });
  await mutate(node, "closeConference", "conference { closedAt }", { conferenceId: id }, owner);
  const after = await graphql(node, all, application, owner);
  expect(
    after.data.application.conferences.nodes.map((each: { id: string }) => each.id),
  ).not.toContain(id);
  const joined = "{ joinedConferences { nodes { id closedAt participants { id } } } }";
  const own = await graphql(node, joined, {}, user.token);
  expect(own.data.joinedConferences.nodes).toEqual([
    { id, closedAt: expect.any(String), participants: [] },
  ]);
});

test("a guest by link is a participant of that conference and nothing else", async () => {
  const id = await createConference(node, host.token);
  const other = await createConference(node, host.token);
  const input = { conferenceId: id, maxUses: 2 };
  const { link, secret } = await mutate(
    node,
    "createConferenceLink",
    "secret link { id }",
    input,
    host.token,
  );
  const admit = (name: string) =>
    mutate(node, "admitConferenceGuest", "token conference { id }", { secret, name });
  const { token, conference } = await admit("Grace");
  expect(conference).toEqual({ id });
  const first = await join(id, host.token);
  const guest = await join(id, token);
  expect(guest.names()).toEqual([host.login, "Grace"]);
  await publish(guest);
  const up = await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.publishing,
  );
  expect(up.participant).toMatchObject({ userId: null, name: "Grace" });
  expect(Number(up.participant.id)).toBeGreaterThan(host.id);

  await expect(join(other, token)).rejects.toThrow(/^FORBIDDEN|^NOT_FOUND/);
  const refused = await graphql(node, "{ conferences { nodes { id } } }", {}, token);
  expect(refused.errors?.[0].extensions.code).toBe("FORBIDDEN");
  expect((await rest(node, "GET", "/session", { token })).status).toBe(403);

  await admit("Second");
  await expect(admit("Third")).rejects.toThrow(/^NOT_FOUND/);
  await expect(
    mutate(node, "admitConferenceGuest", "token", { secret: "guessed", name: "x" }),
  ).rejects.toThrow(/^NOT_FOUND/);
  await mutate(node, "deleteConferenceLink", "deletedLinkId", { linkId: link.id }, host.token);
  expect(await first.event("ConferenceParticipantLeftEvent")).toMatchObject({
    reason: "LINK_WITHDRAWN",
  });
  await passes(async () => expect(guest.isOver()).toBe(true));
  await expect(join(id, token)).rejects.toThrow(/UNAUTHENTICATED/);
});

test("whose session ends is out at once", async () => {
  const id = await createConference(node, host.token);
  const first = await join(id, host.token);
  const user = await newUser(node);
  await join(id, user.token);
  expect((await rest(node, "DELETE", "/session", { token: user.token })).status).toBe(200);
  const left = await first.event("ConferenceParticipantLeftEvent");
  expect(left).toMatchObject({ participantId: String(user.id), reason: "SESSION_ENDED" });
  const deleted = await newUser(node);
  await join(id, deleted.token);
  expect(
    (await rest(node, "DELETE", `/users/${deleted.id}`, { token: deleted.token })).status,
  ).toBe(200);
  await first.event(
    "ConferenceParticipantLeftEvent",
    ({ participantId }) => participantId === String(deleted.id),
  );
});

test("events go on after a reconnect with a cursor", async () => {
  const id = await createConference(node, host.token);
  const first = await join(id, host.token);
  const { cursor } = first.events.at(-1) ?? { cursor: "" };
  const user = await newUser(node);
  const second = await join(id, user.token);
  await first.event("ConferenceParticipantJoinedEvent");
  const joined = first.events.at(-1);
  await first.disconnect();
  await second.mutate("setConferenceMute", "participant { id }", { video: true });
  const resumed = await watchEvents(
    node,
    host.token,
    first.membershipId,
    first.participantId,
    joined?.cursor,
  );
  open.push(resumed);
  await resumed.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.videoMuted,
  );
  expect(resumed.events.map(({ __typename }) => __typename)).toEqual([
    "ConferenceParticipantUpdatedEvent",
  ]);
  expect(cursor).not.toBe(joined?.cursor);
});

test("/metrics counts conferences, participants and tracks", async () => {
  const id = await createConference(node, host.token);
  const [first, second] = [await join(id, host.token), await join(id, (await newUser(node)).token)];
  await publish(second);
  await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.publishing,
  );
  const { peerId } = await first.mutate("watchConference", "peerId");
  const value = async (name: string) => {
    const { text } = await rest(node, "GET", "/metrics");
    return Number(new RegExp(`^signalbox_${name} (\\d+)$`, "m").exec(text)?.[1]);
  };
  await passes(async () => {
    expect(await value("conferences")).toBeGreaterThan(0);
    expect(await value("conference_participants")).toBeGreaterThan(1);
    // The audio and the video of the second participant, for the first one.
    expect(await value("conference_tracks")).toBe(2);
  });
  await first.mutate("closeConferencePeer", "done", { peerId });
  await passes(async () => expect(await value("conference_tracks")).toBe(0));
});

test("who publishes beyond the cap learns that it is dropped, and nobody else does", async () => {
  const id = await createConference(node, host.token, { bitrate: 200_000 });
  const [first, second] = [await join(id, host.token), await join(id, (await newUser(node)).token)];
  const { peerId } = await publish(second);
  await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.publishing,
  );
  for (const dropped of [true, false]) engine.limit(peerId, dropped);
  await second.event("ConferencePeerLimitedEvent", ({ dropped }) => !dropped);
  const limited = ({ events }: typeof first) =>
    events.flatMap(({ __typename, peerId: peer, kind, dropped, bitrate }) =>
      __typename === "ConferencePeerLimitedEvent" ? [[peer, kind, dropped, bitrate]] : [],
    );
  expect(limited(second)).toEqual([
    [peerId, "VIDEO", true, 200_000],
    [peerId, "VIDEO", false, 200_000],
  ]);
  expect(limited(first)).toEqual([]);
});

test("the media server's statistics of a peer reach its participant alone", async () => {
  const id = await createConference(node, host.token);
  const [first, second] = [await join(id, host.token), await join(id, (await newUser(node)).token)];
  const { peerId } = await publish(second);
  await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.publishing,
  );
  engine.report(peerId, {
    audioBitrate: 32_000,
    videoBitrate: 500_000,
    packetLoss: 0.25,
    roundTripMs: 40,
  });
  expect(await second.event("ConferenceStatisticsEvent")).toMatchObject({
    peerId,
    statistics: { videoBitrate: 500_000, packetLoss: 0.25, roundTripMs: 40 },
  });
  await second.mutate("setConferenceMute", "participant { id }", { video: true });
  await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.videoMuted,
  );
  expect(first.events.map(({ __typename }) => __typename)).not.toContain(
    "ConferenceStatisticsEvent",
  );
});

test("a lost engine is announced, and participants publish again", async () => {
  const id = await createConference(node, host.token);
  const first = await join(id, host.token);
  const user = await newUser(node);
  const second = await join(id, user.token);
  await publish(second);
  await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.publishing,
  );
  engine.die();
  await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => !participant.publishing,
  );
  await expect(publish(second)).rejects.toThrow(/^UNAVAILABLE/);
  engine.recover();
  await second.event("ConferenceReconnectEvent");
  await publish(second);
  await passes(async () => {
    expect(first.events.at(-1)?.participant).toMatchObject({
      id: String(user.id),
      publishing: true,
    });
  });
});

test("a room that the engine has lost is opened again under a later generation, without others", async () => {
  const [id, otherId] = [
    await createConference(node, host.token),
    await createConference(node, host.token),
  ];
  const [participant, other] = [await join(id, host.token), await join(otherId, host.token)];
  await publish(other);
  await publish(participant);
  await participant.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant: each }) => each.publishing,
  );
  const room = `c-${id}`;
  const generation = engine.rooms.get(room)?.generation ?? 0;
  engine.loseRoom(room);
  await participant.event("ConferenceReconnectEvent");
  expect(engine.rooms.get(room)?.generation).toBe(generation + 1);
  const { peerId } = await publish(participant);
  expect(engine.peers.has(peerId)).toBe(true);
  const types = other.events.map(({ __typename }) => __typename);
  expect(types).not.toContain("ConferenceReconnectEvent");
});

test("hostile input is refused with the field", async () => {
  const id = await createConference(node, host.token);
  const participant = await join(id, host.token);
  const big = "x".repeat(65_537);
  for (const [name, input, expected] of [
    ["publishConferenceMedia", { offer: big }, /INVALID.*offer/],
    ["publishConferenceMedia", { offer: "invalid" }, /^INVALID offer has no fingerprint {"offer":/],
    ["answerConferencePeer", { peerId: "x", answer: "x" }, /NOT_FOUND/],
    ["addConferenceCandidate", { peerId: "x", candidate: "x".repeat(2000) }, /INVALID.*candidate/],
    ["configureConferencePeer", { peerId: "x", bitrate: 1 }, /INVALID.*bitrate/],
    ["configureConferencePeer", { peerId: "x", mid: "x".repeat(17) }, /INVALID.*mid/],
    ["configureConferencePeer", { peerId: "x", mid: "0", layer: 9 }, /INVALID.*layer/],
  ] as const) {
    const fields = name === "publishConferenceMedia" ? "peerId" : "done";
    await expect(participant.mutate(name, fields, input)).rejects.toThrow(expected);
  }
  for (const membershipId of [
    "",
    "1",
    "1.1",
    "1.1.1.1",
    "x.1.1",
    `${"9".repeat(40)}.1.1`,
    "1.1.-1",
  ]) {
    await expect(
      mutate(node, "leaveConference", "done", { membershipId }, host.token),
    ).rejects.toThrow(/^NOT_FOUND/);
  }
  const foreign = await newUser(node);
  await expect(
    mutate(
      node,
      "publishConferenceMedia",
      "peerId",
      { membershipId: participant.membershipId, offer: "o" },
      foreign.token,
    ),
  ).rejects.toThrow(/^NOT_FOUND/);
  for (const [input, field] of [
    [{ name: " " }, "name"],
    [{ name: "x".repeat(129) }, "name"],
    [{ seats: 1 }, "seats"],
    [{ seats: 13 }, "seats"],
    [{ bitrate: 1 }, "bitrate"],
    [{ userIds: ["0"] }, "userIds"],
    [{ userIds: ["999999999"] }, "userIds"],
  ] as const) {
    await expect(createConference(node, host.token, input)).rejects.toThrow(
      new RegExp(`INVALID.*${field}`),
    );
  }
  await createConference(node, host.token, { name: "Taken" });
  const rename = { conferenceId: id, name: "Taken" };
  await expect(
    mutate(node, "updateConference", "conference { id }", rename, host.token),
  ).rejects.toThrow(/INVALID.*name has already been taken/);
  await expect(createConference(node, host.token, { name: "Taken" })).rejects.toThrow(
    /INVALID.*name has already been taken/,
  );
});
