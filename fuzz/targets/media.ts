import { rtcpPacket, rtpPacket } from "../input/media-packets";
import { chance, several } from "../input/random";
import { MediaSession } from "./media-session";
import type { Target } from "./target";

/** Cases between two looks at the media of honest participants. */
const LOOK_EVERY = 5;

let session: MediaSession | undefined;

/**
 * RTP and RTCP of every type through the encrypted connections of a participant: a publisher with two media sections,
 * and a watcher with 26. Media of another conference flows throughout, or again after the media server was killed.
 */
export const media: Target = {
  name: "media",
  weight: 2,
  concurrency: 1,
  async prepare(deployment) {
    session = await MediaSession.open(deployment);
  },
  async run(each) {
    const { random } = each;
    if (!session) throw new Error("not prepared");
    const { publisher, watcher, ssrcs } = await session.connected();
    const publishes = chance(random, 50);
    const known = publishes ? ssrcs.publisher : ssrcs.watcher;
    const packets = several(random, 1, 40, () =>
      // What a watcher sends as RTP is dropped by its own library.
      publishes && chance(random, 50) ? rtpPacket(random, known) : rtcpPacket(random, known),
    );
    for (const packet of packets) each.sent(packet.toString("hex"));
    const mid = String(random(2));
    if (publishes) await publisher.packets(mid, packets);
    else await watcher.packets(mid, packets);
    each.outcome(publishes ? "published" : "watched");
    if (each.number % LOOK_EVERY > 0) return;
    const wrong = await session.flows();
    if (wrong !== null) each.violation(wrong);
    const reason = await session.closed();
    if (reason !== null) each.outcome(`closed: ${reason}`);
  },
  async finish() {
    await session?.close();
    session = undefined;
  },
};
