import { join } from "node:path";
import { eventually } from "../../../scripts/services/binaries";
import { openLog } from "../../../src/core/log";
import {
  type EmbeddedEngine,
  openEmbeddedEngine,
} from "../../../src/domain/conferences/engine/embedded/embedded-engine";
import { freeUdpPorts } from "../../../tools/conferences/free-udp-port";
import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
} from "../../../tools/conferences/graphql-participant";
import { SyntheticPeers, type SyntheticPublisher } from "../../../tools/conferences/synthetic-peer";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";

/** What becomes of conferences when a thread of the native library is busy for ever, and that no packet causes it. */

/** The process of a conference loads what makes a thread of it hang, by a signal. */
const HANG = ["-r", join(__dirname, "../../support/conferences/hang-library.ts")];
/** An invalid source description (RFC 3550 section 6.5), which the library would read for ever. */
const HARMFUL = Buffer.from("81ca0002000000010101ffff", "hex");

let node: TestNode;
let engine: EmbeddedEngine;
let host: TestUser;
let peers: SyntheticPeers;
const open: GraphqlParticipant[] = [];

beforeAll(async () => {
  process.execArgv.push(...HANG);
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
  for (const participant of open.splice(0)) await participant.leave();
});
// The last test stops the node.
afterAll(async () => {
  process.execArgv.splice(-HANG.length);
  await peers?.close();
});

async function enter(conference: string, token = host.token): Promise<GraphqlParticipant> {
  const participant = await joinConference(node, conference, token);
  open.push(participant);
  return participant;
}

/** Publishes with a real connection. An engine that is restarting refuses it for a moment. */
async function publish(
  participant: GraphqlParticipant,
  sender: number,
): Promise<SyntheticPublisher> {
  const client = await peers.publish({ sender, kbits: 60 });
  await eventually(async () => {
    const input = { offer: client.offer };
    const { answer } = await participant.mutate("publishConferenceMedia", "answer", input);
    await client.accept(answer);
  });
  await eventually(async () => expect((await client.report()).state).toBe("connected"));
  return client;
}

/** Receives what others publish. `received` counts the packets. */
async function watch(participant: GraphqlParticipant) {
  const { peerId, offer } = await participant.mutate("watchConference", "peerId offer");
  const client = await peers.watch(offer);
  await participant.mutate("answerConferencePeer", "done", { peerId, answer: client.answer });
  await client.connect();
  const received = async () =>
    (await client.report()).tracks.reduce((sum, { packets }) => sum + packets, 0);
  return { client, received };
}

const guestOf = async (conferenceId: string): Promise<string> => {
  const link = await mutate(node, "createConferenceLink", "secret", { conferenceId }, host.token);
  const guest = { secret: link.secret, name: "Gwen" };
  return (await mutate(node, "admitConferenceGuest", "token", guest)).token;
};
const count = (participant: GraphqlParticipant, type: string) =>
  participant.events.filter(({ __typename }) => __typename === type).length;
const reconnects = (participant: GraphqlParticipant) =>
  count(participant, "ConferenceReconnectEvent");

/** Makes a thread hang in the process that serves a conference. */
function hang(conferenceId: string): void {
  const pid = engine.pidOf(`c-${conferenceId}`);
  if (pid === undefined) throw new Error("the conference is not open");
  process.kill(pid, "SIGUSR2");
}

test("an invalid source description of a guest stops neither its connections nor others", async () => {
  const conference = await createConference(node, host.token);
  const guest = await enter(conference, await guestOf(conference));
  const publisher = await publish(guest, 1);
  const watcher = await watch(await enter(conference));
  await eventually(async () => expect(await watcher.received()).toBeGreaterThan(10));
  for (let times = 0; times < 8; times += 1) {
    await publisher.packets("0", [HARMFUL]);
    await watcher.client.packets("0", [HARMFUL]);
  }
  const before = await watcher.received();
  await eventually(async () => expect(await watcher.received()).toBeGreaterThan(before + 50));
  expect(reconnects(guest)).toBe(0);
});

test("a thread that hangs interrupts the conferences of one process, and at last ends the one that causes it", async () => {
  const attacked = await createConference(node, host.token);
  const apart = await createConference(node, host.token);
  const beside = await createConference(node, host.token);
  const guest = await enter(attacked, await guestOf(attacked));
  await publish(guest, 1);
  const [far, farWatcher] = [await enter(apart), await enter(apart, (await newUser(node)).token)];
  await publish(far, 2);
  const near = await enter(beside);
  await publish(near, 3);
  expect(engine.portOf(`c-${beside}`)).toBe(engine.portOf(`c-${attacked}`));
  expect(engine.portOf(`c-${apart}`)).not.toBe(engine.portOf(`c-${attacked}`));
  const { received } = await watch(farWatcher);
  await eventually(async () => expect(await received()).toBeGreaterThan(10));

  let deaths = 0;
  while (!guest.hasEnded()) {
    await publish(guest, 1);
    hang(attacked);
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
  await expect(enter(attacked)).rejects.toThrow(/^NOT_FOUND|^CONFLICT/);

  expect(reconnects(near)).toBe(2);
  await publish(near, 3);
  const before = await received();
  await eventually(async () => expect(await received()).toBeGreaterThan(before + 10));
  expect(reconnects(far)).toBe(0);
});

test("a node that stops ends a process that hangs", async () => {
  const conference = await createConference(node, host.token);
  const participant = await enter(conference);
  await publish(participant, 4);
  const { pids } = engine;
  expect(pids.length).toBeGreaterThan(0);
  hang(conference);
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  await node.stop();
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});
