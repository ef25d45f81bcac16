import { closedError } from "../errors.ts";

/** An ICE candidate for the media server. */
export type PeerCandidate = {
  readonly candidate: string;
  readonly sdpMid: string | null;
  readonly sdpMLineIndex: number | null;
};

/** What a {@link ConferencePeer} reports to. */
export interface PeerListener {
  onState(state: RTCPeerConnectionState): void;
  /** Called once the media server knows the peer connection. */
  onCandidate(peerId: string, candidate: PeerCandidate): void;
}

/** One peer connection to the media server, from its first description to its end. */
export class ConferencePeer {
  readonly connection: RTCPeerConnection;
  readonly #listener: PeerListener;
  /** Rejects once it is closed. */
  readonly #closed: Promise<never>;
  #reject: (reason: unknown) => void = () => {};
  /** Candidates that were found before the media server has named the peer connection. */
  #waiting: PeerCandidate[] = [];
  #id: string | null = null;
  #isClosed = false;

  constructor(connection: RTCPeerConnection, listener: PeerListener) {
    this.connection = connection;
    this.#listener = listener;
    this.#closed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.#closed.catch(() => {});
    connection.addEventListener("connectionstatechange", () => {
      if (!this.#isClosed) listener.onState(connection.connectionState);
    });
    connection.addEventListener("icecandidate", ({ candidate: found }) => {
      if (!found?.candidate || this.#isClosed) return;
      const { candidate, sdpMid, sdpMLineIndex } = found;
      const each = { candidate, sdpMid, sdpMLineIndex };
      if (this.#id === null) this.#waiting.push(each);
      else listener.onCandidate(this.#id, each);
    });
  }

  /** Its id at the media server; null before that has it. */
  get id(): string | null {
    return this.#id;
  }

  /** The media server has it under this id. */
  identify(id: string): void {
    this.#id = id;
    for (const each of this.#waiting.splice(0)) this.#listener.onCandidate(id, each);
  }

  /**
   * Waits for a step of its negotiation. A closed RTCPeerConnection settles none of its promises, and what waits for
   * one would wait forever.
   * @throws SignalboxError CLOSED, and what the step throws
   */
  step<Result>(promise: Promise<Result>): Promise<Result> {
    return Promise.race([promise, this.#closed]);
  }

  /** Creates an offer. @returns its sdp */
  async offer(): Promise<string> {
    await this.step(this.connection.setLocalDescription());
    return this.connection.localDescription?.sdp ?? "";
  }

  /** Applies an offer and creates the answer. @returns its sdp */
  async answer(sdp: string): Promise<string> {
    await this.step(this.connection.setRemoteDescription({ type: "offer", sdp }));
    await this.step(this.connection.setLocalDescription());
    return this.connection.localDescription?.sdp ?? "";
  }

  /** Applies the answer to the last offer. */
  accept(sdp: string): Promise<void> {
    return this.step(this.connection.setRemoteDescription({ type: "answer", sdp }));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.connection.close();
    this.#reject(closedError());
  }
}
