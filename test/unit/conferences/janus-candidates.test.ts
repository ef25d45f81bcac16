import { withoutCandidates } from "../../../src/domain/conferences/engine/janus-server/connection/candidates";

/** Session descriptions as they are sent to Janus. */

const PLACEHOLDER = "a=candidate:1 1 udp 1 192.0.2.1 9 typ host";
const sdp = (...lines: string[]) => [...lines, ""].join("\r\n");

test("candidates of a client are replaced by one that leads nowhere", () => {
  const offer = sdp(
    "v=0",
    "m=audio 9 UDP/TLS/RTP/SAVPF 111",
    "a=candidate:1 1 udp 2122260223 10.0.0.1 5432 typ host",
    "a=mid:0",
    "a=end-of-candidates",
    "m=video 9 UDP/TLS/RTP/SAVPF 96",
    "a=candidate:2 1 tcp 1518280447 169.254.169.254 80 typ host tcptype passive",
    "a=mid:1",
  );
  expect(withoutCandidates(offer)).toBe(
    sdp(
      "v=0",
      "m=audio 9 UDP/TLS/RTP/SAVPF 111",
      "a=mid:0",
      PLACEHOLDER,
      "m=video 9 UDP/TLS/RTP/SAVPF 96",
      "a=mid:1",
    ),
  );
});

test("the placeholder is in the first section that is not rejected", () => {
  const answer = sdp("v=0", "m=video 0 UDP/TLS/RTP/SAVPF 96", "m=audio 9 UDP/TLS/RTP/SAVPF 111");
  expect(withoutCandidates(answer)).toBe(
    sdp("v=0", "m=video 0 UDP/TLS/RTP/SAVPF 96", "m=audio 9 UDP/TLS/RTP/SAVPF 111", PLACEHOLDER),
  );
  expect(withoutCandidates(sdp("v=0", "m=audio 0 RTP 1"))).toBe(sdp("v=0", "m=audio 0 RTP 1"));
});

test.each(["\r", "\n"])("a candidate after a line end of %j alone is removed", (end) => {
  const hidden = `v=0\r\nm=audio 9 RTP 1\r\na=mid:0${end}a=candidate:1 1 udp 1 10.0.0.1 80 typ host\r\n`;
  expect(withoutCandidates(hidden)).not.toContain("10.0.0.1");
});
