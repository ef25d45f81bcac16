import { SignalboxError } from "@signalbox/client";

/** @typedef {{ janus: string, sender?: number, plugindata?: { data: any }, jsep?: RTCSessionDescriptionInit, [field: string]: any }} Frame */

/** Interval of keepalive messages, in milliseconds. */
const KEEP_ALIVE_MS = 10_000;
/** Time in which a keepalive message must be answered, in milliseconds; a socket can be dead without a sign of it. */
const ANSWER_MS = 5_000;

/** A session of the Janus protocol over one WebSocket (janus.conf.meetecho.com/docs/rest.html). */
export class JanusSession {
  #socket;
  #token;
  #id = 0;
  /** @type {Map<string, (frame: Frame) => void>} */
  #replies = new Map();
  /** @type {{ handle: number, matches: (data: any) => boolean, resolve: (frame: Frame) => void }[]} */
  #awaited = [];
  #timer = 0;
  #isClosed = false;
  #onClose;

  /**
   * @param {string} url of the endpoint, ws: or wss:
   * @param {string} token of a user's session
   * @param {{ onEvent(frame: Frame): void, onClose(): void }} listener
   */
  constructor(url, token, listener) {
    this.#token = token;
    this.#socket = new WebSocket(url, "janus-protocol");
    this.#onClose = listener.onClose;
    this.#socket.addEventListener("close", () => this.#closed());
    this.#socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(data);
      const reply = this.#replies.get(frame.transaction);
      if (reply && frame.janus !== "event") {
        this.#replies.delete(frame.transaction);
        return reply(frame);
      }
      const index = this.#awaited.findIndex(
        ({ handle, matches }) => frame.sender === handle && matches(frame.plugindata?.data ?? {}),
      );
      if (index >= 0) this.#awaited.splice(index, 1)[0]?.resolve(frame);
      listener.onEvent(frame);
    });
  }

  /** Waits for the connection, and creates the session. */
  async open() {
    if (this.#socket.readyState !== WebSocket.OPEN) {
      await new Promise((resolve, reject) => {
        this.#socket.addEventListener("open", resolve);
        this.#socket.addEventListener("close", () => reject(new Error("No connection")));
      });
    }
    this.#id = (await this.request("create")).data.id;
    this.#timer = setInterval(() => this.#keepAlive(), KEEP_ALIVE_MS);
  }

  /** Opens a handle of the VideoRoom plugin. @returns {Promise<number>} */
  async attach() {
    const { data } = await this.request("attach", { plugin: "janus.plugin.videoroom" });
    return data.id;
  }

  /**
   * Sends a request, with the token and the session.
   * @param {string} janus @param {object} fields @returns {Promise<Frame>}
   * @throws SignalboxError with the code of a refusal
   */
  request(janus, fields = {}) {
    const transaction = crypto.randomUUID();
    const session = this.#id === 0 ? {} : { session_id: this.#id };
    return new Promise((resolve, reject) => {
      this.#replies.set(transaction, (frame) => {
        if (frame.janus === "lost") return reject(new Error("No connection"));
        if (frame.janus !== "error") return resolve(frame);
        const { code, reason } = frame.error;
        reject(new SignalboxError(code === 432 ? "FULL" : "INVALID", reason));
      });
      const message = { janus, transaction, token: this.#token, ...session, ...fields };
      this.#socket.send(JSON.stringify(message));
    });
  }

  /**
   * Sends a message to the room, and waits for the event that answers it.
   * @param {number} handle @param {object} body @param {(data: any) => boolean} answers
   * @param {RTCSessionDescription | null} [jsep] @returns {Promise<Frame>}
   */
  async message(handle, body, answers, jsep) {
    const answered = new Promise((/** @type {(frame: Frame) => void} */ resolve) => {
      this.#awaited.push({ handle, matches: answers, resolve });
    });
    await this.request("message", { handle_id: handle, body, ...(jsep && { jsep }) });
    return answered;
  }

  close() {
    this.#socket.close();
  }

  #keepAlive() {
    const timeout = setTimeout(() => {
      this.#closed();
      this.#socket.close();
    }, ANSWER_MS);
    this.request("keepalive")
      .catch(() => {})
      .finally(() => clearTimeout(timeout));
  }

  /** The socket is closed, or dead: then its event may come much later. */
  #closed() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const reply of this.#replies.values()) reply({ janus: "lost" });
    this.#onClose();
  }
}
