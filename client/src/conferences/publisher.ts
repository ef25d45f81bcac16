import {
  type ConferenceMediaSource,
  ConfigureConferencePeerDocument,
  PublishConferenceMediaDocument,
  RestartConferencePeerDocument,
} from "../generated/operations.ts";
import { limitVideo } from "../media/limit-video.ts";
import type { MediaKind } from "../media/local-media.ts";
import type { ConferencePeer } from "./conference-peer.ts";
import { MediaPeer, type MediaPeerDeps } from "./media-peer.ts";

/** What a {@link Publisher} sends. */
export interface PublishedMedia {
  readonly source: ConferenceMediaSource;
  readonly stream: MediaStream;
  /** Maximum bitrate of the video, in bits per second. */
  bitrate(): number;
  /** Whether the conference takes video. */
  allowsVideo(): boolean;
}

/** The peer connection that sends the microphone and the camera, or a screen. */
export class Publisher extends MediaPeer {
  readonly #media: PublishedMedia;

  constructor(deps: MediaPeerDeps, media: PublishedMedia) {
    super(deps);
    this.#media = media;
  }

  /** Sends another track of a kind, or none. */
  async setTrack(kind: MediaKind, track: MediaStreamTrack | null): Promise<void> {
    const { peer } = this;
    if (!peer) return;
    const transceiver = peer.connection
      .getTransceivers()
      .find(({ receiver }) => receiver.track.kind === kind);
    if (transceiver) await transceiver.sender.replaceTrack(track);
    else if (track) this.reopen();
  }

  /** Tells the media server another bitrate. @throws SignalboxError INVALID and others */
  async configure(bitrate: number): Promise<void> {
    const peerId = this.peer?.id;
    if (!peerId) return;
    await this.deps.membership.run(ConfigureConferencePeerDocument, { peerId, bitrate });
  }

  /** Applies the bitrate to what is sent. */
  async limit(): Promise<void> {
    if (this.peer) await limitVideo(this.peer.connection, this.#media.bitrate());
  }

  /** Stops sending, and tells the media server. */
  stop(): void {
    const id = this.peer?.id;
    this.close();
    if (id) this.forget(id);
  }

  protected async negotiate(peer: ConferencePeer): Promise<void> {
    const { source, stream } = this.#media;
    const { connection } = peer;
    for (const track of stream.getTracks()) {
      if (track.kind === "audio" || this.#media.allowsVideo()) connection.addTrack(track, stream);
    }
    const offer = await peer.offer();
    const { membership } = this.deps;
    const { publishConferenceMedia: published } = await peer.step(
      membership.run(PublishConferenceMediaDocument, { source, offer }),
    );
    peer.identify(published.peerId);
    await peer.accept(published.answer);
    await peer.step(limitVideo(connection, this.#media.bitrate()));
  }

  protected async restart(peer: ConferencePeer): Promise<boolean> {
    if (!peer.id) return false;
    peer.connection.restartIce();
    const offer = await peer.offer();
    const { restartConferencePeer: restarted } = await peer.step(
      this.deps.membership.run(RestartConferencePeerDocument, { peerId: peer.id, offer }),
    );
    // A new connection of the media server cannot take the keys of the present one.
    if (restarted.replaced) return false;
    await peer.accept(restarted.sdp);
    return true;
  }
}
