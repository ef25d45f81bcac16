import { ENGINE_SERVERS } from "../../tools/conferences/engine-servers";
import { GatewayConference } from "../../tools/conferences/gateway/gateway-conference";
import { passes, type ReceivedEvent } from "../../tools/conferences/graphql-participant";
import { SyntheticPeers } from "../../tools/conferences/synthetic-peer";
import { closeAfterEach } from "../support/close-after-each";
import { Cluster } from "../support/operations/cluster";

/** A full conference of synthetic participants, who join over GraphQL, on each media server as deployments have it. */

const SEATS = 12;
/** Sender numbers of shared screens: a participant's own and this. */
const SCREEN = 100;
/** Low, so that encryption of 288 tracks leaves the machine something. */
const MEDIA = { kbits: 100, fps: 10, audio: 20 };

const opened = closeAfterEach();

describe.each(ENGINE_SERVERS)("on $name", ({ start }) => {
  let cluster: Cluster;
  let tokens: string[];
  let stopEngine: () => Promise<void>;

  beforeAll(async () => {
    const engine = await start();
    stopEngine = () => engine.stop();
    cluster = await Cluster.start(1, engine.environment);
    tokens = (await cluster.createUsers(SEATS + 1)).map(({ token }) => token);
  });
  afterAll(async () => {
    await cluster?.stop();
    await stopEngine?.();
  });

  /** A conference whose participants' peer connections must not end. */
  async function open(settings: Record<string, unknown> = {}) {
    const peers = new SyntheticPeers({});
    const [node] = cluster.runningNodes();
    if (!node) throw new Error("no node");
    const ended: ReceivedEvent[] = [];
    const conference = await GatewayConference.open(node, tokens, peers, {
      media: MEDIA,
      settings,
      onEvent: (_participant, event) => {
        if (event.__typename === "ConferencePeerClosedEvent") ended.push(event);
      },
    });
    opened({ close: () => conference.abandon().finally(() => peers.close()) });
    return { conference, ended };
  }

  /** Waits until every participant receives the senders that it should, further packets of each. */
  async function flows(
    conference: GatewayConference,
    sendersOf: (participant: number) => number[],
  ) {
    for (const participant of conference.participants.values()) {
      const packets = async () =>
        new Map(
          (await participant.received()).map(({ mid, sender, packets: count }) => [
            mid,
            { sender, count },
          ]),
        );
      const before = await packets();
      await passes(async () => {
        const growing = [...(await packets())].filter(
          ([mid, { count }]) => count > (before.get(mid)?.count ?? 0) + 3,
        );
        const senders = growing.map(([, { sender }]) => sender).sort((a, b) => a - b);
        expect(senders).toEqual(sendersOf(participant.number).sort((a, b) => a - b));
      });
    }
  }

  const others = (participant: number, count: number) =>
    Array.from({ length: count }, (_, index) => index + 1).filter((each) => each !== participant);

  it("all 264 tracks of twelve participants flow, the thirteenth is refused, and two may share a screen", async () => {
    const { conference, ended } = await open();
    for (let number = 1; number <= SEATS; number += 1) await conference.join();
    // Audio and video of eleven others each: 264 tracks.
    const camera = (participant: number) =>
      others(participant, SEATS).flatMap((other) => [other, other]);
    await flows(conference, camera);
    await expect(conference.join(SEATS + 1)).rejects.toThrow(/^FULL/);

    const share = (number: number) =>
      conference.participants.get(number)?.shareScreen(SCREEN + number) ?? Promise.reject();
    await share(1);
    await share(2);
    await expect(share(3)).rejects.toThrow(/^FULL/);
    await flows(conference, (participant) => [
      ...camera(participant),
      ...[1, 2].filter((each) => each !== participant).map((each) => SCREEN + each),
    ]);
    expect(ended).toEqual([]);
  });

  it("further seats reach who watches already", async () => {
    const { conference, ended } = await open({ seats: 2 });
    await conference.join();
    await conference.join();
    await expect(conference.join(3)).rejects.toThrow(/^FULL/);
    await conference.mutate(1, "updateConference", "conference { id }", { seats: 6 });
    for (let number = 3; number <= 6; number += 1) await conference.join();
    await flows(conference, (participant) =>
      others(participant, 6).flatMap((other) => [other, other]),
    );
    expect(ended).toEqual([]);
  });
});
