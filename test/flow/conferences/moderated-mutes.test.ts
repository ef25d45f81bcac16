import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
  passes,
  watchEvents,
} from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { LegacyClient } from "../../support/conferences/legacy-client";
import { overWebSocket } from "../../support/conferences/legacy-transports";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { OutlivingEngine } from "../../support/conferences/outliving-engine";
import { startNode, type TestNode } from "../../support/node";
import { describeServices } from "../../support/operations/database";
import { newUser, signIn, type TestUser } from "../../support/rest-client";

/** What a moderator has muted stays muted until somebody unmutes it, whatever else happens. */

const open: GraphqlParticipant[] = [];
afterEach(async () => {
  for (const participant of open.splice(0)) await participant.leave();
});

async function join(node: TestNode, id: string, { token }: { token: string }) {
  const participant = await joinConference(node, id, token);
  open.push(participant);
  return participant;
}

const publish = (participant: GraphqlParticipant, source = "MAIN"): Promise<{ peerId: string }> =>
  participant.mutate("publishConferenceMedia", "peerId", { offer: "offer", source });

/** Mutes (true) or unmutes (false) a participant as a moderator. */
const muteParticipant = (
  node: TestNode,
  moderator: TestUser,
  conferenceId: string,
  { id }: TestUser,
  kinds: { audio?: boolean; video?: boolean },
) => {
  const input = { conferenceId, participantId: String(id), ...kinds };
  const fields = "participant { audioMuted videoMuted }";
  return mutate(node, "muteConferenceParticipant", fields, input, moderator.token);
};

/** What the engine was told to forward of a peer, after all messages. */
function admitted(engine: MemoryEngine, peerId: string) {
  const told = engine.peers.get(peerId)?.messages.map(({ publisher }) => publisher) ?? [];
  return Object.assign({ audio: true, video: true }, ...told);
}

describe("on one node", () => {
  let node: TestNode;
  let engine: MemoryEngine;
  let host: TestUser;
  let user: TestUser;
  let id: string;

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
  beforeEach(async () => {
    user = await newUser(node);
    id = await createConference(node, host.token);
  });
  afterAll(() => node.stop());

  const mute = (kinds: { audio?: boolean; video?: boolean }) =>
    muteParticipant(node, host, id, user, kinds);

  test("the sound and picture of a shared screen are muted as well, also of one shared later", async () => {
    const participant = await join(node, id, user);
    const [main, screen] = [await publish(participant), await publish(participant, "SCREEN")];
    expect(await mute({ audio: true })).toEqual({
      participant: { audioMuted: true, videoMuted: false },
    });
    for (const { peerId } of [main, screen]) {
      expect(admitted(engine, peerId)).toEqual({ audio: false, video: true });
    }
    await mute({ video: true });
    const later = await publish(participant, "SCREEN");
    for (const { peerId } of [main, later]) {
      expect(admitted(engine, peerId)).toEqual({ audio: false, video: false });
    }
    await participant.mutate("setConferenceMute", "participant { id }", {
      audio: false,
      video: false,
    });
    for (const { peerId } of [main, later]) {
      expect(admitted(engine, peerId)).toEqual({ audio: true, video: true });
    }
  });

  test.each<[string, (participant: GraphqlParticipant) => Promise<{ token: string }>]>([
    ["on another device", () => signIn(node, user)],
    [
      "after leaving",
      async (participant) => {
        await participant.mutate("leaveConference", "done");
        return user;
      },
    ],
    [
      "after a cut",
      async (participant) => {
        await participant.disconnect();
        return user;
      },
    ],
    [
      "after its removal",
      async () => {
        const target = { conferenceId: id, participantId: String(user.id) };
        await mutate(node, "removeConferenceParticipant", "done", target, host.token);
        return user;
      },
    ],
  ])("a participant who rejoins %s stays muted", async (_way, comeBack) => {
    const before = await join(node, id, user);
    await publish(before);
    await mute({ audio: true });
    const participant = await join(node, id, await comeBack(before));
    const [snapshot] = participant.events;
    expect(snapshot?.participants).toEqual([
      expect.objectContaining({ id: String(user.id), audioMuted: true, videoMuted: false }),
    ]);
    const { peerId } = await publish(participant);
    expect(admitted(engine, peerId)).toEqual({ audio: false, video: true });
    // Unmuting is for good.
    await participant.mutate("setConferenceMute", "participant { id }", { audio: false });
    expect(admitted(engine, peerId)).toEqual({ audio: true, video: true });
    await participant.mutate("leaveConference", "done");
    const again = await join(node, id, user);
    expect(again.events[0]?.participants).toEqual([expect.objectContaining({ audioMuted: false })]);
    expect(admitted(engine, (await publish(again)).peerId)).toEqual({ audio: true, video: true });
  });

  test("what somebody muted itself ends with a rejoin, and with no moderator's unmute", async () => {
    const participant = await join(node, id, user);
    const { peerId } = await publish(participant);
    await participant.mutate("setConferenceMute", "participant { id }", { audio: true });
    expect(admitted(engine, peerId)).toEqual({ audio: true, video: true });
    await mute({ audio: true, video: true });
    expect(admitted(engine, peerId)).toEqual({ audio: false, video: false });
    expect(await mute({ audio: false, video: false })).toEqual({
      participant: { audioMuted: true, videoMuted: false },
    });
    expect(admitted(engine, peerId)).toEqual({ audio: true, video: true });
    const fresh = await join(node, id, await signIn(node, user));
    expect(fresh.events[0]?.participants).toEqual([expect.objectContaining({ audioMuted: false })]);
  });

  test("a media server that was lost gets the mute again", async () => {
    const participant = await join(node, id, user);
    await publish(participant);
    await mute({ audio: true });
    engine.die();
    engine.recover();
    await participant.event("ConferenceReconnectEvent");
    const { peerId } = await publish(participant);
    expect(admitted(engine, peerId)).toEqual({ audio: false, video: true });
  });

  test("a peer that the media server cannot mute is not published", async () => {
    const participant = await join(node, id, user);
    await mute({ audio: true });
    const before = engine.peers.size;
    const signal = engine.signal.bind(engine);
    engine.signal = () => Promise.reject(new Error("lost"));
    await expect(publish(participant)).rejects.toThrow(/^INTERNAL/);
    engine.signal = signal;
    expect(engine.peers.size).toBe(before);
  });

  test("a legacy client, which cannot unmute itself, stays muted until a moderator unmutes it", async () => {
    const room = `muted ${user.id}`;
    const conference = await createConference(node, host.token, { name: room });
    const url = node.app.conferenceUrls.ws ?? "";
    const first = await LegacyClient.open(overWebSocket, url, user.token);
    await first.join(room);
    await muteParticipant(node, host, conference, user, { audio: true });
    await first.destroy();
    const legacy = await LegacyClient.open(overWebSocket, url, user.token);
    await legacy.enter(room);
    const [peer] = [...engine.peers.values()].filter((each) => each.room === `c-${conference}`);
    expect(admitted(engine, peer?.id ?? "")).toEqual({ audio: false, video: true });
    const query =
      "query ($id: ID!) { conference(id: $id) { participants { audioMuted videoMuted } } }";
    const participants = async () =>
      (await graphql(node, query, { id: conference }, host.token)).data.conference.participants;
    expect(await participants()).toEqual([{ audioMuted: true, videoMuted: null }]);
    await muteParticipant(node, host, conference, user, { audio: false });
    expect(await participants()).toEqual([{ audioMuted: null, videoMuted: null }]);
    expect(admitted(engine, peer?.id ?? "")).toEqual({ audio: true, video: true });
    await legacy.destroy();
  });
});

