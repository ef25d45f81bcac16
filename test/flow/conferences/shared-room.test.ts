import { ENGINE_SERVERS, type EngineServer } from "../../../tools/conferences/engine-servers";
import {
  createConference,
  type GraphqlMember,
  joinConference,
  mutate,
  passes,
} from "../../../tools/conferences/graphql-member";
import { SyntheticPeers } from "../../../tools/conferences/synthetic-peer";
import { graphql } from "../../../tools/graphql/graphql-http";
import { LegacyError } from "../../support/conferences/legacy-client";
import {
  LEGACY_FRAMINGS,
  listenLegacy,
  publishLegacy,
} from "../../support/conferences/members/legacy-media";
import { receives } from "../../support/conferences/members/synthetic-members";
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
  const members: GraphqlMember[] = [];

  beforeAll(async () => {
    engine = await start();
    node = await startNode({ CONFERENCE_WS_PORT: "0", ...engine.environment });
    // Janus offers no loopback addresses.
    peers = new SyntheticPeers(name === "Janus" ? {} : { bindAddress: "127.0.0.1" });
  });
  afterEach(async () => {
    for (const member of members.splice(0)) await member.leave();
  });
  afterAll(async () => {
    await peers?.close();
    await node?.stop();
    await engine?.stop();
  });

  async function join(conferenceId: string, user: TestUser): Promise<GraphqlMember> {
    const member = await joinConference(node, conferenceId, user.token);
    members.push(member);
    return member;
  }

  /** Publishes over GraphQL. */
  async function publish(member: GraphqlMember, sender: number) {
    const client = await peers.publish({ sender });
    const input = { offer: client.offer };
    const { answer } = await member.mutate("publishConferenceMedia", "peerId answer", input);
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
    const list = "{ conferences { nodes { id name members { name publishing audioMuted } } } }";
    const { data } = await graphql(node, list, {}, bob.token);
    const conference = data.conferences.nodes.find(({ name }: { name: string }) => name === room);
    expect(conference.members).toEqual([{ name: ann.login, publishing: false, audioMuted: null }]);
    await publishLegacy(peers, legacy, 1);

    const member = await join(conference.id, bob);
    await passes(() => {
      const [snapshot, ...later] = member.events;
      const publishing = [...(snapshot?.members ?? []), ...later.map((event) => event.member)];
      expect(publishing).toContainEqual(expect.objectContaining({ publishing: true }));
    });
    const watched = await member.mutate("watchConference", "peerId offer");
    const watcher = await peers.watch(watched.offer);
    const answered = { peerId: watched.peerId, answer: watcher.answer };
    await member.mutate("answerConferencePeer", "done", answered);
    await watcher.connect();
    await receives(watcher, 1);

    await publish(member, 2);
    await legacy.shows(bob.id);
    await receives(await listenLegacy(peers, legacy, room, bob.id), 2);
    expect(legacy.twice).toEqual([]);

    await member.mutate("leaveConference", "done");
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
    const input = { conferenceId: id, memberId: String(ann.id) };
    await mutate(node, "removeConferenceMember", "done", input, host.token);
    expect(await legacy.roomEvent("error_code")).toMatchObject({ error_code: 433 });
    await owner.event("ConferenceMemberLeftEvent", ({ reason }) => reason === "REMOVED");
    await refused.join("two seats");
  });

  test("a lost socket leaves the room at once", async () => {
    const host = await newUser(node);
    const id = await createConference(node, host.token, { name: "lost" });
    const owner = await join(id, host);
    const ann = await newUser(node);
    const legacy = await LEGACY_FRAMINGS.WebSocket(node, ann.token);
    await legacy.join("lost");
    await owner.event("ConferenceMemberJoinedEvent");
    legacy.drop();
    await owner.event("ConferenceMemberLeftEvent", ({ memberId }) => memberId === String(ann.id));
  });
});
