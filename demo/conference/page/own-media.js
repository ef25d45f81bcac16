/** The stream that a member publishes, whichever protocol carries it. */

/**
 * Mutes or unmutes a kind of media; its sender goes on with silence or black frames.
 * @param {MediaStream} stream @param {"audio" | "video"} kind @param {boolean} muted
 */
export function setMuted(stream, kind, muted) {
  for (const track of stream.getTracks()) if (track.kind === kind) track.enabled = !muted;
}

/**
 * Puts another camera or microphone in place of the present one, without a new offer.
 * @param {MediaStream} stream @param {RTCPeerConnection | undefined} connection @param {MediaStreamTrack} track
 */
export async function exchangeTrack(stream, connection, track) {
  const old = stream.getTracks().find(({ kind }) => kind === track.kind);
  const sender = connection?.getSenders().find((each) => each.track?.kind === track.kind);
  track.enabled = old?.enabled ?? true;
  // A shared screen may have taken the sender of the camera.
  if (sender?.track === old) await sender?.replaceTrack(track);
  if (old) stream.removeTrack(old);
  old?.stop();
  stream.addTrack(track);
}

/** Limits the video that is sent. @param {RTCPeerConnection} connection @param {number} bitrate in bits per second */
export async function capVideo(connection, bitrate) {
  for (const sender of connection.getSenders()) {
    const parameters = sender.getParameters();
    if (sender.track?.kind !== "video" || !parameters.encodings[0]) continue;
    parameters.encodings[0].maxBitrate = bitrate;
    await sender.setParameters(parameters);
  }
}

/** Stops all tracks. @param {(MediaStream | null)[]} streams */
export function stopStreams(...streams) {
  for (const stream of streams) for (const track of stream?.getTracks() ?? []) track.stop();
}
