import { Emitter } from "../emitter.ts";
import { closedError } from "../errors.ts";
import type { LocalMedia, MediaKind } from "../media/local-media.ts";
import type { MediaPlatform } from "../media/media-platform.ts";
import { type MediaStatistics, StatisticsReader } from "../media/statistics.ts";

/** An ICE candidate in a signal. */
export interface SignalledCandidate {
  readonly candidate: string | null;
  readonly sdpMid: string | null;
  readonly sdpMLineIndex: number | null;
}

/** State of the media between two participants; `recovering` is interrupted and may come back. */
export type LinkState = "new" | "connecting" | "connected" | "recovering" | "lost";

/** Events of a {@link PeerLink}. */
export interface PeerLinkEvents {
  state: LinkState;
  /** Candidates for the other side, in batches. */
  candidates: SignalledCandidate[];
  /** The other side's media has another track. */
  stream: MediaStream;
}

/** Time in which candidates are collected into one signal, in milliseconds. */
const BATCH_MS = 60;
/** Time to connect and to come back, in milliseconds. */
const CONNECT_MS = 20_000;
/** Maximum number of candidates that wait for a description; a client gathers fewer than fifty. */
const WAITING_MAX = 200;

/**
 * The media between this device and one other participant: a peer connection with its descriptions and candidates. It
 * knows nothing of signals.
 */
export class PeerLink extends Emitter<PeerLinkEvents> {
  readonly #connection: RTCPeerConnection;
  /** The kinds of media that the call has. */
  readonly #kinds: readonly MediaKind[];
  readonly #statistics = new StatisticsReader();
  /** The media of the other side. */
  readonly stream: MediaStream;
  #state: LinkState = "new";
  /** Candidates of the other side that wait for its description. */
  #waiting: SignalledCandidate[] = [];
  /** Own candidates that wait to be sent. */
  #batch: SignalledCandidate[] = [];
  /** Whether own candidates are held back, because the other side cannot use them yet. */
  #held = true;
  #batchTimer: ReturnType<typeof setTimeout> | undefined;
  #connectTimer: ReturnType<typeof setTimeout> | undefined;
  /** Descriptions and candidates are applied one after the other. */
  #work: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** Rejects once it is closed: a closed RTCPeerConnection settles none of its promises. */
  readonly #whenClosed: Promise<never>;
  #rejectOnClose: (reason: unknown) => void = () => {};

