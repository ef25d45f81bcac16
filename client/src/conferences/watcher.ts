import {
  AnswerConferencePeerDocument,
  type ConferenceMediaSource,
  ConfigureConferencePeerDocument,
  RestartConferencePeerDocument,
  type StreamFieldsFragment,
  WatchConferenceDocument,
} from "../generated/operations.ts";
import type { ConferencePeer } from "./conference-peer.ts";
import { MediaPeer, type MediaPeerDeps } from "./media-peer.ts";

/** What is received of a participant's camera: whether at all, and which simulcast layer. */
interface Reception {
  send?: boolean;
  layer?: number;
}

/** The media of one source of a participant. */
export interface WatchedStream {
  readonly participantId: string;
  readonly source: ConferenceMediaSource;
  readonly stream: MediaStream;
}

/** What a {@link Watcher} needs besides. */
export interface WatcherDeps extends MediaPeerDeps {
  newStream(tracks: MediaStreamTrack[]): MediaStream;
  /** Streams have come, gone, or have other tracks. @param changed those that are new */
  onStreams(changed: readonly WatchedStream[]): void;
}

/** A change of the streams, from an event. */
export interface StreamsUpdate {
  readonly peerId: string;
  readonly offer: string | null;
  readonly streams: readonly StreamFieldsFragment[];
}

/** The key of a source of a participant. */
export const streamKey = (participantId: string, source: string | null): string =>
  `${participantId}/${source}`;

/** The peer connection that receives the media of all others. */
export class Watcher extends MediaPeer {
  readonly #watcher: WatcherDeps;
  readonly #streams = new Map<string, WatchedStream>();
  readonly #receptions = new Map<string, Reception>();
  #sections: readonly StreamFieldsFragment[] = [];
  /** The last offer that was answered: an event after a snapshot repeats it. */
  #answered: { readonly peer: ConferencePeer; readonly offer: string } | null = null;

  constructor(deps: WatcherDeps) {
    super(deps);
    this.#watcher = deps;
  }

  /** The stream of a source of a participant; null before its media has arrived. */
  stream(participantId: string, source: ConferenceMediaSource): MediaStream | null {
    return this.#streams.get(streamKey(participantId, source))?.stream ?? null;
  }

  /** The key of what a media section carries; null if it is free. */
  keyOf(mid: string | null): string | null {
    const section = this.#sections.find((each) => each.mid === mid);
    return section?.participantId ? streamKey(section.participantId, section.source) : null;
  }

  /** Handles a change of the streams after all earlier ones. */
  update({ peerId, offer, streams }: StreamsUpdate): void {
    void this.enqueue(async () => {
      const { peer } = this;
      if (!peer || peer.id !== peerId) return;
      try {
        await this.#follow(peer, offer, streams);
      } catch {
        if (this.peer === peer) this.reopen();
      }
    });
  }

  /** Changes what is received of a participant's camera, now and when it comes back. @throws SignalboxError */
  async receive(participantId: string, change: Reception): Promise<void> {
    this.#receptions.set(participantId, { ...this.#receptions.get(participantId), ...change });
    await Promise.all(
      this.#cameras()
        .filter((section) => section.participantId === participantId)
        .map(({ mid }) => this.#configure(mid, change)),
    );
  }

  /** Whether a participant's camera is wanted. */
  isReceiving(participantId: string): boolean {
    return this.#receptions.get(participantId)?.send ?? true;
  }

  protected async negotiate(peer: ConferencePeer): Promise<void> {
    this.#assign(peer, []);
    const { watchConference: watched } = await peer.step(
      this.deps.membership.run(WatchConferenceDocument, {}),
    );
    peer.identify(watched.peerId);
    await this.#follow(peer, watched.offer, watched.streams);
  }

  protected async restart(peer: ConferencePeer): Promise<boolean> {
    const peerId = peer.id;
    if (!peerId) return false;
    const { membership } = this.deps;
    const { restartConferencePeer: restarted } = await peer.step(
      membership.run(RestartConferencePeerDocument, { peerId }),
    );
    if (restarted.replaced) {
      this.forget(peerId);
      return false;
    }
    if (restarted.sdp) await this.#answer(peer, restarted.sdp);
    return true;
  }

  async #follow(
    peer: ConferencePeer,
    offer: string | null,
    sections: readonly StreamFieldsFragment[],
  ): Promise<void> {
    if (offer) await this.#answer(peer, offer);
    this.#assign(peer, sections);
  }

  async #answer(peer: ConferencePeer, offer: string): Promise<void> {
    if (this.#answered?.peer === peer && this.#answered.offer === offer) return;
    this.#answered = { peer, offer };
    const answer = await peer.answer(offer);
    const input = { peerId: peer.id ?? "", answer };
    await peer.step(this.deps.membership.run(AnswerConferencePeerDocument, input));
  }

  /** Finds the tracks of each participant. A stream with the same tracks stays the same object. */
  #assign(peer: ConferencePeer, sections: readonly StreamFieldsFragment[]): void {
    const before = this.#cameras();
    this.#sections = sections;
    const found = new Map<string, { section: StreamFieldsFragment; tracks: MediaStreamTrack[] }>();
    const transceivers = peer.connection.getTransceivers();
    for (const section of sections) {
      const track = transceivers.find(({ mid }) => mid === section.mid)?.receiver.track;
      if (!track || section.participantId === null) continue;
      const key = streamKey(section.participantId, section.source);
      const entry = found.get(key) ?? { section, tracks: [] };
      entry.tracks.push(track);
      found.set(key, entry);
    }
    for (const key of this.#streams.keys()) if (!found.has(key)) this.#streams.delete(key);
    const changed: WatchedStream[] = [];
    for (const [key, { section, tracks }] of found) {
      const known = this.#streams.get(key)?.stream.getTracks() ?? [];
      if (known.length === tracks.length && tracks.every((each) => known.includes(each))) continue;
      const { participantId, source } = section;
      if (participantId === null || source === null) continue;
      const watched = { participantId, source, stream: this.#watcher.newStream(tracks) };
      this.#streams.set(key, watched);
      changed.push(watched);
    }
    this.#repeatReceptions(before);
    this.#watcher.onStreams(changed);
  }

  /** A participant's camera that another section carries is received as it was before. */
  #repeatReceptions(before: readonly StreamFieldsFragment[]): void {
    for (const { mid, participantId } of this.#cameras()) {
      const reception = this.#receptions.get(participantId ?? "");
      const isNew = !before.some(
        (each) => each.mid === mid && each.participantId === participantId,
      );
      if (reception && isNew) this.#configure(mid, reception).catch(() => {});
    }
  }

  #cameras(): StreamFieldsFragment[] {
    return this.#sections.filter(({ source, kind }) => source === "MAIN" && kind === "VIDEO");
  }

  async #configure(mid: string, reception: Reception): Promise<void> {
    const peerId = this.peer?.id;
    if (!peerId) return;
    const input = { peerId, mid, ...reception };
    await this.deps.membership.run(ConfigureConferencePeerDocument, input);
  }
}
