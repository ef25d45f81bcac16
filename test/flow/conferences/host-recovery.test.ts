import type { EngineListener } from "../../../src/domain/conferences/engine/engine";
import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
  passes,
} from "../../../tools/conferences/graphql-participant";
import { FailingStore } from "../../support/conferences/failing-store";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { OutlivingEngine } from "../../support/conferences/outliving-engine";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";

/** The host of a conference finishes what a database that was away has prevented. */

let node: TestNode;
let engine: MemoryEngine;
let report: EngineListener;
let host: TestUser;
let user: TestUser;
let id: string;
let failing: FailingStore;
const open: GraphqlParticipant[] = [];

beforeAll(async () => {
  node = await startNode(
    {},
    {
      openEngine: async (listener) => {
        report = listener;
        engine = new MemoryEngine(listener);
        return engine;
      },
    },
  );
  host = await newUser(node);
  user = await newUser(node);
});
beforeEach(async () => {
  id = await createConference(node, host.token);
  failing = new FailingStore(node.app.store);
});
afterEach(async () => {
  failing.restore();
  for (const participant of open.splice(0)) await participant.leave();
});
afterAll(() => node.stop());

async function join({ token }: TestUser, conference = id): Promise<GraphqlParticipant> {
  const participant = await joinConference(node, conference, token);
  open.push(participant);
  return participant;
}

const publish = (participant: GraphqlParticipant): Promise<{ peerId: string }> =>
  participant.mutate("publishConferenceMedia", "peerId", { offer: "offer" });

const isPublishing = (participant: GraphqlParticipant, publishing: boolean) =>
  participant.event(
    "ConferenceParticipantUpdatedEvent",
    (event) => event.participant.publishing === publishing,
  );

/** The rows of the participants who have a seat. */
const seats = (conference = id) =>
  node.sql<{ number: number; publishing: boolean }>(
    `SELECT number, publishing FROM conference_members WHERE conference_id = $1 AND left_at IS NULL
      ORDER BY id`,
    [Number(conference)],
  );

const hasFailed = (times = 1) => passes(() => expect(failing.count).toBeGreaterThanOrEqual(times));

test("a room is opened again when the database was away as the media server came back", async () => {
  const participant = await join(host);
  await publish(participant);
  await isPublishing(participant, true);
  engine.die();
  failing.next("next_conference_generation");
  engine.recover();
  await hasFailed();
  await expect(publish(participant)).rejects.toThrow(/^UNAVAILABLE/);
  failing.stop();
  await participant.event("ConferenceReconnectEvent");
  await publish(participant);
});

test("participants are told to publish again when the media server fails as the room is opened again", async () => {
  const participant = await join(host);
  await publish(participant);
  await isPublishing(participant, true);
  const openRoom = engine.open;
  engine.die();
  engine.open = () => Promise.reject(new Error("lost"));
  engine.recover();
  await participant.event("ConferenceReconnectEvent");
  engine.open = openRoom;
  await publish(participant);
});

test("a conference that harms the media server is ended also when the database was away at first", async () => {
  const participant = await join(host);
  await publish(participant);
  await isPublishing(participant, true);
  failing.next("leave_closed_conference");
  report({ type: "room-ended", room: `c-${id}`, reason: "ended again" });
  await hasFailed();
  await expect(publish(participant)).rejects.toThrow(/^UNAVAILABLE/);
  failing.stop();
  const ended = await participant.event("ConferenceEndedEvent");
  expect(ended.reason).toBe("MEDIA_FAILURE");
  expect(await seats()).toEqual([]);
});

test("one lost room of a media server is opened again, and no other", async () => {
  const other = await createConference(node, host.token);
  const [participant, beside] = [await join(host), await join(user, other)];
  for (const each of [participant, beside]) {
    await publish(each);
    await isPublishing(each, true);
  }
  report({ type: "room-lost", room: `c-${id}`, reason: "killed" });
  await participant.event("ConferenceReconnectEvent");
  await publish(participant);
  expect(beside.events.some(({ __typename }) => __typename === "ConferenceReconnectEvent")).toBe(
    false,
  );
});

test("the feed of a publisher that came up while the database was away is told of later", async () => {
  const participant = await join(host);
  failing.next("set_participant_media");
  await publish(participant);
  await hasFailed();
  failing.stop();
  await isPublishing(participant, true);
  expect(await seats()).toEqual([{ number: host.id, publishing: true }]);
});

test("a lost feed is told of later when the database was away as the media server was lost", async () => {
  const participant = await join(host);
  await publish(participant);
  await isPublishing(participant, true);
  failing.next("set_participant_media");
  engine.die();
  await hasFailed();
  failing.stop();
  await isPublishing(participant, false);
  engine.recover();
  await participant.event("ConferenceReconnectEvent");
});

test("a seat that was freed by a commit of unknown outcome is free for everybody", async () => {
  const first = await join(host);
  const second = await join(user);
  failing.next("leave_conference", "commit", 1);
  await expect(second.mutate("leaveConference", "done")).rejects.toThrow(/^UNAVAILABLE/);
  await passes(() => expect(first.names()).toEqual([host.login]));
  await expect(publish(second)).rejects.toThrow(/^NOT_FOUND/);
  await join(user);
});

