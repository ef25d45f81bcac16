import type { SignalboxError } from "../errors.ts";
import type { JoinConferenceMutation } from "../generated/operations.ts";
import { type LocalMedia, type MediaKind, stopTracks } from "../media/local-media.ts";
import type { MediaPlatform } from "../media/media-platform.ts";
import type { MediaPeerDeps, MembershipOperations } from "./media-peer.ts";
import { Publisher } from "./publisher.ts";
import type { MeasuredPeer } from "./stats.ts";
import { streamKey, type WatchedStream, Watcher } from "./watcher.ts";

/** What a {@link ConferenceMedia} needs of its conference. */
export interface MediaDeps {
  readonly platform: MediaPlatform;
  readonly membership: MembershipOperations;
  /** The microphone and the camera; null for one who only listens. */
  readonly local: LocalMedia | null;
  /** Whether all media goes through a TURN server. */
  readonly relayOnly: boolean;
  /** The own participant's id. */
  participantId(): string;
  allowsVideo(): boolean;
  onStreams(changed: readonly WatchedStream[]): void;
  onScreenEnded(): void;
  /** The service takes no media of this side, or sends none, and further attempts would not change that. */
  onRefused(error: SignalboxError): void;
}

type IceServers = JoinConferenceMutation["joinConference"]["iceServers"];

/** The peer connections of a participant: one for the own media, one for a screen, one for the media of all others. */
export class ConferenceMedia {
  readonly #deps: MediaDeps;
  readonly #peerDeps: MediaPeerDeps;
  readonly #main: Publisher | null;
  readonly #watcher: Watcher;
  #shared: { readonly stream: MediaStream; readonly publisher: Publisher } | null = null;
  #iceServers: RTCIceServer[] = [];
  #bitrate = 0;
  /** Whether the application has chosen the bitrate, which is then kept over a rejoin. */
  #hasOwnBitrate = false;
  #isClosed = false;

  constructor(deps: MediaDeps) {
    this.#deps = deps;
    const { platform, membership, local, relayOnly, allowsVideo, onStreams } = deps;
    const { RTCPeerConnection, MediaStream } = platform;
    this.#peerDeps = {
      membership,
      newConnection: () =>
        new RTCPeerConnection({
          iceServers: this.#iceServers,
          iceTransportPolicy: relayOnly ? "relay" : "all",
        }),
    };
    const newStream = (tracks: MediaStreamTrack[]) => new MediaStream(tracks);
    this.#watcher = new Watcher({ ...this.#peerDeps, newStream, onStreams });
    const bitrate = () => this.#bitrate;
    this.#main = local
      ? new Publisher(this.#peerDeps, {
          source: "MAIN",
          stream: local.stream,
          bitrate,
          allowsVideo,
        })
      : null;
    local?.on("track", ({ kind, track }) => this.#setTrack(kind, track));
  }

  get watcher(): Watcher {
    return this.#watcher;
  }

  /** The shared screen; null while none is shared. */
  get screen(): MediaStream | null {
    return this.#shared?.stream ?? null;
  }

  /** Opens all peer connections for a new membership. @param bitrate of the conference */
  start(iceServers: IceServers, bitrate: number): void {
    this.#iceServers = iceServers.map(({ urls, username, credential }) => ({
      urls,
      ...(username !== null && { username }),
      ...(credential !== null && { credential }),
    }));
    if (!this.#hasOwnBitrate) this.#bitrate = bitrate;
    this.reopen();
  }

  /** Opens all peer connections again, because the media server has lost them. */
  reopen(): void {
    const refused = (error: unknown) => this.#refused(error);
    if (this.#hasTracks()) this.#main?.open().catch(refused);
    this.#watcher.open().catch(refused);
    this.#shared?.publisher.reopen();
  }

  /** Opens the peer connection again that the media server has closed. */
  peerClosed(peerId: string): void {
    for (const each of this.#peers()) if (each.peer?.id === peerId) each.reopen();
  }

  /** The network has returned. */
  recover(): void {
    for (const each of this.#peers()) each.recover();
  }

  /** Limits the own video. @throws SignalboxError INVALID */
  async limit(bitrate: number): Promise<void> {
    // A bitrate that the service refuses changes nothing.
    await this.#main?.configure(bitrate);
    this.#bitrate = bitrate;
    this.#hasOwnBitrate = true;
    await this.#main?.limit();
  }

  /** Sends a screen until {@link stopScreen} or the browser's own button. @throws SignalboxError FULL and others */
  async shareScreen(stream: MediaStream): Promise<void> {
    this.stopScreen();
    if (this.#isClosed) return stopTracks(stream);
    const publisher = new Publisher(this.#peerDeps, {
      source: "SCREEN",
      stream,
      bitrate: () => this.#bitrate,
      allowsVideo: () => true,
    });
    const shared = { stream, publisher };
    this.#shared = shared;
    const stop = () => {
      if (this.#shared === shared) this.stopScreen();
    };
    stream.getVideoTracks()[0]?.addEventListener("ended", stop);
    try {
      await publisher.open();
    } catch (error) {
      stop();
      throw error;
    }
  }

  stopScreen(): void {
    const shared = this.#shared;
    if (!shared) return;
    this.#shared = null;
    stopTracks(shared.stream);
    shared.publisher.stop();
    this.#deps.onScreenEnded();
  }

  /** What statistics are read of. */
  measured(): MeasuredPeer[] {
    const me = this.#deps.participantId();
    const peers: MeasuredPeer[] = [
      { media: this.#watcher, keyOf: (mid) => this.#watcher.keyOf(mid) },
    ];
    if (this.#main) peers.push({ media: this.#main, keyOf: () => streamKey(me, "MAIN") });
    const screen = this.#shared?.publisher;
    if (screen) peers.push({ media: screen, keyOf: () => streamKey(me, "SCREEN") });
    return peers;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const each of this.#peers()) each.close();
    stopTracks(this.screen);
    this.#shared = null;
    this.#deps.local?.close();
  }

  #setTrack(kind: MediaKind, track: MediaStreamTrack | null): void {
    const main = this.#main;
    if (main && !main.peer && track) main.open().catch((error) => this.#refused(error));
    else main?.setTrack(kind, track).catch(() => main.reopen());
  }

  #refused(error: unknown): void {
    if (!this.#isClosed) this.#deps.onRefused(error as SignalboxError);
  }

  #hasTracks(): boolean {
    return (this.#deps.local?.stream.getTracks().length ?? 0) > 0;
  }

  #peers(): (Publisher | Watcher)[] {
    const peers = [this.#main, this.#watcher, this.#shared?.publisher];
    return peers.filter((each) => each !== null && each !== undefined);
  }
}
