import { Timers } from "./timers.js";

/** Time in which ICE candidates are collected into one signal, in milliseconds. */
const BATCH_MS = 60;
/** Timeout for connecting and reconnecting, in milliseconds. */
const CONNECT_MS = 20_000;

/** @typedef {"connected" | "recovering" | "lost"} Connection Recovering: interrupted, may reconnect. */

/**
 * The connection of one call: an RTCPeerConnection with its descriptions and candidates. Independent of the
 * signalling.
 */
export class Call {
  /** The media of the other side. */
  remote = new MediaStream();
  #peer;
  #stream;
  #onCandidates;
  #onConnection;
  #timers = new Timers();
  /** Whether the last reported state is "connected". */
  #connected = false;
  /** Remote candidates that arrived before the remote description. @type {RTCIceCandidateInit[]} */
  #pending = [];
  /** Local candidates to send. @type {RTCIceCandidateInit[]} */
  #batch = [];
  /** Whether local candidates are held back because the other side cannot process them yet. */
  #held = true;

  /**
   * @param {object} parts
   * @param {"VIDEO" | "AUDIO"} parts.callType
   * @param {MediaStream} parts.stream local media, which is stopped when the call ends
   * @param {RTCConfiguration} parts.configuration
   * @param {(candidates: RTCIceCandidateInit[]) => void} parts.onCandidates
   * @param {(connection: Connection) => void} parts.onConnection
   */
  constructor({ callType, stream, configuration, onCandidates, onConnection }) {
    this.callType = callType;
    this.#stream = stream;
    this.#onCandidates = onCandidates;
    this.#onConnection = onConnection;
    this.#peer = new RTCPeerConnection(configuration);
    for (const track of stream.getTracks()) this.#peer.addTrack(track, stream);
    this.#peer.ontrack = ({ track }) => this.remote.addTrack(track);
    this.#peer.onicecandidate = ({ candidate }) => {
      // The fields that the signalling protocol carries.
      const { candidate: text, sdpMid, sdpMLineIndex } = candidate ?? {};
      if (text) this.#queueCandidate({ candidate: text, sdpMid, sdpMLineIndex });
    };
    this.#peer.onconnectionstatechange = () => this.#stateChanged(this.#peer.connectionState);
  }

  /** Creates an offer, which `sdp` then returns. */
  async offer() {
    const hasCamera = this.#stream.getVideoTracks().length > 0;
    if (this.callType === "VIDEO" && !hasCamera) {
      this.#peer.addTransceiver("video", { direction: "recvonly" });
    }
    await this.#peer.setLocalDescription();
  }

  /** The current local description, with the candidates gathered so far. */
  get sdp() {
    return this.#peer.localDescription?.sdp ?? "";
  }

  /** Applies an offer and creates an answer, which `sdp` then returns. */
  async answer(/** @type {string} */ sdp) {
    await this.#setRemote({ type: "offer", sdp });
    await this.#peer.setLocalDescription();
  }

  /** Applies the answer to the offer. */
  async accepted(/** @type {string} */ sdp) {
    await this.#setRemote({ type: "answer", sdp });
  }

  /** Sets other STUN and TURN servers, or new credentials, for the next ICE restart. */
  configure(/** @type {RTCConfiguration} */ configuration) {
    this.#peer.setConfiguration(configuration);
  }

  /** Starts an ICE restart, when the network has changed or the connection is interrupted. */
  async restart() {
    this.#peer.restartIce();
    await this.#peer.setLocalDescription();
  }

  /**
   * Starts connecting, once both sides have each other's description. Sends the held candidates now and each
   * further one when it is found.
   */
  connect() {
    this.#held = false;
    this.#timers.set("connect", CONNECT_MS, () => this.#onConnection("lost"));
    this.#flush();
  }

  /** Adds candidates of the other side, which may arrive before its description. */
  async addCandidates(/** @type {RTCIceCandidateInit[]} */ candidates) {
    if (!this.#peer.remoteDescription) this.#pending.push(...candidates);
    else for (const each of candidates) await this.#add(each);
  }

  /** Switches the local microphone or camera on or off. */
  enable(/** @type {"audio" | "video"} */ kind, /** @type {boolean} */ on) {
    for (const track of this.#stream.getTracks()) if (track.kind === kind) track.enabled = on;
  }

  /** The path of the media. @returns {Promise<"direct" | "relayed" | null>} null while not connected */
  async path() {
    const reports = [...(await this.#peer.getStats()).values()];
    const transport = reports.find(({ type }) => type === "transport");
    const pair = reports.find(({ id }) => id === transport?.selectedCandidatePairId);
    if (!pair) return null;
    const ends = reports.filter(({ id }) =>
      [pair.localCandidateId, pair.remoteCandidateId].includes(id),
    );
    return ends.some(({ candidateType }) => candidateType === "relay") ? "relayed" : "direct";
  }

  close() {
    this.#timers.stop();
    this.#peer.close();
    for (const track of this.#stream.getTracks()) track.stop();
  }

  /** @param {RTCPeerConnectionState} state */
  #stateChanged(state) {
    if (state === "connected") {
      this.#timers.stop("connect");
      this.#connected = true;
      this.#onConnection("connected");
    } else if ((state === "disconnected" || state === "failed") && this.#connected) {
      this.#connected = false;
      this.#timers.set("connect", CONNECT_MS, () => this.#onConnection("lost"));
      this.#onConnection("recovering");
    }
  }

  /** @param {RTCSessionDescriptionInit} description */
  async #setRemote(description) {
    await this.#peer.setRemoteDescription(description);
    for (const each of this.#pending.splice(0)) await this.#add(each);
  }

  /** Ignores errors: one bad candidate must not end the call. @param {RTCIceCandidateInit} candidate */
  async #add(candidate) {
    await this.#peer.addIceCandidate(candidate).catch(() => undefined);
  }

  /** @param {RTCIceCandidateInit} candidate */
  #queueCandidate(candidate) {
    this.#batch.push(candidate);
    if (!this.#held && this.#batch.length === 1) setTimeout(() => this.#flush(), BATCH_MS);
  }

  #flush() {
    if (this.#peer.connectionState === "closed" || this.#batch.length === 0) return;
    this.#onCandidates(this.#batch.splice(0));
  }
}
