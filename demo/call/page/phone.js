import { Answers } from "./answers.js";
import { Media } from "./media.js";
import { Timers } from "./timers.js";

/** @import { Person } from "./account.js" */
/** @import { Call, Connection } from "./call.js" */
/** @import { Address, IncomingSignal, Signal, Signalling } from "./signalling.js" */

/** Milliseconds between two `call`s, and until nobody is taken to answer. */
const REPEAT_MS = 5_000;
const ANSWER_MS = 60_000;
/** A caller that has not repeated its `call` for so long has gone. */
const SILENCE_MS = 15_000;

/**
 * @typedef {object} State
 * @property {"idle" | "calling" | "ringing" | "connecting" | "talking" | "ended"} name
 * @property {Person} [person] The other side.
 * @property {"VIDEO" | "AUDIO"} [callType]
 * @property {number} [since] When talking began, in milliseconds since the Unix epoch.
 * @property {number} [lasted] Milliseconds that an ended call was talked in.
 * @property {boolean} [recovering] The connection is lost, and may come back.
 * @property {boolean} [remoteCameraOff]
 * @property {string} [reason] Why it ended, in words.
 * @property {boolean} [wrong] Whether it ended by a fault.
 */

/** One user's phone: at most one call at a time, its signals and its state. */
export class Phone extends EventTarget {
  /** @type {State} */
  state = { name: "idle" };
  #sessionId = "";
  /** Whom signals go to: all devices of the other user until one has answered. @type {Address} */
  #address = { userId: 0 };
  #offer = "";
  /** @type {RTCIceCandidateInit[]} */
  #early = [];
  #isCaller = false;
  #timers = new Timers();
  #answers = new Answers();
  /** @type {Promise<unknown>} */
  #turn = Promise.resolve();

  /**
   * @param {object} parts
   * @param {Signalling} parts.line
   * @param {number} parts.userId whose phone this is
   * @param {() => Promise<RTCIceServer[]>} parts.iceServers
   * @param {(userId: number) => Person} parts.whoIs
   * @param {boolean} parts.relayOnly whether media may only go through a TURN server
   */
  constructor({ line, userId, iceServers, whoIs, relayOnly }) {
    super();
    this.line = line;
    this.userId = userId;
    this.whoIs = whoIs;
    this.media = new Media({
      ...{ iceServers, relayOnly },
      onCandidates: (iceCandidates) => this.#send({ signalType: "iceCandidates", iceCandidates }),
      onConnection: (connection) => this.#connection(connection),
    });
  }

  /** The connection of the call; null until there is one. */
  get call() {
    return this.media.call;
  }

