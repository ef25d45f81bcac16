import { Emitter } from "../emitter.ts";
import { type CaptureOptions, LocalMedia, type MediaKind } from "../media/local-media.ts";
import type { MediaPlatform } from "../media/media-platform.ts";

/** Events of {@link CallMedia}. */
export interface CallMediaEvents {
  /** Anything that a page shows has changed. */
  change: undefined;
  /** Another track is sent. */
  track: { readonly kind: MediaKind; readonly track: MediaStreamTrack | null };
  /** The others get nothing of a kind any more, or something again. */
  silent: { readonly kind: MediaKind; readonly silent: boolean };
  deviceLost: { readonly kind: MediaKind };
}

const KINDS = ["audio", "video"] as const;

/** The own media of a call, from before it is open until after the call. */
export class CallMedia extends Emitter<CallMediaEvents> {
  readonly #platform: MediaPlatform;
  readonly #video: boolean;
  #local: LocalMedia | null = null;
  #closed = false;
  /** What the user has muted, also before the media is open. */
  readonly #muted = { audio: false, video: false };
  /** What the others know. */
  readonly #told = { audio: false, video: false };

  /** @param video whether the call has video */
  constructor(platform: MediaPlatform, video: boolean) {
    super();
    this.#platform = platform;
    this.#video = video;
  }

  /** The open media; null before and after. */
  get local(): LocalMedia | null {
    return this.#closed ? null : this.#local;
  }

  /** The own microphone and camera; null before they are open. */
  get stream(): MediaStream | null {
    return this.#local?.stream ?? null;
  }

  /** The shared screen; null while none is shared. */
  get screen(): MediaStream | null {
    return this.#local?.screen ?? null;
  }

  isMuted(kind: MediaKind): boolean {
    return this.#local?.isMuted(kind) ?? this.#muted[kind];
  }

  /** Whether the others get nothing of a kind. A shared screen takes the place of a camera that is muted. */
  isSilent(kind: MediaKind): boolean {
    if (kind === "video" && !this.#video) return false;
    return kind === "video" && this.screen ? false : this.isMuted(kind);
  }

  setMuted(kind: MediaKind, muted: boolean): void {
    this.#muted[kind] = muted;
    this.#local?.setMuted(kind, muted);
    this.#tell();
    this.emit("change", undefined);
  }

  /**
   * Captures what the call needs. @param media what to capture, or a stream of the application's own
   * @throws SignalboxError PERMISSION_DENIED and others of the devices
   */
  async open(media: CaptureOptions | MediaStream): Promise<void> {
    const platform = this.#platform;
    const opened =
      media instanceof platform.MediaStream
        ? new LocalMedia(platform, media, false)
        : await LocalMedia.open(platform, { video: this.#video, ...media });
    if (this.#closed) return opened.close();
    this.#local = opened;
    for (const kind of KINDS) {
      if (this.#muted[kind]) opened.setMuted(kind, true);
      // A device that joins later is told then.
      this.#told[kind] = this.isSilent(kind);
    }
    opened.on("track", (change) => {
      this.emit("track", change);
      this.#tell();
      this.emit("change", undefined);
    });
    opened.on("deviceLost", (lost) => this.emit("deviceLost", lost));
    this.emit("change", undefined);
  }

  /** Stops all that was captured here. */
  close(): void {
    this.#closed = true;
    this.#local?.close();
    this.removeListeners();
  }

  #tell(): void {
    for (const kind of KINDS) {
      const silent = this.isSilent(kind);
      if (this.#told[kind] === silent) continue;
      this.#told[kind] = silent;
      this.emit("silent", { kind, silent });
    }
  }
}
