import { isIP } from "node:net";

/**
 * An SDP of the SFU for a client: the addresses of candidates replaced by the announced one, and without the group
 * that would make a browser synchronise all sections with each other (RFC 5888 section 7, `LS`).
 * @param announcedAddress the address that clients reach this host at, if it is behind NAT
 */
export function engineSdp(sdp: string, announcedAddress?: string): string {
  const lines = sdp.split("\r\n").filter((line) => !line.startsWith("a=group:LS"));
  if (announcedAddress === undefined) return lines.join("\r\n");
  const seen = new Set<string>();
  const announced = lines
    .map((line) => announce(line, announcedAddress))
    .filter((line) => {
      if (!line.startsWith("a=candidate:")) return true;
      if (seen.has(line)) return false;
      seen.add(line);
      // One host candidate for each component is enough, since all have the same address and port now.
      return seen.size === 1;
    });
  return announced.join("\r\n");
}

/** `a=candidate:foundation component protocol priority address port typ …` (RFC 8839 section 5.1). */
function announce(line: string, address: string): string {
  if (!line.startsWith("a=candidate:")) return line;
  const parts = line.split(" ");
  if (parts[6] !== "typ" || isIP(parts[4] ?? "") === 0) return line;
  parts[4] = address;
  return parts.join(" ");
}
