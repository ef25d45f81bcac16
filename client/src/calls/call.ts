import { Emitter } from "../emitter.ts";
import { asSignalboxError, closedError, SignalboxError } from "../errors.ts";
import { type CaptureOptions, type MediaKind, stopTracks } from "../media/local-media.ts";
import { CallMedia } from "./call-media.ts";
import { CallParticipant, type ParticipantCall } from "./call-participant.ts";
import type { CallSignal } from "./call-signalling.ts";
import { CallStatistics } from "./call-statistics.ts";
import type {
  CallDeps,
  CallDescription,
  CallEvents,
  CallState,
  EndReason,
  Participant,
} from "./call-types.ts";

/** Time for which the last signals of a call are tried, in milliseconds: an outage must not keep a hangUp from its peer. */
const LAST_MS = 60_000;

/**
 * A call with one to three other users. Each pair of participants has a peer connection of its own (a mesh). Calls are
 * made by `calls.start()` and by the event `incoming`.
 *
 * | state | begins when | becomes |
 * |---|---|---|
 * | `calling` | this side starts the call | `connecting`, `connected`, `ended` |
 * | `ringing` | a call comes in | `connecting`, `ended` |
 * | `connecting` | this side accepts, or the first participant does | `connected`, `ended` |
 * | `connected` | the media of a participant flows; it stays while that recovers | `ended` |
 * | `ended` | a side hangs up, the last participant has left, or nobody answered; `endReason` says why | – |
 *
 * @example
 * ```ts
 * const call = await signalbox.calls.start({ users: [42], video: true });
 * call.on("state", (state) => console.log(state));
 * call.on("statistics", (statistics) => {
 *   for (const [userId, { receivedBitrate }] of statistics) console.log(userId, receivedBitrate);
 * });
 * call.on("ended", ({ reason }) => console.log(reason));
 * call.setMuted("audio", true);
 * call.hangUp();
 * ```
 */
export class Call extends Emitter<CallEvents> {
  readonly id: string;
  /** Whether this side was called. */
  readonly isIncoming: boolean;
  readonly video: boolean;
  /** The user who has started it. */
  readonly callerId: string;
  /** What the caller has attached. */
  readonly userInfo: Readonly<Record<string, unknown>>;
  readonly #deps: CallDeps;
  readonly #participants = new Map<string, CallParticipant>();
  readonly #sending = new AbortController();
  #state: CallState;
  readonly #media: CallMedia;
  /** What `start` was asked to capture. */
  #requested: CaptureOptions | MediaStream = {};
  #configuration: RTCConfiguration = {};
  /** Signals are handled one after the other. */
  #work: Promise<unknown> | null = null;
  readonly #statistics: CallStatistics;
  #accepting: Promise<void> | null = null;
  #hasJoined = false;
  #connectedAt: number | null = null;
  #callerName: string | null = null;
  #endReason: EndReason | null = null;
  /** Whether this side has declined it. */
  wasRejected = false;
  #error: SignalboxError | null = null;

