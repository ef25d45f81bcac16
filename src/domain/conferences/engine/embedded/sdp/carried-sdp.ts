/**
 * SDPs of connections of which the library knows one media section, which carries the packets of all. The library would
 * read RTCP packets of a client to find their section, by code that a packet can keep busy forever; with one section it
 * passes on every packet as it is. All sections of a client are one bundle, so that the transport is the same.
 */

/** A media section as lines, the m-line first, without those of the transport. */
export type SectionLines = string[];

interface SplitSdp {
  session: string[];
  sections: SectionLines[];
}

const TRANSPORT = /^a=(?:ice-ufrag|ice-pwd|fingerprint|setup):/;
const CANDIDATE = /^a=(?:candidate:|end-of-candidates)/;

const isMedia = ([line = ""]: SectionLines) => /^m=(?:audio|video) /.test(line);
const midOf = (section: SectionLines) =>
  section.find((line) => line.startsWith("a=mid:"))?.slice("a=mid:".length) ?? "";

function split(sdp: string): SplitSdp {
  const session: string[] = [];
  const sections: SectionLines[] = [];
  for (const line of sdp.split("\r\n")) {
    if (line.startsWith("m=")) sections.push([line]);
    else if (line !== "") (sections.at(-1) ?? session).push(line);
  }
  return { session, sections };
}

function join(session: string[], sections: SectionLines[]): string {
  const group = `a=group:BUNDLE ${sections.map(midOf).join(" ")}`;
  const lines = session.map((line) => (line.startsWith("a=group:BUNDLE") ? group : line));
  return `${[...lines, ...sections.flat()].join("\r\n")}\r\n`;
}

/** The media sections of an SDP that client-sdp.ts has written, without the lines of the transport. */
export function mediaSections(sdp: string): SectionLines[] {
  return split(sdp)
    .sections.filter(isMedia)
    .map((section) => section.filter((line) => !TRANSPORT.test(line)));
}

/**
 * The SDP for the library: of the media sections the one that carries all, and the section of data. An answer of a
 * client, which receives, is given to the library as an offer. The agent that offers has the controlling role (RFC 8445
 * section 6.1.1), so that SDP is of a lite agent: the library controls such a one also when it answers.
 * @param sdp an SDP that client-sdp.ts has written
 * @param direction of the client
 */
export function carrierSdp(sdp: string, direction: "sendonly" | "recvonly"): string {
  const { session, sections } = split(sdp);
  const first = sections.find(isMedia);
  if (!first) return sdp;
  const carrier = [
    "m=video 9 UDP/TLS/RTP/SAVPF 96",
    "c=IN IP4 0.0.0.0",
    "a=rtcp-mux",
    `a=mid:${midOf(first)}`,
    `a=${direction}`,
    "a=rtpmap:96 VP8/90000",
    ...first.filter((line) => TRANSPORT.test(line)),
  ];
  const head = direction === "recvonly" ? [...session, "a=ice-lite"] : session;
  return join(head, [carrier, ...sections.filter((section) => !isMedia(section))]);
}

/** The section of an answer that receives what a section of an offer sends. */
function answered(offered: SectionLines): SectionLines {
  return offered
    .filter((line) => !line.startsWith("a=ssrc:"))
    .map((line) => (line === "a=sendonly" ? "a=recvonly" : line));
}

/**
 * The SDP for the client: the library's answer to {@link carrierSdp}, with the sections that the client has offered.
 * @param offer the offer that client-sdp.ts has written
 */
export function carriedAnswer(local: string, offer: string): string {
  const own = split(local);
  const data = own.sections.find((section) => !isMedia(section)) ?? [];
  const sections = split(offer).sections.map((section) =>
    isMedia(section) ? answered(section.filter((line) => !TRANSPORT.test(line))) : data,
  );
  return carried(own, sections);
}

/** The SDP for the client: the library's offer of one section, with all sections that are offered. */
export function carriedOffer(local: string, sections: SectionLines[]): string {
  return carried(split(local), sections);
}

/** Gives sections the transport of the library's section, and the candidates to the first one. */
function carried({ session, sections: own }: SplitSdp, sections: SectionLines[]): string {
  const carrier = own.find(isMedia);
  if (!carrier) return join(session, own);
  const port = carrier[0]?.split(" ")[1] ?? "9";
  const connection = carrier.find((line) => line.startsWith("c=")) ?? "c=IN IP4 0.0.0.0";
  const transport = carrier.filter((line) => TRANSPORT.test(line));
  const candidates = own.flat().filter((line) => CANDIDATE.test(line));
  const written = sections.map((section) => {
    if (!isMedia(section)) return section.filter((line) => !CANDIDATE.test(line));
    const [kind, , ...rest] = (section[0] ?? "").split(" ");
    const lines = section.slice(1).map((line) => (line.startsWith("c=") ? connection : line));
    return [[kind, port, ...rest].join(" "), ...lines, ...transport];
  });
  written[0]?.push(...candidates);
  return join(session, written);
}
