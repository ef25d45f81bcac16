import type { Track } from "node-datachannel";
import {
  carriedAnswer,
  carriedOffer,
  carrierSdp,
  mediaSections,
} from "../../../src/domain/conferences/engine/embedded/sdp/carried-sdp";
import { readPublisherOffer } from "../../../src/domain/conferences/engine/embedded/sdp/client-sdp";
import { Bundle } from "../../../src/domain/conferences/engine/embedded/sfu/bundle";

/** One media section of the library carries all sections of a client. */

const FINGERPRINT = `sha-256 ${Array(32).fill("AB").join(":")}`;
const TRANSPORT = [
  "a=ice-ufrag:abcd",
  "a=ice-pwd:abcdabcdabcdabcdabcdabcd",
  `a=fingerprint:${FINGERPRINT}`,
  "a=setup:actpass",
];
const sdp = (...sections: string[][]) =>
  `${["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", ...sections.flat()].join("\r\n")}\r\n`;
const audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:a", "a=sendonly"];
const video = ["m=video 9 UDP/TLS/RTP/SAVPF 96", "a=mid:v", "a=sendonly"];
const opus = [...audio, "a=rtpmap:111 opus/48000/2", "a=ssrc:11 cname:x", ...TRANSPORT];
const vp8 = [...video, "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack", "a=ssrc:22 cname:x"];
const data = ["m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "a=mid:d", ...TRANSPORT];
const { sdp: offer } = readPublisherOffer(sdp(data, opus, [...vp8, ...TRANSPORT]));
/** What the library says of its section, and of data. */
const LOCAL = [
  "v=0",
  "a=group:BUNDLE a d",
  "a=fingerprint:sha-256 CD",
  "m=video 4000 UDP/TLS/RTP/SAVPF 96",
  "c=IN IP4 127.0.0.1",
  "a=mid:a",
  "a=recvonly",
  "a=rtpmap:96 VP8/90000",
  "a=setup:active",
  "a=ice-ufrag:efgh",
  "a=ice-pwd:efghefghefghefghefghefgh",
  "a=candidate:1 1 UDP 1 127.0.0.1 4000 typ host",
  "m=application 4000 UDP/DTLS/SCTP webrtc-datachannel",
  "a=mid:d",
  "a=setup:active",
  "",
].join("\r\n");
const lines = (text: string, prefix: string) =>
  text.split("\r\n").filter((line) => line.startsWith(prefix));

test("the library is told of one media section and of data", () => {
  const carrier = carrierSdp(offer, "sendonly");
  expect(lines(carrier, "m=").map((line) => line.split(" ")[0])).toEqual([
    "m=video",
    "m=application",
  ]);
  expect(lines(carrier, "a=group:BUNDLE")).toEqual(["a=group:BUNDLE a d"]);
  expect(lines(carrier, "a=ice-ufrag")).toHaveLength(2);
  const withoutMedia = readPublisherOffer(sdp(data)).sdp;
  expect(carrierSdp(withoutMedia, "sendonly")).toBe(withoutMedia);
});

test("a client is told of all sections that it has offered, in their order", () => {
  const answer = carriedAnswer(LOCAL, offer);
  expect(lines(answer, "m=")).toEqual([
    "m=application 4000 UDP/DTLS/SCTP webrtc-datachannel",
    "m=audio 4000 UDP/TLS/RTP/SAVPF 111",
    "m=video 4000 UDP/TLS/RTP/SAVPF 96",
  ]);
  expect(lines(answer, "a=group:BUNDLE")).toEqual(["a=group:BUNDLE d a v"]);
  expect(lines(answer, "a=recvonly")).toHaveLength(2);
  expect(lines(answer, "a=rtcp-fb")).toEqual(["a=rtcp-fb:96 nack"]);
  expect(lines(answer, "a=ssrc")).toEqual([]);
  expect(lines(answer, "a=ice-ufrag:efgh")).toHaveLength(2);
  // The candidates belong to the first section of the bundle.
  expect(lines(answer, "a=candidate")).toHaveLength(1);
  expect(answer.indexOf("a=candidate")).toBeLessThan(answer.indexOf("m=audio"));
});

test("an offer has all sections with the transport of the library's", () => {
  const text = carriedOffer(LOCAL, mediaSections(offer));
  expect(lines(text, "m=")).toHaveLength(2);
  expect(lines(text, "a=ssrc")).toHaveLength(2);
  expect(lines(text, "a=ice-pwd:efgh")).toHaveLength(2);
});

describe("packets", () => {
  const rtp = (type: number, ssrc: number) => {
    const packet = Buffer.alloc(20);
    packet[0] = 0x80;
    packet[1] = type;
    packet.writeUInt32BE(ssrc, 8);
    return packet;
  };
  const report = (...ssrcs: number[]) => {
    const packet = Buffer.alloc(4 + 4 * ssrcs.length);
    packet[0] = 0x80;
    packet[1] = 201;
    for (const [index, ssrc] of ssrcs.entries()) packet.writeUInt32BE(ssrc, 4 + 4 * index);
    return packet;
  };

  /** Sections with these streams; what each gets. */
  function bundle(...streams: Array<[ssrc: number | null, payloadType: number | null]>) {
    const got: string[] = [];
    const made = new Bundle(() => got.push("stray"));
    for (const [index, [ssrc, payloadType]] of streams.entries()) {
      made.add({ ssrc, payloadType }).onMessage(() => got.push(String(index)));
    }
    let receive = (_packet: Buffer) => {};
    made.carry({
      onOpen() {},
      onClosed() {},
      onMessage(given: (packet: Buffer) => void) {
        receive = given;
      },
    } as unknown as Track);
    return (packet: Buffer) => {
      receive(packet);
      return got.splice(0).sort();
    };
  }

  test("go to the section of their SSRC, and others to none", () => {
    const receive = bundle([11, 111], [22, 96]);
    expect(receive(rtp(111, 11))).toEqual(["0"]);
    expect(receive(rtp(96, 22))).toEqual(["1"]);
    expect(receive(rtp(96, 33))).toEqual(["stray"]);
    expect(receive(rtp(96, 22).subarray(0, 9))).toEqual(["stray"]);
  });

  test("of RTCP go to every section that they name, once", () => {
    const receive = bundle([11, 111], [22, 96], [33, 96]);
    expect(receive(report(1, 22, 11, 22))).toEqual(["0", "1"]);
    expect(receive(report(1))).toEqual(["stray"]);
    expect(receive(Buffer.from("81ca0002000000010101ffff", "hex"))).toEqual(["stray"]);
  });

  test("go by the payload type to a section without SSRC, which has that SSRC from then on", () => {
    const receive = bundle([null, 111], [null, 96], [null, null]);
    expect(receive(rtp(96, 22))).toEqual(["1"]);
    expect(receive(rtp(96, 23))).toEqual(["stray"]);
    expect(receive(report(22))).toEqual(["1"]);
  });

  test("all go to the only section, unless it is inactive", () => {
    const receive = bundle([11, 111]);
    expect([receive(rtp(111, 99)), receive(report(7))]).toEqual([["0"], ["0"]]);
    expect(bundle([null, null])(rtp(111, 99))).toEqual(["stray"]);
  });
});