describe("after a restart of the node", () => {
  let first: TestNode;
  let second: TestNode | null;
  afterEach(async () => {
    await second?.stop();
    second = null;
    // Its database is removed last.
    await first.stop();
  });

  /** Restarts the node on its database. */
  async function restart(openEngine: () => Promise<MemoryEngine>): Promise<TestNode> {
    await first.app.close();
    second = await startNode({}, { openEngine }, first);
    return second;
  }

  test("a muted participant who publishes again is muted", async () => {
    first = await startNode({}, { openEngine: async (listener) => new MemoryEngine(listener) });
    const [host, user] = [await newUser(first), await newUser(first)];
    const id = await createConference(first, host.token);
    const before = await join(first, id, user);
    await muteParticipant(first, host, id, user, { audio: true });
    const engine = new MemoryEngine(() => undefined);
    const node = await restart(async () => engine);
    const { membershipId, participantId } = before;
    const participant = await watchEvents(node, user.token, membershipId, participantId);
    open.push(participant);
    expect(participant.events[0]?.participants).toEqual([
      expect.objectContaining({ audioMuted: true }),
    ]);
    const { peerId } = await publish(participant);
    expect(admitted(engine, peerId)).toEqual({ audio: false, video: true });
  });

  test("peers that the media server has kept are muted as the rows say", async () => {
    const engine = new OutlivingEngine();
    first = await startNode({}, { openEngine: engine.open });
    const [host, user] = [await newUser(first), await newUser(first)];
    const id = await createConference(first, host.token);
    const before = await join(first, id, user);
    const [main, screen] = [await publish(before), await publish(before, "SCREEN")];
    await before.event(
      "ConferenceParticipantUpdatedEvent",
      ({ participant }) => participant.sharingScreen,
    );
    await first.app.close();
    // The former host wrote the row, and ended before it told the media server.
    second = await startNode({}, { openEngine: engine.open }, first);
    await second.sql("UPDATE conference_members SET audio_blocked = true");
    const other = await join(second, id, host);
    const states = other.events[0]?.participants.map(
      ({ publishing, audioMuted }: { publishing: boolean; audioMuted: boolean }) => ({
        publishing,
        audioMuted,
      }),
    );
    expect(states).toContainEqual({ publishing: true, audioMuted: true });
    for (const { peerId } of [main, screen]) {
      expect(admitted(engine.memory, peerId)).toEqual({ audio: false, video: true });
    }
  });
});

describeServices("on two nodes", () => {
  test("a muted participant who publishes at the node that takes over is muted", async () => {
    const engines: MemoryEngine[] = [];
    const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) => {
      const engine = new MemoryEngine(listener);
      engines.push(engine);
      return engine;
    };
    const one = await startNode({}, { openEngine });
    const two = await startNode({}, { openEngine }, one);
    try {
      const [host, user] = [await newUser(one), await newUser(two)];
      const id = await createConference(one, host.token);
      await join(one, id, host);
      const participant = await join(two, id, user);
      await publish(participant);
      await muteParticipant(two, host, id, user, { audio: true, video: true });
      await one.app.close();
      await participant.event("ConferenceReconnectEvent");
      await passes(async () => {
        const { peerId } = await publish(participant);
        expect(admitted(engines[1] as MemoryEngine, peerId)).toEqual({
          audio: false,
          video: false,
        });
      });
    } finally {
      for (const each of open.splice(0)) await each.leave();
      await two.stop();
      await one.stop();
    }
  });
});
