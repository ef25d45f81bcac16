import { Fault } from "../../../../../core/errors";
import {
  attributes,
  isRefused,
  midOf,
  parseSdp,
  type SdpSection,
  transportLines,
} from "./sdp-section";

/** Maximum number of media sections of a publisher's offer: audio, video, data, and refused ones. */
export const OFFER_SECTIONS_MAX = 8;

/** The media of a publisher's offer. */
export interface PublisherOffer {
  /** The offer as the SFU uses it. */
  sdp: string;
  audio: { mid: string } | null;
  video: { mid: string } | null;
}

/** The codec of each kind that the SFU forwards, and the feedback that it understands. */
const CODECS = {
  audio: { name: /^opus\/48000\/2$/i, label: "Opus", feedback: /^$/ },
  video: {
    name: /^VP8\/90000$/i,
    label: "VP8",
    feedback: /^(nack|nack pli|ccm fir|goog-remb)$/,
  },
};

const invalid = (message: string) => Fault.field("sdp", message);

/** Payload type and lines of the codec that is forwarded. @throws Fault INVALID on `sdp` */
function codecLines(section: SdpSection, kind: "audio" | "video"): [type: string, lines: string[]] {
  const codec = CODECS[kind];
  for (const map of attributes(section, "rtpmap")) {
    const space = map.indexOf(" ");
    const type = map.slice(0, space);
    if (!/^\d{1,3}$/.test(type) || Number(type) > 127 || !codec.name.test(map.slice(space + 1))) {
      continue;
    }
    const own = (name: string) =>
      attributes(section, name)
        .filter((value) => value.startsWith(`${type} `))
        .map((value) => value.slice(type.length + 1));
    return [
      type,
      [
        `a=rtpmap:${type} ${map.slice(space + 1)}`,
        ...own("fmtp")
          .filter((value) => /^[A-Za-z0-9=;. -]{1,256}$/.test(value))
          .slice(0, 1)
          .map((value) => `a=fmtp:${type} ${value}`),
        ...own("rtcp-fb")
          .filter((value) => codec.feedback.test(value))
          .slice(0, 8)
          .map((value) => `a=rtcp-fb:${type} ${value}`),
      ],
    ];
  }
  throw invalid(`offers no ${codec.label} for ${kind}`);
}

/**
 * The first stream of a section. Others are retransmissions or layers, which are not negotiated.
 * @throws Fault INVALID on `sdp` for layers that are told apart only by RID (RFC 8852), of which nothing would arrive
 */
function streamLines(section: SdpSection): string[] {
  for (const value of attributes(section, "ssrc")) {
    const ssrc = value.slice(0, value.indexOf(" "));
    if (/^\d{1,10}$/.test(ssrc)) return [`a=ssrc:${Number(ssrc) >>> 0} cname:client`];
  }
  if (attributes(section, "simulcast").length > 0) {
    throw invalid("offers simulcast, which this media server does not forward: offer one encoding");
  }
  return [];
}

const sends = (section: SdpSection) =>
  !section.lines.includes("a=recvonly") && !section.lines.includes("a=inactive");

/** The beginning of an SDP with the sections of a bundle. */
const head = (mids: string[]) => [
  "v=0",
  "o=- 1 1 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  `a=group:BUNDLE ${mids.join(" ")}`,
  "a=msid-semantic:WMS *",
];

const join = (lines: string[]) => `${lines.join("\r\n")}\r\n`;

/** Addresses come only from the checks of ICE. */
const CONNECTION = "c=IN IP4 0.0.0.0";
const COMMON = [CONNECTION, "a=rtcp-mux"];

/**
 * Reads a publisher's offer, and writes the one that the SFU answers: at most one section with Opus, one with VP8 and
 * one for data, of lines that are known. Legacy clients offer a data section, even without media.
 * @throws Fault TOO_LARGE, INVALID on `sdp`
 */
export function readPublisherOffer(text: string): PublisherOffer {
  const sdp = parseSdp(text, OFFER_SECTIONS_MAX);
  const found: PublisherOffer = { sdp: "", audio: null, video: null };
  const mids: string[] = [];
  const lines: string[] = [];
  let data = false;
  for (const section of sdp.sections) {
    const [kind = ""] = section.media;
    const mid = midOf(section);
    if (mids.includes(mid)) throw invalid("has two media sections with one a=mid");
    if (isRefused(section)) throw invalid("has a refused media section: use a new peer connection");
    mids.push(mid);
    if (kind === "audio" || kind === "video") {
      if (found[kind]) throw invalid(`has more than one ${kind} section`);
      found[kind] = { mid };
      const [type, codec] = codecLines(section, kind);
      lines.push(`m=${kind} 9 UDP/TLS/RTP/SAVPF ${type}`, ...COMMON, `a=mid:${mid}`);
      lines.push(sends(section) ? "a=sendonly" : "a=inactive");
      lines.push(...codec, ...streamLines(section));
    } else if (kind === "application") {
      if (data) throw invalid("has more than one data section");
      data = true;
      lines.push("m=application 9 UDP/DTLS/SCTP webrtc-datachannel", CONNECTION);
      lines.push(`a=mid:${mid}`, "a=sctp-port:5000", "a=max-message-size:16384");
    } else throw invalid("has a media section that is neither audio, video nor application");
    lines.push(...transportLines(sdp, section));
  }
  found.sdp = join([...head(mids), ...lines]);
  return found;
}

/**
 * Reads a watching client's answer, and writes the one that the SFU uses.
 * @param offered the sections of the offer, in order
 * @throws Fault TOO_LARGE, INVALID on `sdp`
 */
export function readWatcherAnswer(
  text: string,
  offered: ReadonlyArray<{ mid: string; kind: "audio" | "video"; payloadType: number }>,
): string {
  const sdp = parseSdp(text, offered.length);
  if (sdp.sections.length < offered.length) {
    throw invalid(`has ${sdp.sections.length} media sections, the offer has ${offered.length}`);
  }
  const lines: string[] = [];
  for (const [index, { mid, kind, payloadType }] of offered.entries()) {
    const section = sdp.sections[index] as SdpSection;
    if (section.media[0] !== kind || midOf(section) !== mid) {
      throw invalid(`does not answer section ${mid} of the offer`);
    }
    if (isRefused(section)) throw invalid(`refuses section ${mid} of the offer`);
    const [type, codec] = codecLines(section, kind);
    if (type !== String(payloadType)) throw invalid(`changes the codec of section ${mid}`);
    lines.push(`m=${kind} 9 UDP/TLS/RTP/SAVPF ${type}`, ...COMMON, `a=mid:${mid}`, "a=recvonly");
    lines.push(...codec, ...transportLines(sdp, section));
  }
  const mids = offered.map(({ mid }) => mid);
  return join([...head(mids), ...lines]);
}
