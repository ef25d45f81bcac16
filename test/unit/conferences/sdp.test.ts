import { Fault } from "../../../src/core/errors";
import {
  readPublisherOffer,
  readWatcherAnswer,
} from "../../../src/domain/conferences/engine/embedded/sdp/client-sdp";
import { engineSdp } from "../../../src/domain/conferences/engine/embedded/sdp/engine-sdp";
import { SDP_MAX } from "../../../src/domain/conferences/engine/engine";
import { corrupt, seededRandom } from "../../../tools/seeded-random";

/** What the embedded engine makes of the SDPs of clients, and of its own. */

const FINGERPRINT = `sha-256 ${Array.from({ length: 32 }, () => "AB").join(":")}`;
const TRANSPORT = [
  "a=ice-ufrag:abcd",
  `a=ice-pwd:${"p".repeat(24)}`,
  `a=fingerprint:${FINGERPRINT}`,
  "a=setup:actpass",
];
const crlf = (...lines: string[]) => `${lines.join("\r\n")}\r\n`;

/** An offer in the form of a browser's: several codecs, extensions, retransmission, candidates, data. */
const OFFER = crlf(
  "v=0",
  "o=- 42 2 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  "a=group:BUNDLE 0 1 2",
  "a=extmap-allow-mixed",
  "m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9",
  "c=IN IP4 0.0.0.0",
  "a=rtcp:9 IN IP4 0.0.0.0",
  "a=mid:0",
  "a=candidate:1 1 udp 2113937151 10.0.0.5 50000 typ host",
  ...TRANSPORT,
  "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
  "a=sendrecv",
  "a=rtcp-mux",
  "a=rtpmap:111 opus/48000/2",
  "a=rtcp-fb:111 transport-cc",
  "a=fmtp:111 minptime=10;useinbandfec=1",
  "a=rtpmap:63 red/48000/2",
  "a=fmtp:63 111/111",
  "a=rtpmap:9 G722/8000",
  "a=ssrc:5 cname:x",
  "m=video 9 UDP/TLS/RTP/SAVPF 98 96 97",
  "c=IN IP4 0.0.0.0",
  "a=mid:1",
  ...TRANSPORT,
  "a=sendonly",
  "a=rtcp-mux",
  "a=rtpmap:98 VP9/90000",
  "a=rtpmap:96 VP8/90000",
  "a=rtcp-fb:96 goog-remb",
  "a=rtcp-fb:96 transport-cc",
  "a=rtcp-fb:96 ccm fir",
  "a=rtcp-fb:96 nack",
  "a=rtcp-fb:96 nack pli",
  "a=rtpmap:97 rtx/90000",
  "a=fmtp:97 apt=96",
  "a=ssrc-group:FID 6 7",
  "a=ssrc:6 cname:x",
  "a=ssrc:7 cname:x",
  "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
  "c=IN IP4 0.0.0.0",
  "a=mid:2",
  ...TRANSPORT,
  "a=sctp-port:5000",
);

