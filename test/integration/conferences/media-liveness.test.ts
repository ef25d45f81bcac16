import { eventually } from "../../../scripts/services/binaries";
import {
  type EmbeddedEngine,
  openEmbeddedEngine,
} from "../../../src/conferences/engine/embedded/embedded-engine";
import { openLog } from "../../../src/core/log";
import { newUser, type TestUser } from "../../support/client";
import { freeUdpPorts } from "../../support/conferences/free-udp-port";
import {
  createConference,
  type GraphqlMember,
  joinConference,
  mutate,
} from "../../support/conferences/graphql-member";
import { SyntheticPeers, type SyntheticPublisher } from "../../support/conferences/synthetic-peer";
import { startNode, type TestNode } from "../../support/node";

/** What becomes of conferences when a guest's packet keeps a thread of the native library busy for ever. */

/** An invalid source description (RFC 3550 section 6.5): its second item is longer than its chunk. */
const HARMFUL = Buffer.from("81ca0002000000010101ffff", "hex");

let node: TestNode;
let engine: EmbeddedEngine;
let host: TestUser;
let peers: SyntheticPeers;
const open: GraphqlMember[] = [];

beforeAll(async () => {
  const ports = await freeUdpPorts(4);
  node = await startNode(
    {},
    {
      openEngine: async (listener) => {
        engine = openEmbeddedEngine(
          {
            ports: { regular: ports.slice(0, 2), quarantine: ports.slice(2) },
            bindAddress: "127.0.0.1",
            log: openLog("silent"),
          },
          listener,
        );
        return engine;
      },
    },
  );
  host = await newUser(node);
  peers = new SyntheticPeers();
});
afterEach(async () => {
  for (const member of open.splice(0)) await member.leave();
});
// The last test stops the node.
afterAll(() => peers?.close());

async function join(conference: string, token = host.token): Promise<GraphqlMember> {
  const member = await joinConference(node, conference, token);
  open.push(member);
  return member;
}

/** Publishes with a real connection. An engine that is restarting refuses it for a moment. */
async function publish(member: GraphqlMember, sender: number): Promise<SyntheticPublisher> {
  const client = await peers.publish({ sender, kbits: 60 });
  await eventually(async () => {
    const input = { offer: client.offer };
    const { answer } = await member.mutate("publishConferenceMedia", "answer", input);
    await client.accept(answer);
  });
  await eventually(async () => expect((await client.report()).state).toBe("connected"));
  return client;
}

/** Receives what others publish. @returns counts the packets */
async function watch(member: GraphqlMember): Promise<() => Promise<number>> {
  const { peerId, offer } = await member.mutate("watchConference", "peerId offer");
  const client = await peers.watch(offer);
  await member.mutate("answerConferencePeer", "done", { peerId, answer: client.answer });
  await client.connect();
  return async () => (await client.report()).tracks.reduce((sum, { packets }) => sum + packets, 0);
}

const guestOf = async (conferenceId: string): Promise<string> => {
  const link = await mutate(node, "createConferenceLink", "secret", { conferenceId }, host.token);
  const guest = { secret: link.secret, name: "Gwen" };
  return (await mutate(node, "admitConferenceGuest", "token", guest)).token;
};
const count = (member: GraphqlMember, type: string) =>
  member.events.filter(({ __typename }) => __typename === type).length;
const reconnects = (member: GraphqlMember) => count(member, "ConferenceReconnectEvent");

test("a guest's packet interrupts the conferences of one process, and at last ends the guest's own", async () => {
  const attacked = await createConference(node, host.token);
  const apart = await createConference(node, host.token);
  const beside = await createConference(node, host.token);
  const guest = await join(attacked, await guestOf(attacked));
  await publish(guest, 1);
  const [far, farWatcher] = [await join(apart), await join(apart, (await newUser(node)).token)];
  await publish(far, 2);
  const near = await join(beside);
  await publish(near, 3);
  expect(engine.portOf(`c-${beside}`)).toBe(engine.portOf(`c-${attacked}`));
  expect(engine.portOf(`c-${apart}`)).not.toBe(engine.portOf(`c-${attacked}`));
  const received = await watch(farWatcher);
  await eventually(async () => expect(await received()).toBeGreaterThan(10));

  let deaths = 0;
  while (!guest.hasEnded()) {
    const attacker = await publish(guest, 1);
    await attacker.packets("0", [HARMFUL]);
    await eventually(async () =>
      expect(reconnects(guest) + count(guest, "ConferenceEndedEvent")).toBeGreaterThan(deaths),
    );
    deaths += 1;
    if (count(guest, "ConferenceEndedEvent") > 0) break;
  }
  // Both open again; one of them in quarantine; then the harmful one is by itself.
  expect(deaths).toBe(3);
  expect(guest.events.at(-1)).toMatchObject({
    __typename: "ConferenceEndedEvent",
    reason: "MEDIA_FAILURE",
  });
  expect(
    await node.sql("SELECT leave_reason FROM conference_members WHERE conference_id = $1", [
      Number(attacked),
    ]),
  ).toEqual([{ leave_reason: "media-failure" }]);
  await expect(join(attacked)).rejects.toThrow(/^NOT_FOUND|^CONFLICT/);

  expect(reconnects(near)).toBe(2);
  await publish(near, 3);
  const before = await received();
  await eventually(async () => expect(await received()).toBeGreaterThan(before + 10));
  expect(reconnects(far)).toBe(0);
});

test("a node that stops ends a process that hangs", async () => {
  const conference = await createConference(node, host.token);
  const member = await join(conference);
  const client = await publish(member, 4);
  const { pids } = engine;
  expect(pids.length).toBeGreaterThan(0);
  await client.packets("0", [HARMFUL]);
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  await node.stop();
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});
