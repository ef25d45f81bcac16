import { UserError } from "./account.js";
import { Call } from "./call.js";

/** @import { Connection } from "./call.js" */

/** Opens camera and microphone. A video call without a camera only shows the other side. */
async function openDevices(/** @type {"VIDEO" | "AUDIO"} */ callType) {
  const video = callType === "VIDEO" && { width: { ideal: 1280 }, height: { ideal: 720 } };
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true, video });
  } catch (error) {
    const { name } = /** @type {Error} */ (error);
    if (name === "NotFoundError" && video) return openDevices("AUDIO");
    if (name === "NotAllowedError") {
      throw new UserError(
        "The browser is not allowed to use your microphone or camera. Allow it and try again.",
      );
    }
    if (name === "NotFoundError") throw new UserError("No microphone was found.");
    if (name === "NotReadableError") {
      throw new UserError("Another program is using your microphone or camera.");
    }
    throw error;
  }
}

/** The local side of a call: camera, microphone and the connection. */
export class Media {
  /** @type {MediaStream | null} */
  stream = null;
  /** @type {Call | null} */
  call = null;
  /** Incremented by open and close, so that an outdated `open` releases its devices. */
  #generation = 0;

  /**
   * @param {object} parts
   * @param {() => Promise<RTCIceServer[]>} parts.iceServers
   * @param {boolean} parts.relayOnly whether all media must go through a TURN server
   * @param {(candidates: RTCIceCandidateInit[]) => void} parts.onCandidates
   * @param {(connection: Connection) => void} parts.onConnection
   */
  constructor(parts) {
    this.parts = parts;
  }

  /**
   * Opens the devices and creates the connection.
   * @param {"VIDEO" | "AUDIO"} callType
   * @returns {Promise<Call | null>} null if it was closed in the meantime
   */
  async open(callType) {
    const generation = ++this.#generation;
    const [devices, servers] = await Promise.allSettled([
      openDevices(callType),
      this.#configuration(),
    ]);
    const stream = devices.status === "fulfilled" ? devices.value : null;
    if (generation !== this.#generation || !stream || servers.status === "rejected") {
      for (const track of stream?.getTracks() ?? []) track.stop();
      if (generation !== this.#generation) return null;
      throw [devices, servers].find((each) => each.status === "rejected")?.reason;
    }
    const { onCandidates, onConnection } = this.parts;
    this.stream = stream;
    this.call = new Call({
      callType,
      stream,
      onCandidates,
      onConnection,
      configuration: servers.value,
    });
    return this.call;
  }

  /** Renews the TURN credentials, which may have expired. If that fails, the old ones stay in use. */
  async renew(/** @type {Call} */ call) {
    const configuration = await this.#configuration().catch(() => null);
    if (configuration && call === this.call) call.configure(configuration);
  }

  close() {
    this.#generation++;
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
