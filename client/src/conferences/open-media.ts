import { SignalboxError } from "../errors.ts";
import { LocalMedia } from "../media/local-media.ts";
import type { MediaPlatform } from "../media/media-platform.ts";
import type { JoinOptions } from "./conference-types.ts";

/**
 * Opens what a participant sends; before the seat is taken, so that a refusal of the user costs none.
 * @returns null to send nothing
 * @throws SignalboxError PERMISSION_DENIED, DEVICE_NOT_FOUND, DEVICE_IN_USE; UNSUPPORTED without media objects
 */
export async function openParticipantMedia(
  platform: MediaPlatform | null,
  { audio = true, video = false, stream, listen = false }: JoinOptions,
): Promise<LocalMedia | null> {
  if (listen || (!stream && !audio && !video)) return null;
  if (!platform) {
    throw new SignalboxError("UNSUPPORTED", "This page has no WebRTC: it needs a browser and TLS");
  }
  return stream
    ? new LocalMedia(platform, stream, false)
    : LocalMedia.open(platform, { audio, video });
}