  /** @param isIncoming whether this side was called */
  constructor(deps: CallDeps, description: CallDescription, isIncoming: boolean) {
    super();
    this.#deps = deps;
    this.id = description.id;
    this.video = description.video;
    this.callerId = description.callerId;
    this.userInfo = description.userInfo;
    this.isIncoming = isIncoming;
    this.#state = isIncoming ? "ringing" : "calling";
    this.#media = this.#openedMedia();
    this.#statistics = new CallStatistics(this.#participants, (stats) => {
      this.emit("statistics", stats);
    });
    const call = this.#asParticipantCall();
    for (const userId of description.users) {
      this.#participants.set(userId, new CallParticipant(call, userId));
    }
  }

  get state(): CallState {
    return this.#state;
  }

  /**
   * The caller's full name or login at the service, of an incoming call. Null until it is known, soon after the call has
   * begun to ring; `change` follows.
   */
  get callerName(): string | null {
    return this.#callerName;
  }

  /** The other users of the call, also those who have left. */
  get participants(): Participant[] {
    return [...this.#participants.values()].map((each) => each.view());
  }

  /** The own microphone and camera; null before they are open. */
  get localStream(): MediaStream | null {
    return this.#media.stream;
  }

  /** The shared screen; null while none is shared. */
  get screen(): MediaStream | null {
    return this.#media.screen;
  }

  /** When media flowed first, in milliseconds of Date.now(); null before. */
  get connectedAt(): number | null {
    return this.#connectedAt;
  }

  /** Why the call has ended; null before. */
  get endReason(): EndReason | null {
    return this.#endReason;
  }

  /** The error of a call that has failed. */
  get error(): SignalboxError | null {
    return this.#error;
  }

  /** Shows the caller's name, which is read while the call rings. */
  setCallerName(name: string | null): void {
    if (name === null) return;
    this.#callerName = name;
    this.emit("change", undefined);
  }

  /** Whether the own microphone or camera is muted or missing. */
  isMuted(kind: MediaKind): boolean {
    return this.#media.isMuted(kind);
  }

  /** Calls a listener for each event of a name. @returns a function that removes it */
  override on<Name extends keyof CallEvents>(
    name: Name,
    listener: (argument: CallEvents[Name]) => void,
  ): () => void {
    const off = super.on(name, listener);
    if (name !== "statistics" || this.#state === "ended") return off;
    this.#statistics.start();
    return () => {
      off();
      if (!this.hasListeners("statistics")) this.#statistics.stop();
    };
  }

  /**
   * Accepts an incoming call. Does nothing more once the call has ended.
   * @param media what to capture, or a stream of the application's own; by default what the call asks for
   * @throws SignalboxError PERMISSION_DENIED and others of the devices, after which the call still rings; CONFLICT when
   *   another device of this user has accepted
   */
  accept(media: CaptureOptions | MediaStream = {}): Promise<void> {
    this.#accepting ??= this.#accept(media).finally(() => {
      this.#accepting = null;
    });
    return this.#accepting;
  }

  async #accept(media: CaptureOptions | MediaStream): Promise<void> {
    if (this.#state !== "ringing") return;
    await this.#openMedia(media);
    if (this.#state !== "ringing") return;
    this.#hasJoined = true;
    this.#setState("connecting");
    const caller = this.#participants.get(this.callerId);
    try {
      await caller?.answer();
    } catch (error) {
      const reason = asSignalboxError(error);
      // The call has ended, which says why: nothing has failed.
      if (this.#endReason !== null && reason.code === "CLOSED") return;
      if (reason.code === "CONFLICT") this.#end("answered-elsewhere", reason);
      for (const each of this.#participants.values()) each.hangUp("failed", reason);
      throw reason;
    }
    for (const participant of this.#participants.values()) {
      if (participant !== caller) participant.meet().catch(() => {});
    }
  }

  /** Declines an incoming call. @param userInfo to attach, such as a text for the caller */
  reject(userInfo: Readonly<Record<string, unknown>> = {}): void {
    if (this.#state !== "ringing") return;
    this.wasRejected = true;
    for (const each of this.#participants.values()) each.reject(userInfo);
    this.#end("hung-up");
  }

  /**
   * Ends or cancels the call; declines it if it rings.
   * @param keepalive whether the page or the session ends: then the signals are sent by requests that outlive it, also
   *   those of a call that has ended, and a ringing call continues to ring on the user's other devices
   */
  hangUp(keepalive = false): void {
    if (this.#state === "ringing") {
      if (keepalive) this.#end("hung-up");
      else this.reject();
    }
    this.#hangUpAll("hung-up");
    if (!keepalive) return;
    for (const each of this.#participants.values()) each.flush();
    // What waits for a connection must not follow the end.
    this.#sending.abort();
  }

  /** Cancels the call in favour of another one; for `Calls`. @returns what to capture for that one */
  giveWay(): CaptureOptions | MediaStream {
    this.#hangUpAll("replaced");
    // The caller of an audio call has not asked for the camera.
    const requested = this.#requested;
    if (this.video || requested instanceof this.#deps.platform.MediaStream) return requested;
    return { ...requested, video: false };
  }

  #hangUpAll(reason: EndReason): void {
    if (this.#state === "ended") return;
    for (const each of this.#participants.values()) each.hangUp(reason);
    this.#end(reason);
  }

  /** Mutes or unmutes the microphone or the camera, and tells the others. */
  setMuted(kind: MediaKind, muted: boolean): void {
    this.#media.setMuted(kind, muted);
  }

  /**
   * Uses another microphone or camera.
   * @param deviceId of `enumerateDevices`
   * @throws SignalboxError DEVICE_NOT_FOUND, PERMISSION_DENIED, DEVICE_IN_USE
   */
  async useDevice(kind: MediaKind, deviceId: string): Promise<void> {
    await this.#media.local?.useDevice(kind, deviceId);
  }

  /**
   * Shares a screen in place of the camera, until {@link stopScreen} or the browser's own button.
   * @param screen a stream that was captured already; it is stopped when the call has ended
   * @throws SignalboxError PERMISSION_DENIED, UNSUPPORTED for an audio call
   */
  async shareScreen(screen?: MediaStream): Promise<void> {
    if (!this.video) throw new SignalboxError("UNSUPPORTED", "An audio call carries no screen");
    const { local } = this.#media;
    if (local) await local.shareScreen(screen);
    // Nobody would see it.
    else stopTracks(screen ?? null);
  }

  /** Sends the camera again. */
  stopScreen(): void {
    this.#media.local?.stopScreen();
  }

  /** Restarts ICE with the participants whom this side has called; the others do it themselves. */
  async restartIce(): Promise<void> {
    await Promise.all([...this.#participants.values()].map((each) => each.restart()));
  }

  /**
   * Calls the participants; for `calls.start()`. Resolves once one of them is being called.
   * @throws SignalboxError of the devices or of the first `call`
   */
  async start(media: CaptureOptions | MediaStream): Promise<void> {
    this.#requested = media;
    try {
      await this.#openMedia(media);
    } catch (error) {
      this.#end("failed", error);
      throw error;
    }
    if (this.#state !== "calling") throw closedError();
    this.#hasJoined = true;
    await Promise.any([...this.#participants.values()].map((each) => each.call())).catch(
      ({ errors }: AggregateError) => {
        throw asSignalboxError(errors[0]);
      },
    );
  }

  /** Handles a signal of this call after all earlier ones, and the first one at once; for `Calls`. */
  receive(signal: CallSignal): void {
    const participant = this.#participants.get(signal.from.userId);
    if (!participant) return;
    const handle = async () => {
      if (this.#state !== "ended") await participant.receive(signal);
    };
    this.#work = (this.#work?.then(handle) ?? handle()).catch((error) => {
      // Ignore failures of a connection that is already closed.
      if (error?.code !== "CLOSED") participant.hangUp("failed", error);
    });
  }

  /** Another device of this user has settled the call; for `Calls`. @param signalType of its answer */
  settledElsewhere(signalType: string): void {
    if (this.#hasJoined) return;
    this.#end(signalType === "accept" ? "answered-elsewhere" : "rejected-elsewhere");
  }

  /** Whether this is an unanswered call to only one user; for `Calls`. */
  isCallingOnly(userId: string): boolean {
    return (
      this.#state === "calling" && this.#participants.size === 1 && this.#participants.has(userId)
    );
  }

  /** Settles once all signals so far are sent, or cannot be. */
  get sent(): Promise<unknown> {
    return Promise.all([...this.#participants.values()].map(({ sent }) => sent));
  }

  #asParticipantCall(): ParticipantCall {
    const call = this;
    const { id, video, callerId, userInfo } = this;
    const deps = this.#deps;
    return {
      id,
      video,
      deps,
      signals: deps.signals,
      earlierSent: deps.earlierSent,
      signal: this.#sending.signal,
      get hasJoined() {
        return call.#hasJoined;
      },
      get configuration() {
        return call.#configuration;
      },
      requireMedia() {
        if (!call.#media.local) throw closedError();
        return call.#media.local;
      },
      isSilent: (kind) => this.#media.isSilent(kind),
      freshConfiguration: () => this.#freshConfiguration(),
      callContent() {
        const all = [deps.userId, ...call.#participants.keys()];
        const opponentIds = all.filter((userId) => userId !== callerId);
        return { callType: video ? "VIDEO" : "AUDIO", callerId, opponentIds, userInfo };
      },
      onStream: ({ userId }, stream) => {
        this.emit("remoteStream", { userId, stream });
        this.emit("change", undefined);
      },
      onChange: (participant) => {
        if (participant.state === "connected") this.#connectedAt ??= Date.now();
        this.emit("participant", participant.view());
        this.#derive();
      },
      onLeft: (participant, reason, error) => this.#left(participant, reason, error),
    };
  }

  /** The last participant, or the caller of a call that rings, ends the call. */
  #left(participant: CallParticipant, reason: EndReason, error: unknown): void {
    if (this.#state === "ended") return;
    this.emit("participant", participant.view());
    const isEmpty = [...this.#participants.values()].every(({ state }) => state === "left");
    const isGone = this.#state === "ringing" && participant.userId === this.callerId;
    if (isEmpty || isGone) this.#end(reason, error);
    else this.#derive();
  }

  #end(reason: EndReason, error?: unknown): void {
    if (this.#state === "ended") return;
    this.#endReason = reason;
    if (error !== undefined) this.#error = asSignalboxError(error);
    this.#setState("ended");
    const participants = [...this.#participants.values()];
    for (const each of participants) each.leave(reason);
    this.#statistics.stop();
    this.#media.close();
    this.emit("ended", { reason, error: this.#error });
    this.removeListeners();
    const timer = setTimeout(() => this.#sending.abort(), LAST_MS);
    void this.sent.then(() => clearTimeout(timer));
  }

  #derive(): void {
    const states = [...this.#participants.values()].map(({ state }) => state);
    if (states.includes("connected") || states.includes("recovering")) this.#setState("connected");
    else if (this.#state === "calling" && states.includes("connecting")) {
      this.#setState("connecting");
    } else this.emit("change", undefined);
  }

  #setState(state: CallState): void {
    if (this.#state === "ended") return;
    const isNew = this.#state !== state;
    this.#state = state;
    if (isNew) this.emit("state", state);
    this.emit("change", undefined);
  }

  async #openMedia(media: CaptureOptions | MediaStream): Promise<void> {
    const configuring = this.#freshConfiguration();
    await this.#media.open(media);
    // Without servers only a local network connects.
    this.#configuration = (await configuring) ?? this.#configuration;
  }

  #openedMedia(): CallMedia {
    const media = new CallMedia(this.#deps.platform, this.video);
    media.on("change", () => this.emit("change", undefined));
    media.on("track", ({ kind, track }) => {
      for (const { link } of this.#participants.values()) {
        link?.setTrack(kind, track).catch(() => {});
      }
    });
    media.on("silent", ({ kind, silent }) => {
      for (const each of this.#participants.values()) each.tellMute(kind, silent);
    });
    media.on("deviceLost", (lost) => this.emit("deviceLost", lost));
    return media;
  }

  /** @returns null if the servers cannot be read; the earlier ones stay in use then */
  #freshConfiguration(): Promise<RTCConfiguration | null> {
    const iceTransportPolicy = this.#deps.relayOnly ? "relay" : "all";
    return this.#deps.iceServers().then(
      (iceServers) => ({ iceServers, iceTransportPolicy }),
      () => null,
    );
  }
}
