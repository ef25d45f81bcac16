import { StatisticsReader } from "@signalbox/client";
import { JanusSession } from "./janus-session.js";

/** @import { Conference, ConferenceParticipant, MediaStatistics } from "@signalbox/client" */
/** @import { LocalMedia, MediaKind, MediaPlatform } from "@signalbox/client" */
/** @import { Frame } from "./janus-session.js" */

/**
 * A participant over the Janus protocol, as legacy clients are: a peer connection for each other participant, mutes
 * that the others are not told of, and a screen in place of the camera. To a page it looks like the package's
 * `Conference`.
 *
 * @typedef {Pick<Conference,
 *   "participants" | "localStream" | "screen" | "isMuted" | "setMuted" | "switchDevice" | "stopScreen"> & {
 *   readonly name: string, readonly isConnected: boolean, shareScreen(): Promise<unknown>, leave(): Promise<void>
 * }} PageConference
 */

/** Time between attempts to come back, in milliseconds. */
const RETRY_MS = 1_000;
/** Interval at which figures are read, in milliseconds. */
const FIGURES_MS = 1_000;
/** Audio level from which a participant speaks, between 0 and 1. */
const SPEAKING = 0.02;

/**
 * @typedef {object} JanusListener
 * @property {() => void} onChange
 * @property {(figures: ReadonlyMap<string, MediaStatistics>) => void} onFigures
 * @property {(reason: string) => void} onEnd LEFT, REPLACED, REMOVED, FULL or ENDED; called once
 */

/** @implements {PageConference} */
export class JanusConference {
  /** What happens; set by the page once it has joined. @type {JanusListener} */
  listener = { onChange() {}, onFigures() {}, onEnd() {} };
  name = "";
  isConnected = false;

  #platform;
  #access;
  #local;
  #me = "";
  /** The names by participant. @type {Map<string, string>} */
  #participants = new Map();
  /** @type {Map<string, MediaStatistics>} */
  #figures = new Map();
  /** @type {JanusSession | null} */
  #session = null;
  /** The handle that publishes. */
  #handle = 0;
  /** @type {RTCPeerConnection | undefined} */
  #publishing;
  #ownReader = new StatisticsReader();
  /**
   * By participant.
   * @type {Map<string, { pc: RTCPeerConnection, reader: StatisticsReader, stream: MediaStream | null }>}
   */
  #watching = new Map();
  #isLeaving = false;
  #isOver = false;
  #timer;

