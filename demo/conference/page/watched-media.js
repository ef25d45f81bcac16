/** @import { Section } from "./conference-types.js" */

/**
 * Assigns the tracks of a watching peer connection to members. A stream whose tracks have not changed stays the same
 * object, so that its video element goes on.
 * @param {RTCPeerConnection} connection
 * @param {Section[]} sections
 * @param {Map<string, MediaStream>} media by `${memberId}/${source}`; changed in place
 */
export function assignTracks(connection, sections, media) {
  /** @type {Map<string, MediaStreamTrack[]>} */
  const found = new Map();
  for (const { mid, memberId, source } of sections) {
    const track = connection.getTransceivers().find((each) => each.mid === mid)?.receiver.track;
    if (!track || !memberId) continue;
    const key = `${memberId}/${source}`;
    found.set(key, [...(found.get(key) ?? []), track]);
  }
  for (const key of [...media.keys()]) if (!found.has(key)) media.delete(key);
  for (const [key, tracks] of found) {
    const known = media.get(key)?.getTracks() ?? [];
    const isSame = known.length === tracks.length && tracks.every((each) => known.includes(each));
    if (!isSame) media.set(key, new MediaStream(tracks));
  }
}
