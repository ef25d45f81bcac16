import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
  passes,
  watchEvents,
} from "../../../tools/conferences/graphql-participant";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { startNode, type TestNode } from "../../support/node";
import { describeServices } from "../../support/operations/database";
import { newUser, rest, signIn, type TestUser } from "../../support/rest-client";
import { blockUser } from "../../support/sessions/blocks";

const engines: MemoryEngine[] = [];
const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) => {
  const engine = new MemoryEngine(listener);
  engines.push(engine);
  return engine;
};

describeServices("a conference on two nodes", () => {
  let one: TestNode;
  let two: TestNode;
  let host: TestUser;
  let user: TestUser;
  const open: GraphqlParticipant[] = [];

  beforeEach(async () => {
    engines.length = 0;
    one = await startNode({}, { openEngine });
    two = await startNode({}, { openEngine }, one);
    host = await newUser(one);
    user = await newUser(two);
  });
  afterEach(async () => {
    for (const participant of open.splice(0)) await participant.leave();
    await two.stop();
    // Its database is removed last.
    await one.stop();
  });

  async function join(
    node: TestNode,
    id: string,
    { token }: TestUser,
  ): Promise<GraphqlParticipant> {
    const participant = await joinConference(node, id, token);
    open.push(participant);
    return participant;
  }

  const publish = (participant: GraphqlParticipant) =>
    participant.mutate("publishConferenceMedia", "peerId", { offer: "offer" });

  test("has one host and one engine, whichever node its participants use", async () => {
    const id = await createConference(one, host.token);
    const first = await join(one, id, host);
    const second = await join(two, id, user);
    await first.event("ConferenceParticipantJoinedEvent");
    const { peerId } = await publish(second);
    await first.event(
      "ConferenceParticipantUpdatedEvent",
      ({ participant }) => participant.publishing,
    );
    expect(engines.map((engine) => engine.peers.has(peerId))).toEqual([true, false]);
    // Errors of the host reach the participant of the other node as they are.
    await expect(
      second.mutate("publishConferenceMedia", "peerId", { offer: "invalid" }),
    ).rejects.toThrow(/^INVALID.*offer/);
    await expect(
      second.mutate("answerConferencePeer", "done", { peerId: "none", answer: "a" }),
    ).rejects.toThrow(/^NOT_FOUND/);
    const both = await one.sql("SELECT host FROM conferences WHERE id = $1", [Number(id)]);
    expect(both).toHaveLength(1);
  });

  test("a participant comes back through the other node, and the others see one person", async () => {
    const id = await createConference(one, host.token);
    const first = await join(one, id, host);
    const old = await join(one, id, user);
    await publish(old);
    const again = await signIn(two, user);
    const fresh = await join(two, id, { ...user, ...again });
    await old.event("ConferenceReplacedEvent");
    await first.event("ConferenceParticipantUpdatedEvent", ({ rejoined }) => rejoined);
    expect(first.names()).toEqual([host.login, user.login]);
    expect(fresh.names()).toEqual([host.login, user.login]);
    await publish(fresh);
    await first.event(
      "ConferenceParticipantUpdatedEvent",
      ({ participant, rejoined }) =>
        !rejoined && participant.publishing && participant.id === fresh.participantId,
    );
  });

  test("a user whom the owner blocks at the other node loses the seat", async () => {
    const id = await createConference(one, host.token);
    const first = await join(one, id, host);
    const second = await join(two, id, user);
    await first.event("ConferenceParticipantJoinedEvent");
    await blockUser(two, user);
    await first.event("ConferenceParticipantLeftEvent", ({ reason }) => reason === "SESSION_ENDED");
    expect(first.names()).toEqual([host.login]);
    await passes(() => expect(second.isOver()).toBe(true));
    await expect(joinConference(one, id, user.token)).rejects.toThrow();
  });

  test("events go on after a cursor at the other node", async () => {
    const id = await createConference(one, host.token);
    const first = await join(one, id, host);
    const second = await join(two, id, user);
    const joined = await first.event("ConferenceParticipantJoinedEvent");
    await first.disconnect();
    await second.mutate("setConferenceMute", "participant { id }", { audio: true });
    const { membershipId, participantId } = first;
    const resumed = await watchEvents(two, host.token, membershipId, participantId, joined.cursor);
    open.push(resumed);
    await resumed.event(
      "ConferenceParticipantUpdatedEvent",
      ({ participant }) => participant.audioMuted,
    );
    expect(resumed.events.map(({ __typename }) => __typename)).toEqual([
      "ConferenceParticipantUpdatedEvent",
    ]);
  });

  test("the other node takes over when the host stops, and its participants publish again", async () => {
    const id = await createConference(one, host.token);
    const first = await join(one, id, host);
    const second = await join(two, id, user);
    await publish(second);
    await second.event(
      "ConferenceParticipantUpdatedEvent",
      ({ participant }) => participant.publishing,
    );
    await one.app.close();
    // The first participant's socket was at the stopped node: it comes back at the other one.
    const back = await join(two, id, host);
    await passes(() => expect(back.names().sort()).toEqual([host.login, user.login].sort()));
    await second.event("ConferenceReconnectEvent");
    await passes(async () => {
      const { peerId } = await publish(second);
      expect(engines[1]?.peers.has(peerId)).toBe(true);
    });
    await back.event(
      "ConferenceParticipantUpdatedEvent",
      ({ participant }) => participant.publishing,
    );
    expect(first.isOver()).toBe(true);
  });

  test("a host whose change the row refuses hosts the conference again, also for the other node", async () => {
    const id = await createConference(one, host.token);
    await join(one, id, host);
    // Another conference keeps the lease of the host alive.
    await join(one, await createConference(one, host.token), host);
    const second = await join(two, id, user);
    await one.sql("UPDATE conferences SET generation = generation + 1 WHERE id = $1", [Number(id)]);
    await second.mutate("setConferenceMute", "participant { id }", { audio: true });
    await second.mutate("leaveConference", "done");
  });

  test("a node that waits for its media server keeps its conferences", async () => {
    const id = await createConference(one, host.token);
    const first = await join(one, id, host);
    const second = await join(two, id, user);
    await publish(second);
    await first.event(
      "ConferenceParticipantUpdatedEvent",
      ({ participant }) => participant.publishing,
    );
    let answer: () => void = () => undefined;
    const [engine] = engines;
    if (!engine) throw new Error("no engine");
    engine.stall = new Promise((resolve) => {
      answer = resolve;
    });
    await second.disconnect();
    await one.sql(
      `UPDATE conference_members SET lease_until = now() - interval '1 second'
        WHERE conference_id = $1 AND number = $2`,
      [Number(id), user.id],
    );
    // The host removes the participant, and waits for the media server.
    await first.event("ConferenceParticipantLeftEvent");
    const lease = async () => {
      const [row] = await one.sql<{ seconds: number }>(
        `SELECT extract(epoch FROM n.lease_until)::float8 AS seconds FROM conference_nodes n
          JOIN conferences c ON c.host = n.id WHERE c.id = $1`,
        [Number(id)],
      );
      return row?.seconds ?? 0;
    };
    const before = await lease();
    try {
      await passes(async () => expect(await lease()).toBeGreaterThan(before + 3));
    } finally {
      answer();
    }
  });

  test("whose session ends at one node is out at the other", async () => {
    const id = await createConference(one, host.token);
    const first = await join(one, id, host);
    await join(two, id, user);
    await first.event("ConferenceParticipantJoinedEvent");
    const answer = await rest(two, "DELETE", `/users/${user.id}`, { token: user.token });
    expect(answer.status).toBe(200);
    await first.event("ConferenceParticipantLeftEvent", ({ reason }) => reason === "SESSION_ENDED");
    expect(first.names()).toEqual([host.login]);
  });

  test("a command finds no host when the conference is closed at the other node", async () => {
    const id = await createConference(one, host.token);
    const second = await join(two, id, user);
    await mutate(one, "closeConference", "conference { id }", { conferenceId: id }, host.token);
    await second.event("ConferenceEndedEvent");
    await expect(publish(second)).rejects.toThrow(/^NOT_FOUND/);
  });
});
