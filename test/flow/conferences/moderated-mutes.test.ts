import {
  createConference,
  type GraphqlMember,
  joinConference,
  mutate,
  passes,
  watchEvents,
} from "../../../tools/conferences/graphql-member";
import { graphql } from "../../../tools/graphql/graphql-http";
import { LegacyClient } from "../../support/conferences/legacy-client";
import { overWebSocket } from "../../support/conferences/legacy-transports";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { OutlivingEngine } from "../../support/conferences/outliving-engine";
import { startNode, type TestNode } from "../../support/node";
import { describeServices } from "../../support/operations/database";
import { newUser, signIn, type TestUser } from "../../support/rest-client";

/** What a moderator has muted stays muted until somebody unmutes it, whatever else happens. */

const open: GraphqlMember[] = [];
afterEach(async () => {
  for (const member of open.splice(0)) await member.leave();
});

async function join(node: TestNode, id: string, { token }: { token: string }) {
  const member = await joinConference(node, id, token);
  open.push(member);
  return member;
}

const publish = (member: GraphqlMember, source = "MAIN"): Promise<{ peerId: string }> =>
  member.mutate("publishConferenceMedia", "peerId", { offer: "offer", source });

/** Mutes (true) or unmutes (false) a member as a moderator. */
const muteMember = (
  node: TestNode,
  moderator: TestUser,
  conferenceId: string,
  { id }: TestUser,
  kinds: { audio?: boolean; video?: boolean },
) => {
  const input = { conferenceId, memberId: String(id), ...kinds };
  const fields = "member { audioMuted videoMuted }";
  return mutate(node, "muteConferenceMember", fields, input, moderator.token);
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
    muteMember(node, host, id, user, kinds);

  test("the sound and picture of a shared screen are muted as well, also of one shared later", async () => {
    const member = await join(node, id, user);
    const [main, screen] = [await publish(member), await publish(member, "SCREEN")];
    expect(await mute({ audio: true })).toEqual({
      member: { audioMuted: true, videoMuted: false },
    });
    for (const { peerId } of [main, screen]) {
      expect(admitted(engine, peerId)).toEqual({ audio: false, video: true });
    }
    await mute({ video: true });
    const later = await publish(member, "SCREEN");
    for (const { peerId } of [main, later]) {
      expect(admitted(engine, peerId)).toEqual({ audio: false, video: false });
    }
    await member.mutate("setConferenceMute", "member { id }", { audio: false, video: false });
    for (const { peerId } of [main, later]) {
      expect(admitted(engine, peerId)).toEqual({ audio: true, video: true });
    }
  });

  test.each<[string, (member: GraphqlMember) => Promise<{ token: string }>]>([
    ["on another device", () => signIn(node, user)],
    [
      "after leaving",
      async (member) => {
        await member.mutate("leaveConference", "done");
        return user;
      },
    ],
    [
      "after a cut",
      async (member) => {
        await member.disconnect();
        return user;
      },
    ],
    [
      "after its removal",
      async () => {
        const target = { conferenceId: id, memberId: String(user.id) };
        await mutate(node, "removeConferenceMember", "done", target, host.token);
        return user;
      },
    ],
  ])("a member who rejoins %s stays muted", async (_way, comeBack) => {
    const before = await join(node, id, user);
    await publish(before);
    await mute({ audio: true });
    const member = await join(node, id, await comeBack(before));
    const [snapshot] = member.events;
    expect(snapshot?.members).toEqual([
      expect.objectContaining({ id: String(user.id), audioMuted: true, videoMuted: false }),
    ]);
    const { peerId } = await publish(member);
    expect(admitted(engine, peerId)).toEqual({ audio: false, video: true });
    // Unmuting is for good.
    await member.mutate("setConferenceMute", "member { id }", { audio: false });
    expect(admitted(engine, peerId)).toEqual({ audio: true, video: true });
    await member.mutate("leaveConference", "done");
    const again = await join(node, id, user);
    expect(again.events[0]?.members).toEqual([expect.objectContaining({ audioMuted: false })]);
    expect(admitted(engine, (await publish(again)).peerId)).toEqual({ audio: true, video: true });
  });

  test("what somebody muted itself ends with a rejoin, and with no moderator's unmute", async () => {
    const member = await join(node, id, user);
    const { peerId } = await publish(member);
    await member.mutate("setConferenceMute", "member { id }", { audio: true });
    expect(admitted(engine, peerId)).toEqual({ audio: true, video: true });
    await mute({ audio: true, video: true });
    expect(admitted(engine, peerId)).toEqual({ audio: false, video: false });
    expect(await mute({ audio: false, video: false })).toEqual({
      member: { audioMuted: true, videoMuted: false },
    });
    expect(admitted(engine, peerId)).toEqual({ audio: true, video: true });
    const fresh = await join(node, id, await signIn(node, user));
    expect(fresh.events[0]?.members).toEqual([expect.objectContaining({ audioMuted: false })]);
  });

  test("a media server that was lost gets the mute again", async () => {
    const member = await join(node, id, user);
    await publish(member);
    await mute({ audio: true });
    engine.die();
    engine.recover();
    await member.event("ConferenceReconnectEvent");
    const { peerId } = await publish(member);
    expect(admitted(engine, peerId)).toEqual({ audio: false, video: true });
  });

  test("a peer that the media server cannot mute is not published", async () => {
    const member = await join(node, id, user);
    await mute({ audio: true });
    const before = engine.peers.size;
    const signal = engine.signal.bind(engine);
    engine.signal = () => Promise.reject(new Error("lost"));
    await expect(publish(member)).rejects.toThrow(/^INTERNAL/);
    engine.signal = signal;
    expect(engine.peers.size).toBe(before);
  });

  test("a legacy client, which cannot unmute itself, stays muted until a moderator unmutes it", async () => {
    const room = `muted ${user.id}`;
    const conference = await createConference(node, host.token, { name: room });
    const url = node.app.conferenceUrls.ws ?? "";
    const first = await LegacyClient.open(overWebSocket, url, user.token);
    await first.join(room);
    await muteMember(node, host, conference, user, { audio: true });
    await first.destroy();
    const legacy = await LegacyClient.open(overWebSocket, url, user.token);
    await legacy.enter(room);
    const [peer] = [...engine.peers.values()].filter((each) => each.room === `c-${conference}`);
    expect(admitted(engine, peer?.id ?? "")).toEqual({ audio: false, video: true });
    const query = "query ($id: ID!) { conference(id: $id) { members { audioMuted videoMuted } } }";
    const members = async () =>
      (await graphql(node, query, { id: conference }, host.token)).data.conference.members;
    expect(await members()).toEqual([{ audioMuted: true, videoMuted: null }]);
    await muteMember(node, host, conference, user, { audio: false });
    expect(await members()).toEqual([{ audioMuted: null, videoMuted: null }]);
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

  test("a muted member who publishes again is muted", async () => {
    first = await startNode({}, { openEngine: async (listener) => new MemoryEngine(listener) });
    const [host, user] = [await newUser(first), await newUser(first)];
    const id = await createConference(first, host.token);
    const before = await join(first, id, user);
    await muteMember(first, host, id, user, { audio: true });
    const engine = new MemoryEngine(() => undefined);
    const node = await restart(async () => engine);
    const { membershipId, memberId } = before;
    const member = await watchEvents(node, user.token, membershipId, memberId);
    open.push(member);
    expect(member.events[0]?.members).toEqual([expect.objectContaining({ audioMuted: true })]);
    const { peerId } = await publish(member);
    expect(admitted(engine, peerId)).toEqual({ audio: false, video: true });
  });

  test("peers that the media server has kept are muted as the rows say", async () => {
    const engine = new OutlivingEngine();
    first = await startNode({}, { openEngine: engine.open });
    const [host, user] = [await newUser(first), await newUser(first)];
    const id = await createConference(first, host.token);
    const before = await join(first, id, user);
    const [main, screen] = [await publish(before), await publish(before, "SCREEN")];
    await before.event("ConferenceMemberUpdatedEvent", ({ member }) => member.sharingScreen);
    await first.app.close();
    // The former host wrote the row, and ended before it told the media server.
    second = await startNode({}, { openEngine: engine.open }, first);
    await second.sql("UPDATE conference_members SET audio_blocked = true");
    const other = await join(second, id, host);
    const states = other.events[0]?.members.map(
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
  test("a muted member who publishes at the node that takes over is muted", async () => {
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
      const member = await join(two, id, user);
      await publish(member);
      await muteMember(two, host, id, user, { audio: true, video: true });
      await one.app.close();
      await member.event("ConferenceReconnectEvent");
      await passes(async () => {
        const { peerId } = await publish(member);
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