const faultOf = (act: () => unknown): Fault => {
  try {
    act();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};

describe("a publisher's offer", () => {
  test("keeps Opus, VP8 and data, and nothing else", () => {
    const { sdp, audio, video } = readPublisherOffer(OFFER);
    expect([audio, video]).toEqual([{ mid: "0" }, { mid: "1" }]);
    expect(
      sdp.split("\r\n").filter((line) => /^(m=|a=rtpmap|a=rtcp-fb|a=ssrc)/.test(line)),
    ).toEqual([
      "m=audio 9 UDP/TLS/RTP/SAVPF 111",
      "a=rtpmap:111 opus/48000/2",
      "a=ssrc:5 cname:client",
      "m=video 9 UDP/TLS/RTP/SAVPF 96",
      "a=rtpmap:96 VP8/90000",
      "a=rtcp-fb:96 goog-remb",
      "a=rtcp-fb:96 ccm fir",
      "a=rtcp-fb:96 nack",
      "a=rtcp-fb:96 nack pli",
      "a=ssrc:6 cname:client",
      "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
    ]);
    expect(sdp).not.toMatch(/candidate|extmap|rtx|red|transport-cc/);
  });

  test("is understood again, and then unchanged", () => {
    const { sdp } = readPublisherOffer(OFFER);
    expect(readPublisherOffer(sdp).sdp).toBe(sdp);
  });

  test("reads line ends of LF, and attributes of the session", () => {
    const lines = OFFER.split("\r\n");
    const moved = [
      ...lines.slice(0, 5),
      ...TRANSPORT,
      ...lines.slice(5).filter((line) => !TRANSPORT.includes(line)),
    ];
    expect(readPublisherOffer(moved.join("\n")).sdp).toBe(readPublisherOffer(OFFER).sdp);
  });

  test.each<[string, (offer: string) => string, string]>([
    ["text", () => "hello", "does not begin with v=0"],
    ["no sections", (offer) => offer.slice(0, offer.indexOf("m=")), "has no media section"],
    [
      "no fingerprint",
      (offer) => offer.replaceAll(/a=fingerprint.*\r\n/g, ""),
      "has no a=fingerprint",
    ],
    [
      "a fingerprint of SHA-1",
      (offer) => offer.replaceAll(/a=fingerprint.*/g, "a=fingerprint:sha-1 AB:AB"),
      "has no a=fingerprint",
    ],
    ["no password", (offer) => offer.replaceAll(/a=ice-pwd.*\r\n/g, ""), "has no valid a=ice-pwd"],
    [
      "no user fragment",
      (offer) => offer.replaceAll("a=ice-ufrag:abcd", "a=ice-ufrag:ab cd"),
      "has no valid a=ice-ufrag",
    ],
    ["no mid", (offer) => offer.replace("a=mid:0\r\n", ""), "without a=mid"],
    [
      "a mid of two sections",
      (offer) => offer.replace("a=mid:1", "a=mid:0"),
      "two media sections with one a=mid",
    ],
    [
      "layers without SSRCs",
      (offer) =>
        offer
          .replace(/a=ssrc(-group)?:(FID )?[67] .*\r\n/g, "")
          .replace("a=mid:1\r\n", "a=mid:1\r\na=simulcast:send h;l\r\n"),
      "offers simulcast",
    ],
    ["no VP8", (offer) => offer.replace("VP8", "AV1"), "offers no VP8"],
    ["no Opus", (offer) => offer.replace("opus", "pcmu"), "offers no Opus"],
    [
      "two videos",
      (offer) =>
        `${offer}${offer.slice(offer.indexOf("m=video"), offer.indexOf("m=application")).replace("a=mid:1", "a=mid:3")}`,
      "more than one video",
    ],
    [
      "a refused section",
      (offer) => offer.replace("m=video 9", "m=video 0"),
      "has a refused media section",
    ],
    [
      "another kind",
      (offer) => offer.replace("m=application", "m=image"),
      "neither audio, video nor application",
    ],
    [
      "nine sections",
      (offer) => offer + "m=audio 9 x 1\r\n".repeat(9),
      "more than 8 media sections",
    ],
    ["too many lines", (offer) => offer + "a=x\r\n".repeat(5_000), "more than 4000 lines"],
  ])("with %s is invalid", (_name, change, text) => {
    const { code, message, fields } = faultOf(() => readPublisherOffer(change(OFFER)));
    expect(code).toBe("INVALID");
    expect(Object.keys(fields ?? {})).toEqual(["sdp"]);
    expect(message).toContain(text);
  });

  test("of more than 64 KB is too large, in bytes", () => {
    expect(faultOf(() => readPublisherOffer(`${OFFER}a=x:${"é".repeat(SDP_MAX / 2)}`)).code).toBe(
      "TOO_LARGE",
    );
  });

  test("changed at random is either refused as a fault of sdp, or results in known lines alone", () => {
    const random = seededRandom(21);
    const known =
      /^(v=0|o=- 1 1 IN IP4 127\.0\.0\.1|s=-|t=0 0|c=IN IP4 0\.0\.0\.0|m=(audio|video) 9 UDP\/TLS\/RTP\/SAVPF \d+|m=application 9 UDP\/DTLS\/SCTP webrtc-datachannel|a=(group|msid-semantic|mid|rtcp-mux|sendonly|inactive|rtpmap|fmtp|rtcp-fb|ssrc|ice-ufrag|ice-pwd|fingerprint|setup|sctp-port|max-message-size)[ -~]*|)$/;
    let accepted = 0;
    for (let count = 0; count < 5_000; count += 1) {
      const text = corrupt(random, Buffer.from(OFFER)).toString(
        random(2) === 0 ? "utf8" : "latin1",
      );
      try {
        const { sdp } = readPublisherOffer(text);
        expect(sdp.split("\r\n").filter((line) => !known.test(line))).toEqual([]);
        expect(sdp).not.toMatch(/candidate:/);
        accepted += 1;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        expect(Object.keys(error.fields ?? {})).toEqual(["sdp"]);
      }
    }
    expect(accepted).toBeGreaterThan(100);
  });
});

describe("a watcher's answer", () => {
  const offered = [
    { mid: "0", kind: "audio" as const, payloadType: 111 },
    { mid: "1", kind: "video" as const, payloadType: 96 },
  ];
  const ANSWER = OFFER.slice(0, OFFER.indexOf("m=application")).replaceAll(
    "a=setup:actpass",
    "a=setup:active",
  );

  test("keeps the sections of the offer", () => {
    const sdp = readWatcherAnswer(ANSWER, offered);
    expect(sdp.split("\r\n").filter((line) => /^(m=|a=mid|a=recvonly)/.test(line))).toEqual([
      "m=audio 9 UDP/TLS/RTP/SAVPF 111",
      "a=mid:0",
      "a=recvonly",
      "m=video 9 UDP/TLS/RTP/SAVPF 96",
      "a=mid:1",
      "a=recvonly",
    ]);
    expect(sdp).not.toMatch(/candidate/);
  });

  test.each<[string, string, string]>([
    [
      "fewer sections",
      ANSWER.slice(0, ANSWER.indexOf("m=video")),
      "has 1 media sections, the offer has 2",
    ],
    ["more sections", `${ANSWER}m=audio 9 x 1\r\n`, "more than 2 media sections"],
    ["another mid", ANSWER.replace("a=mid:1", "a=mid:7"), "does not answer section 1"],
    ["a refused section", ANSWER.replace("m=video 9", "m=video 0"), "refuses section 1"],
    ["another payload type", ANSWER.replaceAll("96", "100"), "changes the codec of section 1"],
  ])("with %s is invalid", (_name, answer, text) => {
    const { code, message } = faultOf(() => readWatcherAnswer(answer, offered));
    expect([code, message]).toEqual(["INVALID", expect.stringContaining(text)]);
  });
});

describe("the engine's own SDP", () => {
  const SDP = crlf(
    "v=0",
    "a=group:BUNDLE 0 1",
    "a=group:LS 0 1",
    "m=audio 9 UDP/TLS/RTP/SAVPF 111",
    "a=candidate:1 1 UDP 2114977791 192.168.0.2 40000 typ host",
    "a=candidate:2 1 UDP 2114977535 10.0.0.2 40000 typ host",
    "a=end-of-candidates",
  );

  test("does not synchronise all sections with each other", () => {
    expect(engineSdp(SDP)).toBe(SDP.replace("a=group:LS 0 1\r\n", ""));
  });

  test("has one candidate with the announced address", () => {
    const lines = engineSdp(SDP, "203.0.113.7").split("\r\n");
    expect(lines.filter((line) => line.startsWith("a=candidate"))).toEqual([
      "a=candidate:1 1 UDP 2114977791 203.0.113.7 40000 typ host",
    ]);
  });
});
