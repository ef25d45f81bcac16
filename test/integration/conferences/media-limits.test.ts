import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
} from "../../../tools/conferences/graphql-participant";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";

/** What a conference allows its participants to publish. */

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

async function join(conferenceId: string, user?: TestUser): Promise<GraphqlParticipant> {
  const { token } = user ?? (await newUser(node));
  const participant = await joinConference(node, conferenceId, token);
  open.push(participant);
  return participant;
}

const publish = (participant: GraphqlParticipant, source: string): Promise<{ peerId: string }> =>
  participant.mutate("publishConferenceMedia", "peerId", { offer: "offer", source });

test("two participants share a screen, a third is refused until one of them stops", async () => {
  const id = await createConference(node, host.token);
  const [first, second, third] = [await join(id), await join(id), await join(id)] as const;
  const shared = await publish(first, "SCREEN");
  await publish(second, "SCREEN");
  await expect(publish(third, "SCREEN")).rejects.toThrow(
    /^FULL At most 2 participants share a screen/,
  );
  // Cameras do not count, and whoever shares may share another screen instead.
  await publish(third, "MAIN");
  const again = await publish(first, "SCREEN");
  expect(engine.peers.has(shared.peerId)).toBe(false);
  await expect(publish(third, "SCREEN")).rejects.toThrow(/^FULL/);
  await first.mutate("closeConferencePeer", "done", { peerId: again.peerId });
  await publish(third, "SCREEN");
});

test("of screens that are shared at the same moment, two are accepted", async () => {
  const id = await createConference(node, host.token);
  const participants = await Promise.all(Array.from({ length: 6 }, () => join(id)));
  const results = await Promise.allSettled(
    participants.map((participant) => publish(participant, "SCREEN")),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  for (const result of results) {
    if (result.status === "rejected") expect(String(result.reason)).toContain("FULL");
  }
  const screens = [...engine.peers.values()].filter(({ source }) => source === "screen");
  expect(screens.filter(({ room }) => room === `c-${id}`)).toHaveLength(2);
});

test("a screen that the media server refuses leaves room for another", async () => {
  const id = await createConference(node, host.token);
  const [first, second, third] = [await join(id), await join(id), await join(id)] as const;
  await publish(first, "SCREEN");
  const invalid = { offer: "invalid", source: "SCREEN" };
  await expect(second.mutate("publishConferenceMedia", "peerId", invalid)).rejects.toThrow(
    /^INVALID/,
  );
  await publish(third, "SCREEN");
});

test("a changed bitrate reaches the open room", async () => {
  const id = await createConference(node, host.token, { bitrate: 300_000 });
  const participant = await join(id, host);
  await publish(participant, "MAIN");
  const update = (input: Record<string, unknown>) =>
    mutate(
      node,
      "updateConference",
      "conference { id }",
      { conferenceId: id, ...input },
      host.token,
    );
  const bitrate = () => engine.rooms.get(`c-${id}`)?.bitrate;
  expect(bitrate()).toBe(300_000);
  await update({ bitrate: 200_000 });
  expect(bitrate()).toBe(200_000);

  // A media server that is away gets it with the room that is opened again.
  engine.die();
  await update({ bitrate: 100_000 });
  engine.recover();
  await participant.event("ConferenceReconnectEvent");
  expect(bitrate()).toBe(100_000);
});
