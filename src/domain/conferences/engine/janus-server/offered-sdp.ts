import { Fault } from "../../../../core/errors";
import { SDP_MAX } from "../engine";
import { unusableSdp } from "./connection/janus-faults";

/** Maximum number of media sections that a publisher offers: audio, video and data. */
const PUBLISHED_SECTIONS_MAX = 3;
/** Maximum number of media sections of a watching peer, with those that carry nothing any more. */
const WATCHED_SECTIONS_MAX = 256;

/** Checks what can be checked before Janus parses it. @throws Fault INVALID or TOO_LARGE on `sdp` */
function checkSdp(sdp: string, sectionsMax: number): void {
  if (sdp.length > SDP_MAX) {
    const text = `must have at most ${SDP_MAX} characters`;
    throw new Fault("TOO_LARGE", `sdp ${text}`, { sdp: [text] });
  }
  const plausible =
    sdp.startsWith("v=0") &&
    !sdp.includes("\0") &&
    sdp.includes("a=fingerprint:") &&
    sdp.includes("a=ice-ufrag:");
  if (!plausible) throw unusableSdp();
  const sections = sdp.split("\nm=").length - 1;
  if (sections === 0 || sections > sectionsMax) throw unusableSdp();
}

/** The fingerprint of a session description, which tells one peer connection of a client from another. */
export function fingerprintOf(sdp: string): string {
  const [, rest = ""] = sdp.split("a=fingerprint:", 2);
  return rest.split(/[\r\n]/, 1)[0]?.trim() ?? "";
}

/** Checks the answer of a watching client. @throws Fault INVALID on `sdp` */
export function checkAnswer(sdp: string): void {
  checkSdp(sdp, WATCHED_SECTIONS_MAX);
}

/**
 * The offer of a publisher for a room. Where video is not allowed its sections are rejected (port 0), because the
 * VideoRoom plugin has no rooms without video.
 * @throws Fault INVALID on `sdp`
 */
export function offerFor(room: { video: boolean }, sdp: string): string {
  checkSdp(sdp, PUBLISHED_SECTIONS_MAX);
  for (const kind of ["audio", "video"]) {
    if (sdp.split(`\nm=${kind} `).length > 2) throw unusableSdp();
  }
  if (room.video) return sdp;
  const [session = "", ...sections] = sdp.split("\nm=");
  const rejected = new Set<string>();
  const changed = sections.map((section) => {
    if (!section.startsWith("video ")) return section;
    const mid = section.split("\na=mid:", 2)[1]?.split(/[\r\n]/, 1)[0];
    if (mid !== undefined) rejected.add(mid);
    return section.replace(/^video \d+/, "video 0");
  });
  const lines = session.split("\n").map((line) => {
    if (!line.startsWith("a=group:BUNDLE")) return line;
    const end = line.endsWith("\r") ? "\r" : "";
    const mids = line.trimEnd().split(" ");
    return mids.filter((mid) => !rejected.has(mid)).join(" ") + end;
  });
  return [lines.join("\n"), ...changed].join("\nm=");
}