  /**
   * @param {MediaPlatform} platform
   * @param {{
   *   url: string, token: string, room: string, name: string, local: LocalMedia, iceServers?: RTCIceServer[]
   * }} access `url` is that of the WebSocket, `room` the name of the conference, `name` that of the own participant
   */
  constructor(platform, access) {
    this.#platform = platform;
    this.#access = access;
    this.#local = access.local;
    this.name = access.room;
    this.#local.on("track", ({ kind, track }) => {
      void this.#sender(kind)?.replaceTrack(track);
      this.listener.onChange();
    });
    this.#timer = setInterval(() => void this.#measure(), FIGURES_MS);
  }

  /** @returns {ConferenceParticipant[]} */
  get participants() {
    return [...this.#participants].map(([id, name]) => {
      const isMe = id === this.#me;
      const figures = this.#figures.get(id);
      const audioLevel = figures?.audioLevel ?? figures?.sentAudioLevel ?? 0;
      const stream = isMe ? this.#local.stream : (this.#watching.get(id)?.stream ?? null);
      return {
        id,
        name,
        isMe,
        userId: id,
        state: stream ? "connected" : "connecting",
        isModerator: false,
        audioMuted: isMe ? this.isMuted("audio") : null,
        videoMuted: isMe ? this.isMuted("video") : null,
        isSharingScreen: isMe && this.screen !== null,
        isVideoPaused: false,
        speaking: audioLevel > SPEAKING,
        audioLevel,
        stream,
        screen: isMe ? this.screen : null,
        joinedAt: "",
      };
    });
  }

  get localStream() {
    return this.#local.stream;
  }

  get screen() {
    return this.#local.screen;
  }

  /** Joins, then publishes and watches. @throws SignalboxError, for instance FULL */
  async join() {
    const { url, token, room, name } = this.#access;
    this.#closeConnections();
    const session = new JanusSession(url, token, {
      onEvent: (frame) => this.#receive(session, frame),
      onClose: () => this.#lost(session),
    });
    this.#session = session;
    await session.open();
    this.#handle = await session.attach();
    const body = { request: "join", ptype: "publisher", room, display: name };
    const { plugindata } = await session.message(
      this.#handle,
      body,
      ({ videoroom }) => videoroom === "joined",
    );
    const joined = plugindata?.data;
    this.#me = String(joined.id);
    this.isConnected = true;
    // Participants who have left since are not announced.
    this.#participants = new Map([[this.#me, name]]);
    for (const { id, display } of joined.attendees ?? []) this.#add(String(id), display);
    await this.#publish(session);
    this.#announced(session, joined.publishers);
  }

  /** @param {MediaKind} kind */
  isMuted(kind) {
    return this.#local.isMuted(kind);
  }

  /** Mutes or unmutes; the others only hear silence. @param {MediaKind} kind @param {boolean} muted */
  setMuted(kind, muted) {
    this.#local.setMuted(kind, muted);
    this.listener.onChange();
  }

  /** @param {MediaKind} kind @param {string} deviceId @throws SignalboxError */
  switchDevice(kind, deviceId) {
    return this.#local.useDevice(kind, deviceId);
  }

  /** Shares a screen in place of the camera. @throws SignalboxError */
  shareScreen() {
    return this.#local.shareScreen();
  }

  stopScreen() {
    this.#local.stopScreen();
  }

  async leave() {
    // What the server closes from now on is no loss.
    this.#isLeaving = true;
    const body = { request: "leave", room: null };
    await this.#session
      ?.request("message", { handle_id: this.#handle, body })
      .catch(() => undefined);
    this.#end("LEFT");
  }

  async #measure() {
    const figures = new Map();
    for (const [id, { pc, reader }] of this.#watching) figures.set(id, await reader.read(pc));
    if (this.#publishing) figures.set(this.#me, await this.#ownReader.read(this.#publishing));
    if (this.#isOver) return;
    this.#figures = figures;
    this.listener.onFigures(figures);
    this.listener.onChange();
  }

  /** @param {JanusSession} session */
  async #publish(session) {
    const pc = this.#newConnection(session, this.#handle);
    this.#publishing = pc;
    this.#ownReader = new StatisticsReader();
    for (const kind of /** @type {const} */ (["audio", "video"])) {
      const track = this.#local.track(kind);
      if (track) pc.addTrack(track, this.#local.stream);
    }
    await pc.setLocalDescription();
    const body = { request: "configure", audio: true, video: true };
    const { jsep } = await session.message(
      this.#handle,
      body,
      ({ configured }) => configured === "ok",
      pc.localDescription,
    );
    if (jsep) await pc.setRemoteDescription(jsep);
  }

  /** @param {JanusSession} session @param {{ id: number, display: string }[]} publishers */
  #announced(session, publishers = []) {
    for (const { id, display } of publishers) {
      this.#add(String(id), display);
      this.#watch(session, id).catch((error) => console.warn(error));
    }
    this.listener.onChange();
  }

  /** @param {JanusSession} session @param {number} feed */
  async #watch(session, feed) {
    const { room } = this.#access;
    const id = String(feed);
    this.#forget(id);
    const handle = await session.attach();
    const { jsep } = await session.message(
      handle,
      { request: "join", ptype: "listener", room, feed },
      ({ videoroom }) => videoroom === "attached",
    );
    const pc = this.#newConnection(session, handle);
    /** @type {{ pc: RTCPeerConnection, reader: StatisticsReader, stream: MediaStream | null }} */
    const watched = { pc, reader: new StatisticsReader(), stream: null };
    this.#watching.set(id, watched);
    pc.addEventListener("track", ({ streams: [stream] }) => {
      watched.stream = stream ?? null;
      this.listener.onChange();
    });
    if (jsep) await pc.setRemoteDescription(jsep);
    await pc.setLocalDescription();
    const started = (/** @type {any} */ { started }) => started === "ok";
    await session.message(handle, { request: "start", room }, started, pc.localDescription);
  }

  /** @param {JanusSession} session @param {number} handle */
  #newConnection(session, handle) {
    const iceServers = this.#access.iceServers ?? [];
    const pc = new this.#platform.RTCPeerConnection({ iceServers });
    pc.addEventListener("icecandidate", ({ candidate }) => {
      const trickled = candidate ?? { completed: true };
      session.request("trickle", { handle_id: handle, candidate: trickled }).catch(() => {});
    });
    return pc;
  }

  /** @param {JanusSession} session @param {Frame} frame */
  #receive(session, { janus, sender, plugindata }) {
    if (session !== this.#session || this.#isLeaving || this.#isOver) return;
    // A peer connection of a handle has ended; the publisher's own one means that the client must join again.
    if (janus === "hangup" && sender === this.#handle) return session.close();
    const data = plugindata?.data;
    if (sender !== this.#handle || !data || data.videoroom === "joined") return;
    if (data.error_code === 433) {
      return this.#end(data.error.startsWith("Replaced") ? "REPLACED" : "REMOVED");
    }
    for (const gone of [data.leaving, data.unpublished]) {
      if (typeof gone !== "number") continue;
      this.#forget(String(gone));
      if (gone === data.leaving) this.#participants.delete(String(gone));
    }
    this.#announced(session, data.publishers);
  }

  /** @param {JanusSession} session */
  #lost(session) {
    if (session !== this.#session || this.#isLeaving || this.#isOver) return;
    this.isConnected = false;
    this.listener.onChange();
    setTimeout(() => {
      if (this.#isOver || session !== this.#session) return;
      // A refusal is final; without a connection the next attempt follows.
      this.join().catch(({ code }) => code && this.#end(code === "FULL" ? "FULL" : "ENDED"));
    }, RETRY_MS);
  }

  /** @param {MediaKind} kind */
  #sender(kind) {
    return this.#publishing?.getTransceivers().find(({ receiver }) => receiver.track.kind === kind)
      ?.sender;
  }

  /** @param {string} id @param {string} name */
  #add(id, name) {
    if (!this.#participants.has(id)) this.#participants.set(id, name);
  }

  /** @param {string} id */
  #forget(id) {
    this.#watching.get(id)?.pc.close();
    this.#watching.delete(id);
  }

  /** Closes what an earlier session had. The participants stay until the next one says who is there. */
  #closeConnections() {
    for (const id of [...this.#watching.keys()]) this.#forget(id);
    this.#publishing?.close();
    this.#publishing = undefined;
  }

  /** @param {string} reason */
  #end(reason) {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#closeConnections();
    this.#session?.close();
    this.#local.close();
    this.listener.onEnd(reason);
  }
}
