import { corrupt, type Random } from "../../tools/seeded-random";
import { chance, pick } from "./random";
import { hostileText } from "./values";

const TRANSPORT = [
  "c=IN IP4 0.0.0.0",
  "a=rtcp-mux",
  "a=ice-ufrag:abcd",
  "a=ice-pwd:0123456789012345678901",
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => "5A").join(":")}`,
  "a=setup:actpass",
];

/** A publisher's offer that a media server takes, although nobody connects with it. */
export const OFFER = [
  "v=0",
  "o=- 1 1 IN IP4 0.0.0.0",
  "s=-",
  "t=0 0",
  "a=group:BUNDLE 0 1 2",
  "m=audio 9 UDP/TLS/RTP/SAVPF 111",
  ...TRANSPORT,
  "a=mid:0",
  "a=sendonly",
  "a=rtpmap:111 opus/48000/2",
  "a=fmtp:111 minptime=10;useinbandfec=1",
  "a=ssrc:1001 cname:c",
  "m=video 9 UDP/TLS/RTP/SAVPF 96",
  ...TRANSPORT,
  "a=mid:1",
  "a=sendonly",
  "a=rtpmap:96 VP8/90000",
  "a=rtcp-fb:96 nack",
  "a=rtcp-fb:96 nack pli",
  "a=rtcp-fb:96 goog-remb",
  "a=ssrc:1002 cname:c",
  "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
  ...TRANSPORT,
  "a=mid:2",
  "a=sctp-port:5000",
  "",
].join("\r\n");

/** Lines that other clients send, or that make no sense. */
const LINES = [
  "m=audio 0 UDP/TLS/RTP/SAVPF 111",
  "m=video 9 UDP/TLS/RTP/SAVPF 96 97 98",
  "m=text 9 RTP/AVP 98",
  "m=",
  "a=mid:1",
  "a=mid:",
  "a=bundle-only",
  "a=inactive",
  "a=recvonly",
  "a=simulcast:send h;m;l",
  "a=rid:h send",
  "a=ssrc-group:FID 1002 1003",
  "a=ssrc:4294967296 cname:x",
  "a=ssrc:0",
  "a=rtpmap:96 H264/90000",
  "a=rtpmap:97 rtx/90000",
  "a=fmtp:97 apt=96",
  "a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid",
  "a=extmap:4294967295/sendrecv x",
  "a=candidate:1 1 udp 2130706431 192.0.2.1 9 typ host",
  "a=candidate:1 1 tcp 1 ::1 65536 typ srflx raddr 0.0.0.0 rport 0",
  "a=end-of-candidates",
  "a=ice-lite",
  "a=ice-options:trickle",
  "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:x",
  "a=fingerprint:sha-1 00",
  "a=setup:holdconn",
  "a=sctp-port:99999999999",
  "a=max-message-size:-1",
  "a=group:BUNDLE",
  "b=AS:4294967296",
  "",
];

/** An SDP with some of its lines changed, and some of its bytes. */
export function mutateSdp(random: Random, sdp: string): string {
  const lines = sdp.split("\r\n");
  for (let edits = random(6); edits > 0; edits -= 1) {
    const at = random(lines.length);
    const line = lines[at] ?? "";
    switch (random(7)) {
      case 0:
        lines.splice(at, 1 + random(3));
        break;
      case 1:
        lines.splice(at, 0, line);
        break;
      case 2:
        lines.splice(random(lines.length), 0, pick(random, LINES));
        break;
      case 3:
        lines[at] = line.replace(/\d+/, () =>
          pick(random, ["0", "-1", "65536", "4294967295", "1e9"]),
        );
        break;
      case 4:
        lines[at] = `${line.slice(0, line.indexOf(":") + 1)}${hostileText(random)}`;
        break;
      case 5:
        lines.splice(at, 0, ...lines.slice(random(lines.length)));
        break;
      default:
        lines[at] = pick(random, LINES);
    }
  }
  if (chance(random, 3))
    lines.push(...Array.from({ length: random(5_000) }, () => pick(random, LINES)));
  const text = lines.join(chance(random, 90) ? "\r\n" : "\n");
  return chance(random, 15) ? corrupt(random, Buffer.from(text)).toString() : text;
}
