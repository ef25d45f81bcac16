import { FigureReader } from "./figures.js";
import { JanusSession } from "./janus-session.js";
import { exchangeTrack, setMuted, stopStreams } from "./own-media.js";

/** @import { Listener, Member } from "./conference-types.js" */
/** @import { Figures } from "./figures.js" */
/** @import { Frame } from "./janus-session.js" */

/**
 * A member over the Janus protocol, as legacy clients are: a peer connection for each other member, mutes that the
 * others are not told of, and a screen in place of the camera. It has the shape of GraphqlConference.
 */

/** Time between attempts to come back, in milliseconds. */
const RETRY_MS = 1_000;

export class JanusConference {
  /** @type {Map<string, Member>} */
  members = new Map();
  /** The media of the others by `${memberId}/MAIN`. @type {Map<string, MediaStream>} */
  media = new Map();
  me = "";
  name = "";
  isConnected = false;
  /** @type {MediaStream | null} */
  screen = null;

  #access;
  #listener;
  #figures = new FigureReader();
  /** @type {JanusSession | null} */
  #session = null;
  /** The handle that publishes. */
  #handle = 0;
  /** @type {RTCPeerConnection | undefined} */
  #publishing;
  /** By member. @type {Map<string, { handle: number, pc: RTCPeerConnection }>} */
  #watching = new Map();
  #isLeaving = false;
  #isOver = false;

  /**
   * @param {{ url: string, token: string, room: string, name: string, stream: MediaStream, iceServers?: RTCIceServer[] }} access
   * `url` is that of the WebSocket, `room` the name of the conference, `name` that of the own member
   * @param {Listener} listener
   */
  constructor(access, listener) {
    this.#access = access;
    this.#listener = listener;
    this.stream = access.stream;
    this.name = access.room;
  }

  /** Joins, then publishes and watches. @throws ServiceError, for instance FULL */
  async join() {
    const { url, token, room, name } = this.#access;
    this.#reset();
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
    this.me = String(joined.id);
    this.isConnected = true;
    this.#add(this.me, name);
    for (const { id, display } of joined.attendees ?? []) this.#add(String(id), display);
    await this.#publish(session);
    this.#announced(session, joined.publishers);
  }

  /** Mutes or unmutes; the others only hear silence. @param {"audio" | "video"} kind @param {boolean} muted */
  async mute(kind, muted) {
    setMuted(this.stream, kind, muted);
    const me = this.members.get(this.me);
    if (me) me[kind === "audio" ? "audioMuted" : "videoMuted"] = muted;
  }

  /** Sends another camera or microphone. @param {MediaStreamTrack} track */
  async replaceTrack(track) {
    await exchangeTrack(this.stream, this.#publishing, track);
  }

  /** Shares a screen in place of the camera. @param {MediaStream} screen */
  async shareScreen(screen) {
    const [video] = screen.getVideoTracks();
    if (!video) return;
    this.screen = screen;
    video.addEventListener("ended", () => void this.stopScreen());
    await this.#videoSender()?.replaceTrack(video);
    this.#listener.onChange();
  }

  async stopScreen() {
    const sender = this.#videoSender();
    stopStreams(this.screen);
    this.screen = null;
    await sender?.replaceTrack(this.stream.getVideoTracks()[0] ?? null);
    this.#listener.onChange();
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

  /** What is received of each member, and the own loudness, by `${memberId}/MAIN`. @returns {Promise<Map<string, Figures>>} */
  async figures() {
    const figures = new Map();
    for (const [id, { pc }] of this.#watching) {
      await this.#figures.read(pc, () => `${id}/MAIN`, figures);
    }
    if (this.#publishing) {
      const level = await this.#figures.ownLevel(this.#publishing);
      figures.set(`${this.me}/MAIN`, { bitrate: null, lost: 0, level });
    }
    return figures;
  }

  /** @param {JanusSession} session */
  async #publish(session) {
    const pc = this.#newConnection(session, this.#handle);
    this.#publishing = pc;
    for (const track of this.stream.getTracks()) pc.addTrack(track, this.stream);
    const [shared] = this.screen?.getVideoTracks() ?? [];
    if (shared) await this.#videoSender()?.replaceTrack(shared);
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
    this.#listener.onChange();
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
    this.#watching.set(id, { handle, pc });
    pc.addEventListener("track", ({ streams: [stream] }) => {
      if (stream) this.media.set(`${id}/MAIN`, stream);
      this.#listener.onChange();
    });
    if (jsep) await pc.setRemoteDescription(jsep);
    await pc.setLocalDescription();
    const started = (/** @type {any} */ { started }) => started === "ok";
    await session.message(handle, { request: "start", room }, started, pc.localDescription);
  }

  /** @param {JanusSession} session @param {number} handle */
  #newConnection(session, handle) {
    const pc = new RTCPeerConnection({ iceServers: this.#access.iceServers ?? [] });
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
      if (gone === data.leaving) this.members.delete(String(gone));
    }
    this.#announced(session, data.publishers);
  }

  /** @param {JanusSession} session */
  #lost(session) {
    if (session !== this.#session || this.#isLeaving || this.#isOver) return;
    this.isConnected = false;
    this.#listener.onChange();
    setTimeout(() => {
      if (this.#isOver || session !== this.#session) return;
      // A refusal is final; without a connection the next attempt follows.
      this.join().catch(({ code }) => code && this.#end(code === "FULL" ? "FULL" : "ENDED"));
    }, RETRY_MS);
  }

  #videoSender() {
    return this.#publishing?.getSenders().find(({ track }) => track?.kind === "video");
  }

  /** @param {string} id @param {string} name */
  #add(id, name) {
    const known = this.members.get(id);
    const rest = { moderator: false, sharingScreen: false, audioMuted: null, videoMuted: null };
    this.members.set(id, known ?? { id, name, ...rest });
  }

  /** @param {string} id */
  #forget(id) {
    this.#watching.get(id)?.pc.close();
    this.#watching.delete(id);
    this.media.delete(`${id}/MAIN`);
  }

  /** Closes what an earlier session had. */
  #reset() {
    for (const id of [...this.#watching.keys()]) this.#forget(id);
    this.#publishing?.close();
    this.members.clear();
  }

  /** @param {string} reason */
  #end(reason) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reset();
    this.#session?.close();
    stopStreams(this.stream, this.screen);
    this.#listener.onEnd(reason);
  }
}
