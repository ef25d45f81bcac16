import { Emitter } from "../emitter.ts";
import { SignalboxError } from "../errors.ts";
import { type MediaPlatform, mediaError } from "./media-platform.ts";
import { captureScreen } from "./screen.ts";

/** Microphone or camera. */
export type MediaKind = "audio" | "video";

/** What is captured: `true` for the default device, or the constraints of getUserMedia. */
export interface CaptureOptions {
  audio?: boolean | MediaTrackConstraints | undefined;
  video?: boolean | MediaTrackConstraints | undefined;
}

/** Events of {@link LocalMedia}. */
export interface LocalMediaEvents {
  /** The track that is sent for a kind is another one; null if there is none. */
  track: { readonly kind: MediaKind; readonly track: MediaStreamTrack | null };
  /** A device was unplugged, and no other one of its kind took its place. */
  deviceLost: { readonly kind: MediaKind };
  /** The screen is not shared any more: by {@link LocalMedia.stopScreen}, or by the browser's own button. */
  screenEnded: undefined;
}

/**
 * The microphone, the camera and the screen of a call or conference. Calls and conferences open their own; a page that
 * does more with the devices may open it itself.
 *
 * @example
 * ```ts
 * import { browserMedia, LocalMedia } from "@signalbox/client";
 *
 * const platform = browserMedia();
 * if (platform) {
 *   const media = await LocalMedia.open(platform, { audio: true, video: true });
 *   media.setMuted("audio", true);
 *   console.log(media.stream.getTracks().length, "tracks");
 *   media.close();
 * }
 * ```
 */
export class LocalMedia extends Emitter<LocalMediaEvents> {
  readonly #platform: MediaPlatform;
  /** The microphone and the camera, or what the application gave instead. */
  readonly stream: MediaStream;
  /** The tracks that were captured here: only these are replaced when their device is lost, and stopped at the end. */
  readonly #own: Set<MediaStreamTrack>;
  readonly #muted = { audio: false, video: false };
  /** `enabled` of the application's tracks before they were muted here. */
  readonly #enabled = new Map<MediaStreamTrack, boolean>();
  readonly #requested: CaptureOptions;
  #screen: MediaStream | null = null;
  #closed = false;

  /**
   * @param isOwn whether the stream was opened here, and so ends with this
   * @param requested what was captured; other devices are opened with the same constraints
   */
  constructor(
    platform: MediaPlatform,
    stream: MediaStream,
    isOwn: boolean,
    requested: CaptureOptions = {},
  ) {
    super();
    this.#platform = platform;
    this.stream = stream;
    this.#requested = requested;
    const tracks = stream.getTracks();
    this.#own = new Set(isOwn ? tracks : []);
    for (const track of tracks) this.#follow(track);
    for (const kind of ["audio", "video"] as const) {
      this.#muted[kind] = this.#captured(kind)?.enabled === false;
    }
  }

  /**
   * Opens the microphone and, for video, the camera. Without a camera, only the microphone.
   * @throws SignalboxError PERMISSION_DENIED, DEVICE_NOT_FOUND, DEVICE_IN_USE
   */
  static async open(
    platform: MediaPlatform,
    { audio = true, video = false }: CaptureOptions,
  ): Promise<LocalMedia> {
    const { mediaDevices } = platform;
    try {
      const stream = await mediaDevices.getUserMedia({ audio, video }).catch((error) => {
        if (!video || !audio || (error as Error).name !== "NotFoundError") throw error;
        return mediaDevices.getUserMedia({ audio, video: false });
      });
      return new LocalMedia(platform, stream, true, { audio, video });
    } catch (error) {
      throw mediaError(error);
    }
  }

  /** The stream of the shared screen; null while none is shared. */
  get screen(): MediaStream | null {
    return this.#screen;
  }

  /** Whether a kind is muted, or was never captured. */
  isMuted(kind: MediaKind): boolean {
    return this.#muted[kind] || this.#captured(kind) === null;
  }

  /** The track to send for a kind: the screen takes the place of the camera. */
  track(kind: MediaKind): MediaStreamTrack | null {
    if (kind === "video") {
      const [screen] = this.#screen?.getVideoTracks() ?? [];
      if (screen) return screen;
    }
    return this.#captured(kind);
  }

