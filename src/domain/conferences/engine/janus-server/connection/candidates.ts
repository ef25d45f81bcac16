/**
 * A candidate that leads nowhere: an address for documentation (RFC 5737) and the port of the discard service. Janus
 * begins with ICE only when it knows a candidate.
 */
const PLACEHOLDER = "a=candidate:1 1 udp 1 192.0.2.1 9 typ host";

/**
 * Replaces the candidates of a client's session description by a placeholder. Janus learns the client's address from
 * the client's own connectivity checks (RFC 8445, peer-reflexive candidates), so that no client can direct packets of
 * Janus to an address of its choice.
 */
export function withoutCandidates(sdp: string): string {
  const lines = sdp
    .split(/\r\n?|\n/)
    .filter((line) => !line.startsWith("a=candidate:") && !line.startsWith("a=end-of-candidates"));
  if (lines.at(-1) === "") lines.pop();
  const active = lines.findIndex((line) => line.startsWith("m=") && !/^m=\w+ 0 /.test(line));
  if (active >= 0) {
    const next = lines.findIndex((line, index) => index > active && line.startsWith("m="));
    lines.splice(next < 0 ? lines.length : next, 0, PLACEHOLDER);
  }
  return `${lines.join("\r\n")}\r\n`;
}
