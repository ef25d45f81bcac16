import { ENGINE_SERVERS, type EngineServer } from "../../../tools/conferences/engine-servers";
import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
  passes,
} from "../../../tools/conferences/graphql-participant";
import { SyntheticPeers } from "../../../tools/conferences/synthetic-peer";
import { graphql } from "../../../tools/graphql/graphql-http";
import { LegacyError } from "../../support/conferences/legacy-client";
import {
  LEGACY_FRAMINGS,
  listenLegacy,
  publishLegacy,
} from "../../support/conferences/participants/legacy-media";
import { receives } from "../../support/conferences/participants/synthetic-participants";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newUser, type TestUser } from "../../support/rest-client";

/** GraphQL clients and clients of the Janus protocol in one conference, with media on each engine. */

/** Janus where services run. */
const SERVERS = ENGINE_SERVERS.filter(({ name }) => hasServices || name !== "Janus");

describe.each(SERVERS)("on $name", ({ name, start }) => {
  let engine: EngineServer;
  let node: TestNode;
  let peers: SyntheticPeers;
  const participants: GraphqlParticipant[] = [];

  beforeAll(async () => {
    engine = await start();
    node = await startNode({ CONFERENCE_WS_PORT: "0", ...engine.environment });
    // Janus offers no loopback addresses.
    peers = new SyntheticPeers(name === "Janus" ? {} : { bindAddress: "127.0.0.1" });
  });
  afterEach(async () => {
    for (const participant of participants.splice(0)) await participant.leave();
  });
  afterAll(async () => {
    await peers?.close();
    await node?.stop();
    await engine?.stop();
  });

  async function join(conferenceId: string, user: TestUser): Promise<GraphqlParticipant> {
    const participant = await joinConference(node, conferenceId, user.token);
    participants.push(participant);
    return participant;
  }

  /** Publishes over GraphQL. */
  async function publish(participant: GraphqlParticipant, sender: number) {
    const client = await peers.publish({ sender });
    const input = { offer: client.offer };
    const { answer } = await participant.mutate("publishConferenceMedia", "peerId answer", input);
    await client.accept(answer);
    return client;
  }

  test.each(
    Object.entries(LEGACY_FRAMINGS),
  )("hear and see each other: %s", async (_framing, open) => {
    const [ann, bob] = [await newUser(node), await newUser(node)];
    const room = `shared ${ann.id}`;
    const legacy = await open(node, ann.token);
    await legacy.join(room);
    // The first join of a legacy client has created the conference, which GraphQL lists.
    const list =
      "{ conferences { nodes { id name participants { name publishing audioMuted } } } }";
    const { data } = await graphql(node, list, {}, bob.token);
    const conference = data.conferences.nodes.find(({ name }: { name: string }) => name === room);
    expect(conference.participants).toEqual([
      { name: ann.login, publishing: false, audioMuted: null },
    ]);
    await publishLegacy(peers, legacy, 1);

    const participant = await join(conference.id, bob);
    await passes(() => {
      const [snapshot, ...later] = participant.events;
      const publishing = [
        ...(snapshot?.participants ?? []),
        ...later.map((event) => event.participant),
      ];
      expect(publishing).toContainEqual(expect.objectContaining({ publishing: true }));
    });
    const watched = await participant.mutate("watchConference", "peerId offer");
    const watcher = await peers.watch(watched.offer);
    const answered = { peerId: watched.peerId, answer: watcher.answer };
    await participant.mutate("answerConferencePeer", "done", answered);
    await watcher.connect();
    await receives(watcher, 1);

    await publish(participant, 2);
    await legacy.shows(bob.id);
    await receives(await listenLegacy(peers, legacy, room, bob.id), 2);
    expect(legacy.twice).toEqual([]);

    await participant.mutate("leaveConference", "done");
    await legacy.shows();
    await legacy.destroy();
  });

  test("the thirteenth legacy client is refused as it understands, and a moderator removes one", async () => {
    const host = await newUser(node);
    const id = await createConference(node, host.token, { name: "two seats", seats: 2 });
    const owner = await join(id, host);
    const [ann, bob] = [await newUser(node), await newUser(node)];
    const legacy = await LEGACY_FRAMINGS.WebSocket(node, ann.token);
    await legacy.join("two seats");
    const refused = await LEGACY_FRAMINGS.WebSocket(node, bob.token);
    await expect(refused.join("two seats")).rejects.toThrow(LegacyError);
    await expect(refused.join("two seats")).rejects.toThrow(/^432 /);
    const input = { conferenceId: id, participantId: String(ann.id) };
    await mutate(node, "removeConferenceParticipant", "done", input, host.token);
    expect(await legacy.roomEvent("error_code")).toMatchObject({ error_code: 433 });
    await owner.event("ConferenceParticipantLeftEvent", ({ reason }) => reason === "REMOVED");
    await refused.join("two seats");
  });

  test("a lost socket leaves the room at once", async () => {
    const host = await newUser(node);
    const id = await createConference(node, host.token, { name: "lost" });
    const owner = await join(id, host);
    const ann = await newUser(node);
    const legacy = await LEGACY_FRAMINGS.WebSocket(node, ann.token);
    await legacy.join("lost");
    await owner.event("ConferenceParticipantJoinedEvent");
    legacy.drop();
    await owner.event(
      "ConferenceParticipantLeftEvent",
      ({ participantId }) => participantId === String(ann.id),
    );
  });
});