  /** @param video whether the call has video, also without a camera of its own */
  constructor(
    platform: MediaPlatform,
    configuration: RTCConfiguration,
    media: LocalMedia,
    video: boolean,
  ) {
    super();
    this.#whenClosed = new Promise((_, reject) => {
      this.#rejectOnClose = reject;
    });
    this.#whenClosed.catch(() => {});
    const { RTCPeerConnection, MediaStream } = platform;
    this.#connection = new RTCPeerConnection(configuration);
    this.stream = new MediaStream();
    this.#kinds = video ? ["audio", "video"] : ["audio"];
    for (const kind of this.#kinds) {
      const track = media.track(kind);
      if (track) this.#connection.addTrack(track, media.stream);
    }
    this.#connection.addEventListener("track", ({ track }) => {
      this.stream.addTrack(track);
      this.emit("stream", this.stream);
    });
    this.#connection.addEventListener("icecandidate", ({ candidate: found }) => {
      const { candidate, sdpMid, sdpMLineIndex } = found ?? {};
      if (candidate)
        this.#collect({ candidate, sdpMid: sdpMid ?? null, sdpMLineIndex: sdpMLineIndex ?? null });
    });
    this.#connection.addEventListener("connectionstatechange", () => this.#changed());
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Creates an offer. @returns its sdp, with the candidates gathered so far */
  offer(): Promise<string> {
    return this.#serially(() => {
      // A kind without a track has a section too: a screen or another device may follow without a new offer.
      for (const kind of this.#kinds) {
        if (!this.#transceiver(kind)) this.#connection.addTransceiver(kind);
      }
      return this.#describe();
    });
  }

  /** Applies an offer and creates the answer. @returns its sdp */
  answer(sdp: string): Promise<string> {
    return this.#serially(async () => {
      await this.#setRemote({ type: "offer", sdp });
      for (const kind of this.#kinds) {
        const transceiver = this.#transceiver(kind);
        if (transceiver) transceiver.direction = "sendrecv";
      }
      return this.#describe();
    });
  }

  /** Applies the answer to the offer. An answer that comes twice is ignored. */
  accepted(sdp: string): Promise<void> {
    return this.#serially(async () => {
      if (this.#connection.signalingState !== "have-local-offer") return;
      await this.#setRemote({ type: "answer", sdp });
    });
  }

  /** Creates an offer that restarts ICE, with other servers or credentials. @returns its sdp */
  restart(configuration: RTCConfiguration | null): Promise<string> {
    return this.#serially(async () => {
      this.configure(configuration);
      this.#connection.restartIce();
      return this.#describe();
    });
  }

  /** Uses other STUN and TURN servers, or new credentials, at the next restart of ICE. */
  configure(configuration: RTCConfiguration | null): void {
    if (configuration && !this.#closed) this.#connection.setConfiguration(configuration);
  }

  /** The other side has our description: own candidates may be sent, and the connection must come about. */
  connect(): void {
    this.#held = false;
    if (this.#state === "new") {
      this.#setState("connecting");
      this.#expect();
    }
    this.#flush();
  }

  /** Adds candidates of the other side; they may arrive before its description. */
  addCandidates(candidates: readonly SignalledCandidate[]): Promise<void> {
    return this.#serially(async () => {
      if (!this.#connection.remoteDescription) {
        this.#waiting.push(...candidates);
        this.#waiting.splice(0, this.#waiting.length - WAITING_MAX);
        return;
      }
      for (const each of candidates) await this.#add(each);
    });
  }

  /** Sends another track of a kind, or none. */
  async setTrack(kind: MediaKind, track: MediaStreamTrack | null): Promise<void> {
    await this.#transceiver(kind)?.sender.replaceTrack(track);
  }

  /** Statistics since the last call of this method. */
  statistics(): Promise<MediaStatistics> {
    return this.#statistics.read(this.#connection);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#batchTimer);
    clearTimeout(this.#connectTimer);
    this.#connection.close();
    this.#rejectOnClose(closedError());
    this.removeListeners();
  }

  #transceiver(kind: MediaKind): RTCRtpTransceiver | undefined {
    return this.#connection.getTransceivers().find(({ receiver }) => receiver.track.kind === kind);
  }

  #serially<Result>(step: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(() => Promise.race([this.#whenClosed, step()]));
    this.#work = done.catch(() => {});
    return done;
  }

  async #describe(): Promise<string> {
    await this.#connection.setLocalDescription();
    return this.#connection.localDescription?.sdp ?? "";
  }

  async #setRemote(description: RTCSessionDescriptionInit): Promise<void> {
    await this.#connection.setRemoteDescription(description);
    for (const each of this.#waiting.splice(0)) await this.#add(each);
  }

  /** One candidate that cannot be used must not end the call. */
  async #add({ candidate, sdpMid, sdpMLineIndex }: SignalledCandidate): Promise<void> {
    if (!candidate) return;
    const line = !sdpMid && sdpMLineIndex === null ? 0 : sdpMLineIndex;
    const init = { candidate, sdpMid: sdpMid || null, sdpMLineIndex: line };
    await this.#connection.addIceCandidate(init).catch(() => {});
  }

  #collect(candidate: SignalledCandidate): void {
    this.#batch.push(candidate);
    if (!this.#held && this.#batch.length === 1) {
      this.#batchTimer = setTimeout(() => this.#flush(), BATCH_MS);
    }
  }

  #flush(): void {
    if (this.#closed || this.#batch.length === 0) return;
    this.emit("candidates", this.#batch.splice(0));
  }

  #changed(): void {
    const { connectionState } = this.#connection;
    if (connectionState === "connected") {
      clearTimeout(this.#connectTimer);
      this.#setState("connected");
    } else if (connectionState === "disconnected" || connectionState === "failed") {
      if (this.#state !== "connected") return;
      this.#setState("recovering");
      this.#expect();
    }
  }

  #expect(): void {
    clearTimeout(this.#connectTimer);
    this.#connectTimer = setTimeout(() => this.#setState("lost"), CONNECT_MS);
  }

  #setState(state: LinkState): void {
    if (this.#closed || this.#state === state) return;
    this.#state = state;
    this.emit("state", state);
  }
}
