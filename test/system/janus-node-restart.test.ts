import { freePort } from "../../scripts/services/binaries";
import { ENGINE_SERVERS, type EngineServer } from "../../tools/conferences/engine-servers";
import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  passes,
  watchEvents,
} from "../../tools/conferences/graphql-participant";
import { SyntheticPeers } from "../../tools/conferences/synthetic-peer";
import {
  flowsOn,
  publishMedia,
  receives,
  watchMedia,
} from "../support/conferences/participants/synthetic-participants";
import { Cluster } from "../support/operations/cluster";

/** A node that is restarted while its conferences run on Janus. */

let janus: EngineServer;
let cluster: Cluster;
let peers: SyntheticPeers;
const open: GraphqlParticipant[] = [];

beforeAll(async () => {
  janus = await (
    ENGINE_SERVERS.find(({ name }) => name === "Janus") as (typeof ENGINE_SERVERS)[0]
  ).start();
  // The clients come back to the same address.
  const PORT = String(await freePort());
  // Without the statistics of the Admin API no video pauses: a busy machine loses packets, as a poor network does.
  const environment = { ...janus.environment, JANUS_ADMIN_URL: "", JANUS_ADMIN_SECRET: "" };
  cluster = await Cluster.start(1, { PORT, ...environment });
  peers = new SyntheticPeers({});
});
afterEach(async () => {
  for (const participant of open.splice(0)) await participant.disconnect();
});
afterAll(async () => {
  await peers?.close();
  await cluster?.stop();
  await janus?.stop();
});

test.each<NodeJS.Signals>([
  "SIGTERM",
  "SIGKILL",
])("after %s and a start, participants go on with the peer connections and events that they had", async (signal) => {
  const node = () => {
    const [running] = cluster.runningNodes();
    if (!running) throw new Error("no node runs");
    return running;
  };
  const people = await cluster.createUsers(3);
  const [ann, ben, cem] = people.map(({ token }) => token);
  if (!ann || !ben || !cem) throw new Error("no users");
  const conferenceId = await createConference(node(), ann, { name: `restart ${signal}` });
  const [first, second] = [
    await joinConference(node(), conferenceId, ann),
    await joinConference(node(), conferenceId, ben),
  ];
  const media = [await publishMedia(peers, first, 1), await publishMedia(peers, second, 2)];
  const watching = [await watchMedia(peers, first), await watchMedia(peers, second)];
  for (const { client, video } of watching) await flowsOn(client, video);

  await cluster.stopNode(0, signal);
  // Janus forwards meanwhile.
  for (const { client, video } of watching) await flowsOn(client, video);
  await cluster.startNode(0);
  const [again, other] = await Promise.all(
    [first, second].map(async ({ token, membershipId, participantId, events }) => {
      const after = events.at(-1)?.cursor;
      const resumed = await watchEvents(node(), token, membershipId, participantId, after);
      open.push(resumed);
      return resumed;
    }),
  );
  if (!again || !other) throw new Error("not resumed");
  await again.mutate("setConferenceMute", "participant { id }", { audio: true });
  await other.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.audioMuted,
  );
  for (const [index, participant] of [again, other].entries()) {
    const { peerId, video: mid } = watching[index] as (typeof watching)[0];
    await participant.mutate("configureConferencePeer", "done", { peerId, mid, send: true });
    const publishing = { peerId: media[index]?.peerId, bitrate: 200_000 };
    await participant.mutate("configureConferencePeer", "done", publishing);
  }
  for (const { client, video } of watching) await flowsOn(client, video);

  // Who joins afterwards is received over the connection from before.
  const third = await joinConference(node(), conferenceId, cem);
  open.push(third);
  await publishMedia(peers, third, 3);
  for (const [index, participant] of [again, other].entries()) {
    const { peerId, client } = watching[index] as (typeof watching)[0];
    const { offer } = await participant.event(
      "ConferenceStreamsEvent",
      (event) => event.peerId === peerId && event.offer !== null,
    );
    const answer = await client.renegotiate(offer);
    await participant.mutate("answerConferencePeer", "done", { peerId, answer });
    await receives(client, 3);
  }
  for (const { events, isOver } of [again, other]) {
    const types = events.map(({ __typename }) => __typename);
    expect(types).not.toContain("ConferenceReconnectEvent");
    expect(types).not.toContain("ConferencePeerClosedEvent");
    expect(isOver()).toBe(false);
  }
  await passes(() => expect(third.names()).toHaveLength(3));
});
