import { Fault } from "../../../../../core/errors";
import { SDP_MAX } from "../../engine";

/** Maximum number of lines of an SDP. */
export const SDP_LINES_MAX = 4_000;
/** Maximum length of a line that is passed on, in characters. */
const LINE_MAX = 512;

/** A media section (RFC 8866 section 5.14), or the lines before the first one. */
export interface SdpSection {
  /** The `m=` line in parts; empty before the first section. */
  media: string[];
  /** The other lines, without line ends. */
  lines: string[];
}

/** An SDP as it was received. */
export interface ParsedSdp {
  session: SdpSection;
  sections: SdpSection[];
}

const invalid = (message: string) => Fault.field("sdp", message);

/**
 * Splits an SDP into sections. Lines that are too long to be needed are dropped.
 * @param sectionsMax maximum number of media sections
 * @throws Fault TOO_LARGE, INVALID on `sdp`
 */
export function parseSdp(text: string, sectionsMax: number): ParsedSdp {
  if (text.length > SDP_MAX || Buffer.byteLength(text) > SDP_MAX) {
    const message = `is too large (maximum is ${SDP_MAX} bytes)`;
    throw new Fault("TOO_LARGE", `sdp ${message}`, { sdp: [message] });
  }
  const lines = text.split("\n", SDP_LINES_MAX + 1);
  if (lines.length > SDP_LINES_MAX) throw invalid(`has more than ${SDP_LINES_MAX} lines`);
  const session: SdpSection = { media: [], lines: [] };
  const sections: SdpSection[] = [];
  let current = session;
  for (const line of lines) {
    const trimmed = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (trimmed.startsWith("m=")) {
      if (sections.length === sectionsMax) {
        throw invalid(`has more than ${sectionsMax} media sections`);
      }
      // An m-line lists some dozens of payload types at most.
      current = { media: trimmed.slice(2, 2 + LINE_MAX).split(" "), lines: [] };
      sections.push(current);
    } else if (trimmed.length <= LINE_MAX) current.lines.push(trimmed);
  }
  if (session.lines[0] !== "v=0") throw invalid("does not begin with v=0");
  if (sections.length === 0) throw invalid("has no media section");
  return { session, sections };
}

/** The values of the attributes `a=name:value` of a section. */
export function attributes(section: SdpSection, name: string): string[] {
  const prefix = `a=${name}:`;
  return section.lines
    .filter((line) => line.startsWith(prefix))
    .map((line) => line.slice(prefix.length));
}

/** A value of an attribute, of the section or else of the session. */
export function attributeOf(sdp: ParsedSdp, section: SdpSection, name: string): string | undefined {
  return attributes(section, name)[0] ?? attributes(sdp.session, name)[0];
}

/** The `mid` of a section. @throws Fault INVALID on `sdp` */
export function midOf(section: SdpSection): string {
  const mid = attributes(section, "mid")[0] ?? "";
  if (!/^[A-Za-z0-9_.-]{1,32}$/.test(mid)) {
    throw invalid("has a media section without a=mid of 1 to 32 letters, digits, _, . or -");
  }
  return mid;
}

/** Whether a section is refused: its port is 0 and it is not bundled with another one (RFC 8843 section 6). */
export function isRefused(section: SdpSection): boolean {
  return section.media[1] === "0" && !section.lines.includes("a=bundle-only");
}

const FINGERPRINT = /^(sha-256|sha-384|sha-512) ((?:[0-9A-Fa-f]{2}:){31,63}[0-9A-Fa-f]{2})$/;
const SETUP = ["actpass", "active", "passive"];

/**
 * The lines by which ICE and DTLS connect: fingerprint, setup, user fragment and password. Candidates of the client
 * are left out on purpose: the SFU answers the checks of a client and never sends to an address that an SDP names, so
 * that nobody can direct its packets into the operator's network.
 * @throws Fault INVALID on `sdp` if one is missing
 */
export function transportLines(sdp: ParsedSdp, section: SdpSection): string[] {
  const fingerprint = attributeOf(sdp, section, "fingerprint") ?? "";
  if (!FINGERPRINT.test(fingerprint)) {
    throw invalid("has no a=fingerprint with sha-256: use the SDP of a real RTCPeerConnection");
  }
  const ufrag = attributeOf(sdp, section, "ice-ufrag") ?? "";
  const password = attributeOf(sdp, section, "ice-pwd") ?? "";
  if (!/^[A-Za-z0-9+/]{4,256}$/.test(ufrag)) throw invalid("has no valid a=ice-ufrag");
  if (!/^[A-Za-z0-9+/]{22,256}$/.test(password)) throw invalid("has no valid a=ice-pwd");
  const setup = attributeOf(sdp, section, "setup") ?? "";
  if (!SETUP.includes(setup)) throw invalid("has no valid a=setup");
  return [
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${password}`,
    `a=fingerprint:${fingerprint}`,
    `a=setup:${setup}`,
  ];
}
