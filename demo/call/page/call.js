import { Timers } from "./timers.js";

/** Milliseconds in which ICE candidates are gathered into one signal. */
const BATCH_MS = 60;
/** Milliseconds in which a connection must come about, or come back. */
const CONNECT_MS = 20_000;

/** @typedef {"connected" | "recovering" | "lost"} Connection Recovering: lost, and may come back. */

/**
 * One call's connection: an RTCPeerConnection, and the descriptions and candidates to signal. It knows nothing
 * of how they travel.
 */
export class Call {
  /** What the other side sends. */
  remote = new MediaStream();
  #peer;
  #stream;
  #onCandidates;
  #onConnection;
  #timers = new Timers();
  /** Whether the connection stands, as far as was told. */
  #stands = false;
  /** @type {RTCIceCandidateInit[]} */
  #early = [];
  /** @type {RTCIceCandidateInit[]} */
  #batch = [];
  /** Candidates of our own are held until the other side can take them. */
  #held = true;

  /**
   * @param {object} parts
   * @param {"VIDEO" | "AUDIO"} parts.callType
   * @param {MediaStream} parts.stream what this side sends; it ends with the call
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
      // What the protocol carries of a candidate; the browser knows more.
      const { candidate: text, sdpMid, sdpMLineIndex } = candidate ?? {};
      if (text) this.#gather({ candidate: text, sdpMid, sdpMLineIndex });
    };
    this.#peer.onconnectionstatechange = () => this.#connection(this.#peer.connectionState);
  }

  /** Makes the offer that `sdp` then is. */
  async offer() {
    const hasCamera = this.#stream.getVideoTracks().length > 0;
    if (this.callType === "VIDEO" && !hasCamera) {
      this.#peer.addTransceiver("video", { direction: "recvonly" });
    }
    await this.#peer.setLocalDescription();
  }

  /** This side's description as it stands, with the candidates gathered so far. */
  get sdp() {
    return this.#peer.localDescription?.sdp ?? "";
  }

  /** Takes an offer; `sdp` is the answer then. */
  async answer(/** @type {string} */ sdp) {
    await this.#take({ type: "offer", sdp });
    await this.#peer.setLocalDescription();
  }

  /** Takes the answer to the offer. */
  async accepted(/** @type {string} */ sdp) {
    await this.#take({ type: "answer", sdp });
  }

  /** Uses other STUN and TURN servers, or fresh credentials, from the next time that ICE begins. */
  configure(/** @type {RTCConfiguration} */ configuration) {
    this.#peer.setConfiguration(configuration);
  }

  /** Offers new ways for the media, when the network has changed or the old ways are dead. */
  async restart() {
    this.#peer.restartIce();
    await this.#peer.setLocalDescription();
  }

  /**
   * Begins to connect: both sides have each other's description. Sends the candidates that were held, and
   * each further one as it is found.
   */
  connect() {
    this.#held = false;
    this.#timers.set("connect", CONNECT_MS, () => this.#onConnection("lost"));
    this.#flush();
  }

  /** Takes candidates of the other side; they may come before its description does. */
  async addCandidates(/** @type {RTCIceCandidateInit[]} */ candidates) {
    if (!this.#peer.remoteDescription) this.#early.push(...candidates);
    else for (const each of candidates) await this.#add(each);
  }

  /** Switches one's own microphone or camera. */
  enable(/** @type {"audio" | "video"} */ kind, /** @type {boolean} */ on) {
    for (const track of this.#stream.getTracks()) if (track.kind === kind) track.enabled = on;
  }

  /** Which way the media goes. @returns {Promise<"direct" | "relayed" | null>} null while it does not */
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
  #connection(state) {
    if (state === "connected") {
      this.#timers.stop("connect");
      this.#stands = true;
      this.#onConnection("connected");
    } else if ((state === "disconnected" || state === "failed") && this.#stands) {
      this.#stands = false;
      this.#timers.set("connect", CONNECT_MS, () => this.#onConnection("lost"));
      this.#onConnection("recovering");
    }
  }

  /** @param {RTCSessionDescriptionInit} description */
  async #take(description) {
    await this.#peer.setRemoteDescription(description);
    for (const each of this.#early.splice(0)) await this.#add(each);
  }

  /** One bad candidate among many is no reason to end a call. @param {RTCIceCandidateInit} candidate */
  async #add(candidate) {
    await this.#peer.addIceCandidate(candidate).catch(() => undefined);
  }

  /** @param {RTCIceCandidateInit} candidate */
  #gather(candidate) {
    this.#batch.push(candidate);
    if (!this.#held && this.#batch.length === 1) setTimeout(() => this.#flush(), BATCH_MS);
  }

  #flush() {
    if (this.#peer.connectionState === "closed" || this.#batch.length === 0) return;
    this.#onCandidates(this.#batch.splice(0));
  }
}
