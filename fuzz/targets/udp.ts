import { createSocket, type Socket } from "node:dgram";
import { corrupt, type Random } from "../../tools/seeded-random";
import { chance, pick, several } from "../input/random";
import { MediaSession } from "./media-session";
import type { Target } from "./target";

/** Cases between two looks at the media of honest participants. */
const LOOK_EVERY = 10;

let session: MediaSession | undefined;
let socket: Socket | undefined;

/** Datagrams to the port of the media server, from an address that it does not know: STUN, DTLS, SRTP, anything. */
export const udp: Target = {
  name: "udp",
  weight: 1,
  concurrency: 1,
  async prepare(deployment) {
    session = await MediaSession.open(deployment);
    socket = createSocket("udp4");
    // A datagram may be too large, or the port of a media server closed that was started again.
    socket.on("error", () => undefined);
  },
  async run(each) {
    const { random } = each;
    if (!session) throw new Error("not prepared");
    const { server } = await session.connected();
    for (const bytes of several(random, 1, 60, () => datagram(random, server.fragment))) {
      each.sent(bytes.toString("hex"));
      await new Promise<void>((resolve) =>
        socket?.send(bytes, server.port, server.address, () => resolve()),
      );
    }
    each.outcome("sent");
    if (each.number % LOOK_EVERY > 0) return;
    const wrong = await session.flows();
    if (wrong !== null) each.violation(wrong);
  },
  async finish() {
    socket?.close();
    await session?.close();
    [socket, session] = [undefined, undefined];
  },
};

const noise = (random: Random, length: number) =>
  Buffer.from(Array.from({ length }, () => random(256)));

/** @param fragment the ICE user fragment of a peer of the media server */
function datagram(random: Random, fragment: string): Buffer {
  const kind = random(10);
  const made =
    kind < 5 ? stun(random, fragment) : kind < 8 ? dtls(random) : noise(random, random(1_500));
  if (kind === 9) made[0] = 128 + random(64);
  if (chance(random, 3)) return Buffer.concat([made, Buffer.alloc(random(60_000))]);
  return chance(random, 35) ? corrupt(random, made) : made;
}

/** A STUN message (RFC 8489 section 5) with attributes of ICE, of which the integrity is wrong. */
function stun(random: Random, fragment: string): Buffer {
  const attributes = Buffer.concat(several(random, 0, 8, () => attribute(random, fragment)));
  const header = Buffer.alloc(20);
  header.writeUInt16BE(
    chance(random, 70) ? pick(random, [1, 0x101, 0x111, 0x11]) : random(0x4000),
    0,
  );
  header.writeUInt16BE(chance(random, 90) ? attributes.length : random(0x10000), 2);
  header.writeUInt32BE(chance(random, 95) ? 0x2112a442 : random(2 ** 31), 4);
  noise(random, 12).copy(header, 8);
  return Buffer.concat([header, attributes]);
}

function attribute(random: Random, fragment: string): Buffer {
  // USERNAME, MESSAGE-INTEGRITY, ERROR-CODE, PRIORITY, USE-CANDIDATE, FINGERPRINT, ICE-CONTROLLED, ICE-CONTROLLING …
  const types = [0x0006, 0x0008, 0x0009, 0x0020, 0x0024, 0x0025, 0x8028, 0x8029, 0x802a, 0x001c];
  const type = chance(random, 85) ? pick(random, types) : random(0x10000);
  const value =
    type === 0x0006 && chance(random, 80)
      ? Buffer.from(`${fragment}:${"x".repeat(random(chance(random, 90) ? 8 : 600))}`)
      : noise(random, pick(random, [0, 4, 8, 20, 32, random(200)]));
  const header = Buffer.alloc(4);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(chance(random, 95) ? value.length : random(0x10000), 2);
  return Buffer.concat([header, value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
}

/** Records of DTLS (RFC 6347 section 4.1), some with the beginning of a handshake message. */
function dtls(random: Random): Buffer {
  return Buffer.concat(
    several(random, 1, 4, () => {
      const body = noise(random, random(200));
      if (body.length > 12) {
        body[0] = pick(random, [1, 2, 11, 14, 16, 20, random(256)]);
        body.writeUIntBE(chance(random, 60) ? body.length - 12 : random(2 ** 24), 1, 3);
      }
      const header = Buffer.alloc(13);
      header[0] = pick(random, [20, 21, 22, 22, 22, 23, 24, random(256)]);
      header.writeUInt16BE(pick(random, [0xfefd, 0xfeff, 0x0303, random(0x10000)]), 1);
      header.writeUInt16BE(chance(random, 80) ? 0 : random(0x10000), 3);
      header.writeUInt16BE(chance(random, 90) ? body.length : random(0x10000), 11);
      return Buffer.concat([header, body]);
    }),
  );
}
