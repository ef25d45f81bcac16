/** Limits the video that a peer connection sends. @param bitrate in bits per second; null for no limit */
export async function limitVideo(
  connection: RTCPeerConnection,
  bitrate: number | null,
): Promise<void> {
  for (const sender of connection.getSenders()) {
    const parameters = sender.getParameters();
    if (sender.track?.kind !== "video" || !parameters.encodings[0]) continue;
    if (bitrate === null) delete parameters.encodings[0].maxBitrate;
    else parameters.encodings[0].maxBitrate = bitrate;
    await sender.setParameters(parameters);
  }
}
