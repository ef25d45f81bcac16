import { Trouble } from "./account.js";
import { Call } from "./call.js";

/** @import { Connection } from "./call.js" */

/** Opens camera and microphone; a video call without a camera is one that only shows the other side. */
async function openDevices(/** @type {"VIDEO" | "AUDIO"} */ callType) {
  const video = callType === "VIDEO" && { width: { ideal: 1280 }, height: { ideal: 720 } };
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true, video });
  } catch (error) {
    const { name } = /** @type {Error} */ (error);
    if (name === "NotFoundError" && video) return openDevices("AUDIO");
    if (name === "NotAllowedError") {
      throw new Trouble(
        "The browser may not use your microphone or camera. Allow it and try again.",
      );
    }
    if (name === "NotFoundError") throw new Trouble("There is no microphone.");
    if (name === "NotReadableError") {
      throw new Trouble("Another program holds your microphone or camera.");
    }
    throw error;
  }
}

/** This side's part of a call: camera, microphone, and the connection that they go through. */
export class Media {
  /** @type {MediaStream | null} */
  stream = null;
  /** @type {Call | null} */
  call = null;
  /** Counts what was begun and closed: what is ready only after that is let go. */
  #turn = 0;

  /**
   * @param {object} parts
   * @param {() => Promise<RTCIceServer[]>} parts.iceServers
   * @param {boolean} parts.relayOnly whether media may only go through a TURN server
   * @param {(candidates: RTCIceCandidateInit[]) => void} parts.onCandidates
   * @param {(connection: Connection) => void} parts.onConnection
   */
  constructor(parts) {
    this.parts = parts;
  }

  /**
   * Opens what a call needs.
   * @param {"VIDEO" | "AUDIO"} callType
   * @returns {Promise<Call | null>} null when it was closed meanwhile
   */
  async open(callType) {
    const turn = ++this.#turn;
    const [devices, servers] = await Promise.allSettled([
      openDevices(callType),
      this.#configuration(),
    ]);
    const stream = devices.status === "fulfilled" ? devices.value : null;
    if (turn !== this.#turn || !stream || servers.status === "rejected") {
      for (const track of stream?.getTracks() ?? []) track.stop();
      if (turn !== this.#turn) return null;
      throw [devices, servers].find((each) => each.status === "rejected")?.reason;
    }
    const { onCandidates, onConnection } = this.parts;
    this.stream = stream;
    this.call = new Call({
      ...{ callType, stream, onCandidates, onConnection },
      configuration: servers.value,
    });
    return this.call;
  }

  /** The credentials that a call began with may have expired. What cannot be renewed is tried as it is. */
  async renew(/** @type {Call} */ call) {
    const configuration = await this.#configuration().catch(() => null);
    if (configuration && call === this.call) call.configure(configuration);
  }

  close() {
    this.#turn++;
    this.call?.close();
    this.call = null;
    this.stream = null;
  }

  /** @returns {Promise<RTCConfiguration>} */
  async #configuration() {
    const iceServers = await this.parts.iceServers();
    return { iceServers, iceTransportPolicy: this.parts.relayOnly ? "relay" : "all" };
  }
}
