import { Answers } from "./answers.js";
import { Media } from "./media.js";
import { Timers } from "./timers.js";

/** @import { Person } from "./account.js" */
/** @import { Call, Connection } from "./call.js" */
/** @import { Address, IncomingSignal, Signal, Signalling } from "./signalling.js" */

/** Interval between two `call` signals, in milliseconds. */
const REPEAT_MS = 5_000;
/** Time after which the caller gives up, in milliseconds. */
const ANSWER_MS = 60_000;
/** Time without a repeated `call` after which the caller is considered gone, in milliseconds. */
const SILENCE_MS = 15_000;

/**
 * @typedef {object} State
 * @property {"idle" | "calling" | "ringing" | "connecting" | "talking" | "ended"} name
 * @property {Person} [person] The other side.
 * @property {"VIDEO" | "AUDIO"} [callType]
 * @property {number} [since] When the call was connected, in milliseconds since the Unix epoch.
 * @property {number} [lasted] Duration of an ended call, in milliseconds.
 * @property {boolean} [recovering] The connection is interrupted and may reconnect.
 * @property {boolean} [remoteCameraOff]
 * @property {string} [reason] Why the call ended, as shown to the user.
 * @property {boolean} [failed] Whether the call ended because of an error.
 */

/** A user's phone: the state and the signals of at most one call at a time. */
export class Phone extends EventTarget {
  /** @type {State} */
  state = { name: "idle" };
  #callId = "";
  /** Recipient of signals: all devices of the other user until one has answered. @type {Address} */
  #address = { userId: "" };
  #offer = "";
  /** Remote candidates that arrived before the connection was created. @type {RTCIceCandidateInit[]} */
  #pending = [];
  #isCaller = false;
  #timers = new Timers();
  #answers = new Answers();
  /** Serializes the handling of signals. @type {Promise<unknown>} */
  #queue = Promise.resolve();

  /**
   * @param {object} parts
   * @param {Signalling} parts.signalling
   * @param {string} parts.userId the user of this phone
   * @param {() => Promise<RTCIceServer[]>} parts.iceServers
   * @param {(userId: string) => Person} parts.findPerson
   * @param {boolean} parts.relayOnly whether all media must go through a TURN server
   */
  constructor({ signalling, userId, iceServers, findPerson, relayOnly }) {
    super();
    this.signalling = signalling;
    this.userId = userId;
    this.findPerson = findPerson;
    this.media = new Media({
      iceServers,
      relayOnly,
      onCandidates: (iceCandidates) => this.#send({ signalType: "iceCandidates", iceCandidates }),
      onConnection: (connection) => this.#connectionChanged(connection),
    });
  }

  /** The connection of the call; null until there is one. */
  get call() {
    return this.media.call;
  }

