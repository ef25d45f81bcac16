import { type MediaPlatform, mediaError } from "./media-platform.ts";

/**
 * Asks the user for a screen, a window or a tab.
 * @param audio whether its sound is wanted too; browsers without it send none
 * @throws SignalboxError PERMISSION_DENIED when the user cancels
 */
export async function captureScreen(
  { mediaDevices }: MediaPlatform,
  audio: boolean,
): Promise<MediaStream> {
  try {
    return await mediaDevices.getDisplayMedia({ video: true, audio });
  } catch (error) {
    throw mediaError(error);
  }
}