  /** Calls somebody, until it is answered, declined or too long. @param {Person} person */
  async dial(person, /** @type {"VIDEO" | "AUDIO"} */ callType) {
    if (this.#isBusy) return;
    this.#begin(crypto.randomUUID(), { userId: person.id }, true);
    this.#become({ name: "calling", person, callType });
    const call = await this.#open(callType);
    if (!call || !(await this.#does(call, () => call.offer()))) return;
    const repeat = () => {
      this.#send({ signalType: "call", callType, sdp: call.sdp });
      this.#timers.set("repeat", REPEAT_MS, repeat);
    };
    repeat();
    this.#timers.set("answer", ANSWER_MS, () => this.#leave("No answer"));
  }

  /** Takes the call that rings. */
  async accept() {
    const { name, person, callType = "VIDEO" } = this.state;
    if (name !== "ringing") return;
    this.#timers.stop("silence");
    this.#become({ name: "connecting", person, callType });
    const call = await this.#open(callType);
    if (!call || !(await this.#does(call, () => call.answer(this.#offer)))) return;
    await call.addCandidates(this.#early.splice(0));
    this.#answer({ signalType: "accept", sdp: call.sdp });
    call.connect();
  }

  /** Declines the call that rings. */
  reject() {
    if (this.state.name !== "ringing") return;
    this.#answer({ signalType: "reject" });
    this.#end("Declined");
  }

  /** Ends the call, or stops calling. */
  hangUp() {
    this.#leave(this.state.name === "calling" ? "Cancelled" : "Call ended");
  }

  /** Puts the ended call away. */
  clear() {
    if (this.state.name === "ended") this.#become({ name: "idle" });
  }

  /** Switches one's own microphone or camera, and tells the other side. */
  enable(/** @type {"audio" | "video"} */ kind, /** @type {boolean} */ on) {
    this.call?.enable(kind, on);
    const name = kind === "audio" ? "microphone" : "camera";
    this.#send({ signalType: "update", parameters: { [name]: on ? "on" : "off" } });
  }

  /** Offers new ways for the media; the caller does, so that not both sides offer at once. */
  async restart() {
    const { call } = this;
    if (!call || !this.#isCaller || this.state.name !== "talking") return;
    await this.media.renew(call);
    const offered = await this.#does(call, () => call.restart());
    if (offered) this.#send({ signalType: "iceRestart", sdp: call.sdp });
  }

  /** Takes signals one after the other: a description is set before the candidates that follow it. */
  take(/** @type {IncomingSignal} */ signal) {
    this.#turn = this.#turn.then(() => this.#take(signal)).catch((error) => this.#fail(error));
  }

  /** What was sent goes to nobody. */
  refused(/** @type {Signal} */ { signalType, sessionId }, /** @type {string} */ reason) {
    if (sessionId === this.#sessionId && signalType === "call") this.#end(reason, true);
  }

  get #isBusy() {
    return this.state.name !== "idle" && this.state.name !== "ended";
  }

  /** @param {IncomingSignal} signal */
  async #take(signal) {
    const { signalType, sessionId, sdp = "", from } = signal;
    if (signalType === "call") return this.#ring(signal);
    if (!this.#isBusy || sessionId !== this.#sessionId || from.userId !== this.#address.userId)
      return;
    const name = this.state.person?.name ?? "";
    switch (signalType) {
      case "accept":
        if (this.state.name === "calling") return this.#accepted(from, sdp);
        // Another device of theirs was too late.
        if (this.#isCaller && from.device !== this.#address.device) {
          this.line.send(from, { signalType: "hangUp", sessionId });
        }
        return;
      case "reject":
        if (!this.#isCaller || this.state.name !== "calling") return;
        return this.#end(`${name} ${reasonOf(signal)}`);
      case "hangUp":
        return this.#end(this.state.name === "ringing" ? "Missed call" : `${name} hung up`);
      case "iceCandidates":
        if (this.call) return this.call.addCandidates(signal.iceCandidates ?? []);
        this.#early.push(...(signal.iceCandidates ?? []));
        return;
      case "iceRestart": {
        const { call } = this;
        if (!call) return;
        await this.media.renew(call);
        const answered = await this.#does(call, () => call.answer(sdp));
        if (answered) this.#send({ signalType: "iceRestartAccept", sdp: call.sdp });
        return;
      }
      case "iceRestartAccept":
        return this.call?.accepted(sdp);
      case "update": {
        const camera = signal.parameters?.camera;
        if (camera) this.#become({ ...this.state, remoteCameraOff: camera === "off" });
      }
    }
  }

  /** @param {IncomingSignal} signal a `call`, the first or a repeat */
  #ring({ sessionId, from, sdp = "", callType = "VIDEO" }) {
    const answer = this.#answers.of(sessionId);
    if (answer) return this.line.send(from, answer);
    const rings = this.state.name === "ringing" && sessionId === this.#sessionId;
    if (this.state.name === "calling" && from.userId === this.#address.userId) {
      return this.#meet(sessionId, from, sdp, callType);
    }
    if (this.#isBusy && sessionId !== this.#sessionId) {
      const busy = { signalType: "reject", sessionId, userInfo: { busy: "true" } };
      this.#answers.keep(sessionId, busy);
      return this.line.send(from, busy);
    }
    if (answer === null || (this.#isBusy && !rings)) return;
    if (!rings) {
      this.#begin(sessionId, from, false);
      this.#become({ name: "ringing", person: this.whoIs(from.userId), callType });
    }
    this.#offer = sdp;
    this.#timers.set("silence", SILENCE_MS, () => this.#end("Missed call"));
  }

  /**
   * Both call each other: of the two calls that of the user with the smaller id stands, and the other side
   * takes it at once, as both want to talk.
   * @param {string} sessionId @param {Address} from @param {string} sdp @param {"VIDEO" | "AUDIO"} callType
   */
  #meet(sessionId, from, sdp, callType) {
    if (this.userId < from.userId) return;
    this.#send({ signalType: "hangUp" });
    this.#timers.stop();
    this.media.close();
    this.#begin(sessionId, from, false);
    this.#offer = sdp;
    this.#become({ name: "ringing", person: this.whoIs(from.userId), callType });
    // Signals must not wait for a person who is asked for the camera.
    void this.accept();
  }

  /** @param {Address} from the device that took the call @param {string} sdp */
  async #accepted(from, sdp) {
    this.#timers.stop("repeat", "answer");
    this.#address = from;
    this.#become({ ...this.state, name: "connecting" });
    const { call } = this;
    if (call && (await this.#does(call, () => call.accepted(sdp)))) call.connect();
  }

  /** @param {"VIDEO" | "AUDIO"} callType @returns {Promise<Call | null>} null when the call is over meanwhile */
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
   * Does a step of a call; what fails ends it.
   * @param {Call} call @param {() => Promise<void>} step
   * @returns {Promise<boolean>} false when the call is over, by this step or meanwhile
   */
  async #does(call, step) {
    try {
      await step();
    } catch (error) {
      if (call === this.call) this.#fail(error);
    }
    return call === this.call;
  }

  /** @param {Connection} connection */
  #connection(connection) {
    if (connection === "connected") {
      const since = this.state.since ?? Date.now();
      this.#become({ ...this.state, name: "talking", since, recovering: false });
    } else if (connection === "recovering") {
      this.#become({ ...this.state, recovering: true });
      void this.restart();
    } else {
      const { since } = this.state;
      this.#leave(since ? "The connection was lost" : "No connection could be made", true);
    }
  }

  /** Ends the call here, and tells the other side. */
  #leave(/** @type {string} */ reason, wrong = false) {
    if (!this.#isBusy) return;
    // Whoever has not answered declines.
    const declines = !this.#isCaller && !this.#answers.of(this.#sessionId);
    this.#send({ signalType: declines ? "reject" : "hangUp" });
    this.#end(reason, wrong);
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#leave(error instanceof Error ? error.message : String(error), true);
  }

  /** @param {string} reason @param {boolean} [wrong] */
  #end(reason, wrong = false) {
    if (!this.#isBusy) return;
    this.#timers.stop();
    this.media.close();
    this.#answers.close(this.#sessionId);
    const { person, callType, since } = this.state;
    const lasted = since && Date.now() - since;
    this.#become({ name: "ended", person, callType, lasted, reason, wrong });
  }

  /** @param {string} sessionId @param {Address} address @param {boolean} isCaller */
  #begin(sessionId, address, isCaller) {
    this.#sessionId = sessionId;
    this.#address = address;
    this.#isCaller = isCaller;
    this.#early = [];
  }

  /** Answers the call, and again whenever it is repeated: the answer may have been lost. */
  #answer(/** @type {Omit<Signal, "sessionId">} */ signal) {
    this.#answers.keep(this.#sessionId, { ...signal, sessionId: this.#sessionId });
    this.#send(signal);
  }

  /** @param {Omit<Signal, "sessionId">} signal */
  #send(signal) {
    this.line.send(this.#address, { ...signal, sessionId: this.#sessionId });
  }

  /** @param {State} state */
  #become(state) {
    this.state = state;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/** @param {Signal} signal a `reject` */
function reasonOf({ userInfo }) {
  // Text from a chat client; it may be a boolean from others.
  if (String(userInfo?.busy) === "true") return "is busy";
  if (userInfo?.not_supported) return "has no device that can take this call";
  return "declined";
}
