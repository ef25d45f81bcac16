import { ENGINE_SERVERS, type EngineServer } from "../../../tools/conferences/engine-servers";
import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  passes,
} from "../../../tools/conferences/graphql-participant";
import { SyntheticPeers } from "../../../tools/conferences/synthetic-peer";
import {
  answerOffer,
  flowsOn,
  packetsOf,
  publishMedia,
  receives,
  watchMedia,
} from "../../support/conferences/participants/synthetic-participants";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newUser } from "../../support/rest-client";

/** What participants do with their peer connections over GraphQL, with media on each engine. */

/** Janus where services run. */
const SERVERS = ENGINE_SERVERS.filter(({ name }) => hasServices || name !== "Janus");
const CANDIDATE = "candidate:1 1 udp 2122260223 192.0.2.7 40000 typ host";

describe.each(SERVERS)("on $name", ({ name, start }) => {
  let engine: EngineServer;
  let node: TestNode;
  let peers: SyntheticPeers;
  let publisher: GraphqlParticipant;
  let watcher: GraphqlParticipant;

  beforeAll(async () => {
    engine = await start();
    node = await startNode(engine.environment);
    // Janus offers no loopback addresses.
    peers = new SyntheticPeers(name === "Janus" ? {} : { bindAddress: "127.0.0.1" });
  });
  beforeEach(async () => {
    const host = await newUser(node);
    const conferenceId = await createConference(node, host.token);
    publisher = await joinConference(node, conferenceId, host.token);
    watcher = await joinConference(node, conferenceId, (await newUser(node)).token);
  });
  afterEach(async () => {
    for (const participant of [publisher, watcher]) {
      await participant.mutate("leaveConference", "done");
      await participant.disconnect();
    }
  });
  afterAll(async () => {
    await peers?.close();
    await node?.stop();
    await engine?.stop();
  });

  async function watch() {
    const watched = await watchMedia(peers, watcher);
    await receives(watched.client, 1);
    return watched;
  }

  test("candidates are taken from the owner of a peer connection alone", async () => {
    const published = await publishMedia(peers, publisher, 1);
    const watched = await watch();
    const candidate = { candidate: CANDIDATE, sdpMid: "0", sdpMLineIndex: 0 };
    for (const [participant, { peerId }] of [
      [publisher, published],
      [watcher, watched],
    ] as const) {
      for (const each of [candidate, { candidate: "" }, { candidate: "end-of-candidates" }]) {
        const done = participant.mutate("addConferenceCandidate", "done", { peerId, ...each });
        expect(await done).toEqual({ done: true });
      }
    }
    const foreign = { peerId: published.peerId, ...candidate };
    await expect(watcher.mutate("addConferenceCandidate", "done", foreign)).rejects.toThrow(
      /^NOT_FOUND/,
    );
    await flowsOn(watched.client, watched.video);
  });

  test("a stream stops, goes on, and takes a layer; the published bitrate is capped", async () => {
    const published = await publishMedia(peers, publisher, 1);
    const watched = await watch();
    const { client, audio, video: mid, peerId } = watched;
    const configure = (input: object) =>
      watcher.mutate("configureConferencePeer", "done", { peerId, mid, ...input });
    await configure({ send: false });
    for (;;) {
      const before = await packetsOf(client, mid);
      await flowsOn(client, audio);
      if ((await packetsOf(client, mid)) === before) break;
    }
    await configure({ send: true });
    await flowsOn(client, mid);
    for (const layer of [0, 1, 2]) {
      expect(await configure({ layer })).toEqual({ done: true });
      await flowsOn(client, mid);
    }
    await expect(configure({ layer: 3 })).rejects.toThrow(/^INVALID .*layer/);
    await expect(configure({ mid: "none", send: false })).rejects.toThrow(/^NOT_FOUND/);

    const cap = (bitrate: number, peer = published.peerId) =>
      publisher.mutate("configureConferencePeer", "done", { peerId: peer, bitrate });
    expect(await cap(90_000)).toEqual({ done: true });
    await passes(async () => expect((await published.client.report()).bitrate).toBe(90_000));
    await expect(cap(63_999)).rejects.toThrow(/^INVALID .*bitrate/);
    await expect(cap(4_000_001)).rejects.toThrow(/^INVALID .*bitrate/);
    await expect(cap(90_000, peerId)).rejects.toThrow(/^NOT_FOUND/);
  });

  test("both kinds of peer connections restart, and keep their ids", async () => {
    const published = await publishMedia(peers, publisher, 1);
    const watched = await watch();
    const { peerId } = published;
    const fields = "sdp replaced";
    const next = await peers.publish({ sender: 2 });
    const restarting = { peerId, offer: next.offer };
    const restarted = await publisher.mutate("restartConferencePeer", fields, restarting);
    // The offer is of another connection.
    expect(restarted.replaced).toBe(true);
    await next.accept(restarted.sdp);
    await published.client.close();
    if (name === "Janus") {
      const changed = await watcher.event(
        "ConferenceStreamsEvent",
        (event) => event.offer !== null && event.peerId === watched.peerId,
      );
      const answered = await watched.client.renegotiate(changed.offer);
      const input = { peerId: watched.peerId, answer: answered };
      await watcher.mutate("answerConferencePeer", "done", input);
    }
    await receives(watched.client, 2);

    const again = { peerId: watched.peerId };
    let reopened = await watcher.mutate("restartConferencePeer", fields, again);
    if (name === "Janus") {
      // It restarts on the same connection, which these clients cannot; an unanswered offer is replaced.
      expect(reopened.replaced).toBe(false);
      reopened = await watcher.mutate("restartConferencePeer", fields, again);
    }
    expect(reopened.replaced).toBe(true);
    const client = await answerOffer(peers, watcher, watched.peerId, reopened.sdp);
    await receives(client, 2);
    const foreign = { peerId: published.peerId };
    await expect(watcher.mutate("restartConferencePeer", fields, foreign)).rejects.toThrow(
      /^NOT_FOUND/,
    );
    await expect(publisher.mutate("restartConferencePeer", fields, foreign)).rejects.toThrow(
      /^INVALID .*offer/,
    );
  });

  test("what is wrong with a session description is reported on its input", async () => {
    const { peerId } = await publishMedia(peers, publisher, 1);
    const watched = await watch();
    for (const [participant, name, input] of [
      [publisher, "restartConferencePeer", { peerId, offer: "v=0" }],
      [watcher, "answerConferencePeer", { peerId: watched.peerId, answer: "v=0" }],
      [publisher, "publishConferenceMedia", { offer: "v=0" }],
    ] as const) {
      const field = "offer" in input ? "offer" : "answer";
      await expect(participant.mutate(name, "__typename", input)).rejects.toThrow(
        new RegExp(`^INVALID ${field} .*\\{"${field}":`),
      );
    }
  });
});
