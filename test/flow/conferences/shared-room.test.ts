import { graphql, newUser, type TestUser } from "../../support/client";
import { ENGINE_SERVERS, type EngineServer } from "../../support/conferences/engine-servers";
import {
  createConference,
  type GraphqlMember,
  joinConference,
  mutate,
  passes,
} from "../../support/conferences/graphql-member";
import { LegacyClient, LegacyError } from "../../support/conferences/legacy-client";
import { overPolling, overWebSocket } from "../../support/conferences/legacy-transports";
import { SyntheticPeers, type SyntheticWatcher } from "../../support/conferences/synthetic-peer";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";

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
    for (const member of members.splice(0)) await member.disconnect();
  });
  afterAll(async () => {
    await peers?.close();
    await node?.stop();
    await engine?.stop();
  });

  const FRAMINGS = {
    WebSocket: (user: TestUser) =>
      LegacyClient.open(overWebSocket, node.app.conferenceUrls.ws ?? "", user.token),
    "long polling": (user: TestUser) => LegacyClient.open(overPolling, node.baseUrl, user.token),
  };

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

  /** Publishes over the Janus protocol. */
  async function publishLegacy(client: LegacyClient, sender: number) {
    const publisher = await peers.publish({ sender, data: true });
    await publisher.accept(await client.publish(publisher.offer));
    return publisher;
  }

  /** Watches one feed over the Janus protocol. */
  async function listen(
    client: LegacyClient,
    room: string,
    feed: number,
  ): Promise<SyntheticWatcher> {
    const attached = await client.listen(room, feed);
    const watcher = await peers.watch(attached.jsep?.sdp ?? "");
    await client.start(room, feed, watcher.answer);
    await watcher.connect();
    return watcher;
  }

  /** Waits until packets of a sender arrive in two tracks: its audio and its video. */
  async function receives(watcher: SyntheticWatcher, sender: number): Promise<void> {
    await passes(async () => {
      const { tracks } = await watcher.report();
      const from = tracks.filter((track) => track.packets > 0 && track.senders.includes(sender));
      expect(from).toHaveLength(2);
    });
  }

  test.each(Object.entries(FRAMINGS))("hear and see each other: %s", async (_framing, open) => {
    const [ann, bob] = [await newUser(node), await newUser(node)];
    const room = `shared ${ann.id}`;
    const legacy = await open(ann);
    await legacy.join(room);
    // The first join of a legacy client has created the conference, which GraphQL lists.
    const list = "{ conferences { nodes { id name members { name publishing audioMuted } } } }";
    const { data } = await graphql(node, list, {}, bob.token);
    const conference = data.conferences.nodes.find(({ name }: { name: string }) => name === room);
    expect(conference.members).toEqual([{ name: ann.login, publishing: false, audioMuted: null }]);
    await publishLegacy(legacy, 1);

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
    await receives(await listen(legacy, room, bob.id), 2);
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
    const legacy = await FRAMINGS.WebSocket(ann);
    await legacy.join("two seats");
    const refused = await FRAMINGS.WebSocket(bob);
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
    const legacy = await FRAMINGS.WebSocket(ann);
    await legacy.join("lost");
    await owner.event("ConferenceMemberJoinedEvent");
    legacy.drop();
    await owner.event("ConferenceMemberLeftEvent", ({ memberId }) => memberId === String(ann.id));
  });
});
