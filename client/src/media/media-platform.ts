import { SignalboxError, type SignalboxErrorCode } from "../errors.ts";

/** The media objects of the platform. A browser has them; React Native and Node.js get them from packages. */
export interface MediaPlatform {
  readonly RTCPeerConnection: typeof RTCPeerConnection;
  readonly MediaStream: typeof MediaStream;
  readonly mediaDevices: MediaDevices;
}

/**
 * The media objects of the browser that runs this.
 *
 * @example
 * ```ts
 * import { browserMedia, createSignalbox, sessionFromUrl } from "@signalbox/client";
 *
 * const media = browserMedia();
 * if (!media) console.log("This page can take no calls");
 * const { close } = createSignalbox({
 *   url: "http://127.0.0.1:4000",
 *   session: sessionFromUrl("/session"),
 *   media,
 * });
 * close();
 * ```
 * @returns null if it has none, such as on a page without TLS
 */
export function browserMedia(): MediaPlatform | null {
  const { RTCPeerConnection, MediaStream, navigator } = globalThis;
  const mediaDevices = navigator?.mediaDevices as MediaDevices | undefined;
  if (!RTCPeerConnection || !MediaStream || !mediaDevices?.getUserMedia) return null;
  return { RTCPeerConnection, MediaStream, mediaDevices };
}

/** Codes of the errors of getUserMedia and getDisplayMedia (Media Capture and Streams, section 10.2). */
const CODES: Record<string, [SignalboxErrorCode, string]> = {
  NotAllowedError: [
    "PERMISSION_DENIED",
    "The microphone, the camera or the screen may not be used",
  ],
  SecurityError: ["PERMISSION_DENIED", "The microphone, the camera or the screen may not be used"],
  NotFoundError: ["DEVICE_NOT_FOUND", "There is no such microphone or camera"],
  OverconstrainedError: ["DEVICE_NOT_FOUND", "There is no such microphone or camera"],
  NotReadableError: ["DEVICE_IN_USE", "Another program uses the microphone or the camera"],
};

/** The error of a device that could not be opened. */
export function mediaError(cause: unknown): SignalboxError {
  const { name = "", message = String(cause) } = (cause ?? {}) as Partial<Error>;
  const [code, text] = CODES[name] ?? ["DEVICE_IN_USE", message];
  return new SignalboxError(code, text, { cause });
}