  /** Calls a user until the call is answered, declined or times out. @param {Person} person */
  async dial(person, /** @type {"VIDEO" | "AUDIO"} */ callType) {
    if (this.#isBusy) return;
    this.#begin(crypto.randomUUID(), { userId: person.id }, true);
    this.#setState({ name: "calling", person, callType });
    const call = await this.#open(callType);
    if (!call || !(await this.#run(call, () => call.offer()))) return;
    const repeat = () => {
      this.#send({ signalType: "call", callType, sdp: call.sdp });
      this.#timers.set("repeat", REPEAT_MS, repeat);
    };
    repeat();
    this.#timers.set("answer", ANSWER_MS, () => this.#leave("No answer"));
  }

  /** Accepts the ringing call. */
  async accept() {
    const { name, person, callType = "VIDEO" } = this.state;
    if (name !== "ringing") return;
    this.#timers.stop("silence");
    this.#setState({ name: "connecting", person, callType });
    const call = await this.#open(callType);
    if (!call || !(await this.#run(call, () => call.answer(this.#offer)))) return;
    await call.addCandidates(this.#pending.splice(0));
    this.#answer({ signalType: "accept", sdp: call.sdp });
    call.connect();
  }

  /** Declines the ringing call. */
  reject() {
    if (this.state.name !== "ringing") return;
    this.#answer({ signalType: "reject" });
    this.#end("Declined");
  }

  /** Ends or cancels the call. */
  hangUp() {
    this.#leave(this.state.name === "calling" ? "Cancelled" : "Call ended");
  }

  /** Leaves the view of the ended call. */
  clear() {
    if (this.state.name === "ended") this.#setState({ name: "idle" });
  }

  /** Switches the local microphone or camera on or off and notifies the other side. */
  enable(/** @type {"audio" | "video"} */ kind, /** @type {boolean} */ on) {
    this.call?.enable(kind, on);
    const name = kind === "audio" ? "microphone" : "camera";
    this.#send({ signalType: "update", parameters: { [name]: on ? "on" : "off" } });
  }

  /** Starts an ICE restart. Only the caller does this, to avoid glare. */
  async restart() {
    const { call } = this;
    if (!call || !this.#isCaller || this.state.name !== "talking") return;
    await this.media.renew(call);
    const offered = await this.#run(call, () => call.restart());
    if (offered) this.#send({ signalType: "iceRestart", sdp: call.sdp });
  }

  /** Handles signals in order, so that a description is set before the candidates that follow it. */
  handle(/** @type {IncomingSignal} */ signal) {
    this.#queue = this.#queue.then(() => this.#handle(signal)).catch((error) => this.#fail(error));
  }

  /** Handles a sent signal that was not delivered; for a `call` this ends the call. */
  handleRejection(/** @type {Signal} */ { signalType, callId }, /** @type {string} */ reason) {
    if (callId === this.#callId && signalType === "call") this.#end(reason, true);
  }

  get #isBusy() {
    return this.state.name !== "idle" && this.state.name !== "ended";
  }

  /** @param {IncomingSignal} signal */
  async #handle(signal) {
    const { signalType, callId, sdp = "", from } = signal;
    if (signalType === "call") return this.#ring(signal);
    if (!this.#isBusy || callId !== this.#callId || from.userId !== this.#address.userId) return;
    const name = this.state.person?.name ?? "";
    switch (signalType) {
      case "accept":
        if (this.state.name === "calling") return this.#accepted(from, sdp);
        // Another device of the callee accepted too late.
        if (this.#isCaller && from.device !== this.#address.device) {
          this.signalling.send(from, { signalType: "hangUp", callId });
        }
        return;
      case "reject":
        if (!this.#isCaller || this.state.name !== "calling") return;
        return this.#end(`${name} ${reasonOf(signal)}`);
      case "hangUp":
        return this.#end(this.state.name === "ringing" ? "Missed call" : `${name} hung up`);
      case "iceCandidates":
        if (this.call) return this.call.addCandidates(signal.iceCandidates ?? []);
        this.#pending.push(...(signal.iceCandidates ?? []));
        return;
      case "iceRestart": {
        const { call } = this;
        if (!call) return;
        await this.media.renew(call);
        const answered = await this.#run(call, () => call.answer(sdp));
        if (answered) this.#send({ signalType: "iceRestartAccept", sdp: call.sdp });
        return;
      }
      case "iceRestartAccept":
        return this.call?.accepted(sdp);
      case "update": {
        const camera = signal.parameters?.camera;
        if (camera) this.#setState({ ...this.state, remoteCameraOff: camera === "off" });
      }
    }
  }

  /** @param {IncomingSignal} signal a `call`, the first or a repeat */
  #ring({ callId, from, sdp = "", callType = "VIDEO" }) {
    const answer = this.#answers.of(callId);
    if (answer) return this.signalling.send(from, answer);
    const rings = this.state.name === "ringing" && callId === this.#callId;
    if (this.state.name === "calling" && from.userId === this.#address.userId) {
      return this.#resolveGlare(callId, from, sdp, callType);
    }
    if (this.#isBusy && callId !== this.#callId) {
      const busy = { signalType: "reject", callId, userInfo: { busy: "true" } };
      this.#answers.keep(callId, busy);
      return this.signalling.send(from, busy);
    }
    if (answer === null || (this.#isBusy && !rings)) return;
    if (!rings) {
      this.#begin(callId, from, false);
      this.#setState({ name: "ringing", person: this.findPerson(from.userId), callType });
    }
    this.#offer = sdp;
    this.#timers.set("silence", SILENCE_MS, () => this.#end("Missed call"));
  }

  /**
   * Resolves glare, when both users call each other: the call of the user with the smaller id wins, and the
   * other side accepts it automatically.
   * @param {string} callId @param {Address} from @param {string} sdp @param {"VIDEO" | "AUDIO"} callType
   */
  #resolveGlare(callId, from, sdp, callType) {
    // Ids are text: as text, "10" would be smaller than "9".
    if (Number(this.userId) < Number(from.userId)) return;
    this.#send({ signalType: "hangUp" });
    this.#timers.stop();
    this.media.close();
    this.#begin(callId, from, false);
    this.#offer = sdp;
    this.#setState({ name: "ringing", person: this.findPerson(from.userId), callType });
    // Not awaited: the camera's permission prompt must not block further signals.
    void this.accept();
  }

  /** @param {Address} from the device that accepted the call @param {string} sdp */
  async #accepted(from, sdp) {
    this.#timers.stop("repeat", "answer");
    this.#address = from;
    this.#setState({ ...this.state, name: "connecting" });
    const { call } = this;
    if (call && (await this.#run(call, () => call.accepted(sdp)))) call.connect();
  }

  /** @param {"VIDEO" | "AUDIO"} callType @returns {Promise<Call | null>} null if the call has ended */
  async #open(callType) {
    try {
      const call = await this.media.open(callType);
      if (call) this.#changed();
      return call;
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  /**
   * Runs a step of a call; an error ends the call.
   * @param {Call} call @param {() => Promise<void>} step
   * @returns {Promise<boolean>} false if the call has ended
   */
  async #run(call, step) {
    try {
      await step();
    } catch (error) {
      if (call === this.call) this.#fail(error);
    }
    return call === this.call;
  }

  /** @param {Connection} connection */
  #connectionChanged(connection) {
    if (connection === "connected") {
      const since = this.state.since ?? Date.now();
      this.#setState({ ...this.state, name: "talking", since, recovering: false });
    } else if (connection === "recovering") {
      this.#setState({ ...this.state, recovering: true });
      void this.restart();
    } else {
      const { since } = this.state;
      this.#leave(since ? "The connection was lost" : "No connection could be made", true);
    }
  }

  /** Ends the call and notifies the other side. */
  #leave(/** @type {string} */ reason, failed = false) {
    if (!this.#isBusy) return;
    // A callee who has not answered declines.
    const declines = !this.#isCaller && !this.#answers.of(this.#callId);
    this.#send({ signalType: declines ? "reject" : "hangUp" });
    this.#end(reason, failed);
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#leave(error instanceof Error ? error.message : String(error), true);
  }

  /** @param {string} reason @param {boolean} [failed] */
  #end(reason, failed = false) {
    if (!this.#isBusy) return;
    this.#timers.stop();
    this.media.close();
    this.#answers.close(this.#callId);
    const { person, callType, since } = this.state;
    const lasted = since && Date.now() - since;
    this.#setState({ name: "ended", person, callType, lasted, reason, failed });
  }

  /** @param {string} callId @param {Address} address @param {boolean} isCaller */
  #begin(callId, address, isCaller) {
    this.#callId = callId;
    this.#address = address;
    this.#isCaller = isCaller;
    this.#pending = [];
  }

  /** Sends and keeps the answer, which is sent again when the caller repeats its `call`. */
  #answer(/** @type {Omit<Signal, "callId">} */ signal) {
    this.#answers.keep(this.#callId, { ...signal, callId: this.#callId });
    this.#send(signal);
  }

  /** @param {Omit<Signal, "callId">} signal */
  #send(signal) {
    this.signalling.send(this.#address, { ...signal, callId: this.#callId });
  }

  /** @param {State} state */
  #setState(state) {
    this.state = state;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/** @param {Signal} signal a `reject` */
function reasonOf({ userInfo }) {
  // Text from XMPP clients; possibly a boolean from others.
  if (String(userInfo?.busy) === "true") return "is busy";
  if (userInfo?.not_supported) return "has no device that can take this call";
  return "declined";
}