  /** Mutes or unmutes; silence or black frames are sent in place of the media. */
  setMuted(kind: MediaKind, muted: boolean): void {
    this.#muted[kind] = muted;
    const track = this.#captured(kind);
    if (!track) return;
    if (!this.#own.has(track) && !this.#enabled.has(track)) {
      this.#enabled.set(track, track.enabled);
    }
    track.enabled = !muted;
  }

  /**
   * Captures another microphone or camera, with the constraints that were asked for at first.
   * @param deviceId of `enumerateDevices`, or `default`
   * @throws SignalboxError DEVICE_NOT_FOUND and others of {@link LocalMedia.open}
   */
  async useDevice(kind: MediaKind, deviceId: string): Promise<void> {
    const requested = this.#requested[kind];
    // What has chosen the first device may exclude this one.
    const {
      deviceId: first,
      groupId,
      facingMode,
      ...kept
    } = typeof requested === "object" ? requested : ({} as MediaTrackConstraints);
    const device = deviceId === "default" ? kept : { ...kept, deviceId: { exact: deviceId } };
    let stream: MediaStream;
    try {
      stream = await this.#platform.mediaDevices.getUserMedia({ [kind]: device });
    } catch (error) {
      throw mediaError(error);
    }
    const [track] = stream.getTracks();
    if (!track) throw new SignalboxError("DEVICE_NOT_FOUND", "The device has no track");
    if (this.#closed) return track.stop();
    this.#own.add(track);
    this.#exchange(kind, track);
  }

  /**
   * Shares a screen in place of the camera, until {@link stopScreen} or the browser's own button.
   * @param given a stream that was captured already
   * @throws SignalboxError PERMISSION_DENIED
   */
  async shareScreen(given?: MediaStream): Promise<MediaStream> {
    const screen = given ?? (await captureScreen(this.#platform, false));
    if (this.#closed) {
      stopTracks(screen);
      return screen;
    }
    stopTracks(this.#screen);
    this.#screen = screen;
    const [track] = screen.getVideoTracks();
    track?.addEventListener("ended", () => this.#screen === screen && this.stopScreen());
    this.emit("track", { kind: "video", track: this.track("video") });
    return screen;
  }

  /** Sends the camera again. */
  stopScreen(): void {
    if (!this.#screen) return;
    stopTracks(this.#screen);
    this.#screen = null;
    this.emit("track", { kind: "video", track: this.track("video") });
    this.emit("screenEnded", undefined);
  }

  /** Stops all that was captured here, and unmutes the application's tracks that were muted here. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    stopTracks(this.#screen);
    this.#screen = null;
    for (const track of this.#own) track.stop();
    for (const [track, enabled] of this.#enabled) track.enabled = enabled;
    this.removeListeners();
  }

  #captured(kind: MediaKind): MediaStreamTrack | null {
    return this.stream.getTracks().find((track) => track.kind === kind) ?? null;
  }

  #exchange(kind: MediaKind, track: MediaStreamTrack | null): void {
    const old = this.#captured(kind);
    if (old) {
      this.stream.removeTrack(old);
      old.stop();
      this.#own.delete(old);
    }
    if (track) {
      track.enabled = !this.#muted[kind];
      this.stream.addTrack(track);
      this.#follow(track);
    }
    this.emit("track", { kind, track: this.track(kind) });
  }

  /**
   * A device that is unplugged ends its track: the default device takes its place. The application's own track may be
   * no device, such as a file, so nothing takes its place that the user has not agreed to.
   */
  #follow(track: MediaStreamTrack): void {
    const kind = track.kind as MediaKind;
    track.addEventListener("ended", () => {
      if (this.#closed || this.#captured(kind) !== track) return;
      const lost = () => {
        if (this.#closed) return;
        this.#exchange(kind, null);
        this.emit("deviceLost", { kind });
      };
      if (this.#own.has(track)) this.useDevice(kind, "default").catch(lost);
      else lost();
    });
  }
}

/** Stops all tracks of a stream. */
export function stopTracks(stream: MediaStream | null): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}