test("who took a seat by a commit of unknown outcome is a participant", async () => {
  const first = await join(host);
  failing.next("insert_conference_participant", "commit", 1);
  await expect(join(user)).rejects.toThrow(/^UNAVAILABLE/);
  await first.event("ConferenceSnapshotEvent", ({ participants }) => participants.length === 2);
  expect(first.names()).toEqual([host.login, user.login]);
  const remove = { conferenceId: id, participantId: String(user.id) };
  await mutate(node, "removeConferenceParticipant", "done", remove, host.token);
  await first.event(
    "ConferenceParticipantLeftEvent",
    ({ participantId }) => participantId === String(user.id),
  );
  expect(await seats()).toEqual([{ number: host.id, publishing: false }]);
});

/** The row gets a generation that this node does not know, as by a statement whose result was lost. */
const raiseGeneration = () =>
  node.sql("UPDATE conferences SET generation = generation + 1 WHERE id = $1", [Number(id)]);

test("a feed that ends is told of although the row refuses the change of this host", async () => {
  const participant = await join(host);
  const { peerId } = await publish(participant);
  await isPublishing(participant, true);
  await raiseGeneration();
  engine.drop(peerId);
  await participant.event("ConferenceReconnectEvent");
  expect(await seats()).toEqual([{ number: host.id, publishing: false }]);
  await publish(participant);
  await passes(async () => expect(await seats()).toEqual([{ number: host.id, publishing: true }]));
});

test("a conference whose take-over fails is hosted all the same, without a further command", async () => {
  const participant = await join(host);
  const { peerId } = await publish(participant);
  await isPublishing(participant, true);
  await raiseGeneration();
  failing.next("conference_members");
  engine.drop(peerId);
  await hasFailed(2);
  failing.stop();
  await participant.event("ConferenceReconnectEvent");
  expect(await seats()).toEqual([{ number: host.id, publishing: false }]);
});

test("a conference that cannot be checked does not keep others from being checked", async () => {
  const other = await createConference(node, host.token);
  await join(host);
  await join(host, other);
  const guests = [await join(user), await join(user, other)];
  for (const guest of guests) await guest.disconnect();
  failing.nextWithItsLike("leave_conference");
  await node.sql(
    `UPDATE conference_members SET lease_until = now() - interval '1 second'
      WHERE number = $1 AND conference_id = ANY($2::bigint[]) AND left_at IS NULL`,
    [user.id, [Number(id), Number(other)]],
  );
  const taken = async () => [...(await seats()), ...(await seats(other))].length;
  await passes(async () => expect(await taken()).toBe(3));
  // The other one is tried again all the time.
  await hasFailed(3);
  failing.stop();
  await passes(async () => expect(await taken()).toBe(2));
});

test("the next host closes peers that the media server has kept and nobody may have", async () => {
  const outliving = new OutlivingEngine();
  const first = await startNode({}, { openEngine: outliving.open });
  const [stays, leaves] = [await newUser(first), await newUser(first)];
  const conferenceId = await createConference(first, stays.token);
  const participants = [];
  for (const { token } of [stays, leaves]) {
    const participant = await joinConference(first, conferenceId, token);
    open.push(participant);
    participants.push({ participant, ...(await publish(participant)) });
  }
  for (const { participant } of participants) await isPublishing(participant, true);
  await first.app.close();
  // The former host ended before it stored a peer, and after the row of a participant who left was written.
  const room = [...outliving.memory.rooms.keys()][0] ?? "";
  const screen = { source: "screen", offer: "offer" } as const;
  await outliving.memory.connect({ room, generation: 1, participant: stays.id, publish: screen });
  const second = await startNode({}, { openEngine: outliving.open }, first);
  await second.sql("UPDATE conference_members SET left_at = now() WHERE number = $1", [leaves.id]);
  open.push(await joinConference(second, conferenceId, (await newUser(second)).token));
  expect([...outliving.memory.peers.keys()]).toEqual([participants[0]?.peerId]);
  for (const participant of open.splice(0)) await participant.disconnect();
  await second.stop();
});

test("a peer is stored before its client has it, so that the next host keeps it or says that it is closed", async () => {
  const outliving = new OutlivingEngine();
  const own = await startNode({}, { openEngine: outliving.open });
  const users = [await newUser(own), await newUser(own), await newUser(own)];
  const conferenceId = await createConference(own, users[0]?.token ?? "");
  const stored = async () => {
    const [row] = await own.sql<{ peers: { id: string }[] }>(
      "SELECT engine_state -> 'peers' AS peers FROM conferences WHERE id = $1",
      [Number(conferenceId)],
    );
    return row?.peers.map(({ id: peer }) => peer) ?? [];
  };
  const participants = await Promise.all(
    users.map(({ token }) => joinConference(own, conferenceId, token)),
  );
  open.push(...participants);
  // Several at the same time share writes, and none is answered before the write that has it.
  await Promise.all(
    participants.map(async (participant) => {
      const { peerId } = await publish(participant);
      expect(await stored()).toContain(peerId);
      const watching = await participant.mutate("watchConference", "peerId");
      expect(await stored()).toContain(watching.peerId);
    }),
  );
  for (const participant of open.splice(0)) await participant.leave();
  await own.stop();
});
