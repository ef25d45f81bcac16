import type { LocalMedia, MediaKind } from "../media/local-media.ts";
import type { CallSignal } from "./call-signalling.ts";
import {
  type CallDeps,
  type EndReason,
  isSmallerId,
  type Participant,
  type ParticipantState,
} from "./call-types.ts";
import {
  ParticipantSignals,
  type SignalContent,
  type SignalledCall,
} from "./participant-signals.ts";
import { PeerLink, type SignalledCandidate } from "./peer-link.ts";

/** Time without a repeated `call` after which the caller has given up, in milliseconds. */
const SILENCE_MS = 15_000;
/** Longest time for which a call rings, in milliseconds. */
const RINGING_MS = 60_000;
/** Time in which another one of a group must call, in milliseconds. */
const GROUP_MS = 60_000;
/** Maximum number of candidates that wait for the peer connection. */
const CANDIDATES_MAX = 200;

/** What a {@link CallParticipant} needs of its call. */
export interface ParticipantCall extends SignalledCall {
  readonly deps: CallDeps;
  readonly video: boolean;
  /** Whether this side takes part: it has called or accepted. */
  readonly hasJoined: boolean;
  /** @throws SignalboxError CLOSED when the call has ended */
  requireMedia(): LocalMedia;
  /** Whether the others get nothing of a kind. */
  isSilent(kind: MediaKind): boolean;
  /** The servers for a new peer connection. */
  readonly configuration: RTCConfiguration;
  /** The servers with fresh credentials; null if they cannot be read. */
  freshConfiguration(): Promise<RTCConfiguration | null>;
  /** What a `call` has besides its offer. */
  callContent(): SignalContent;
  onStream(participant: CallParticipant, stream: MediaStream): void;
  /** The participant has another state, or says that it is muted. */
  onChange(participant: CallParticipant): void;
  /** The participant has left. */
  onLeft(participant: CallParticipant, reason: EndReason, error?: unknown): void;
}

/** One of the other users of a call: the signals to and from it, and the media between the two. */
export class CallParticipant {
  readonly #call: ParticipantCall;
  readonly #signals: ParticipantSignals;
  #link: PeerLink | null = null;
  /** Whether this side has sent the offer. */
  #isCaller = false;
  /** Whether media has flowed. */
  #wasConnected = false;
  /** The restart of ICE in progress, and whether another one is to follow. */
  #restart: "none" | "running" | "again" = "none";
  /** When the first `call` arrived, in milliseconds of Date.now(). */
  #calledAt: number | null = null;
  /** The answer that was sent, which is sent again when `call` is repeated. */
  #answer: string | null = null;
  /** Whether the answer is on its way: a signal that is repeated needs no other one. */
  #isAnswering = false;
  readonly #candidates: SignalledCandidate[] = [];
  #state: ParticipantState = "ringing";
  #reason: EndReason | null = null;
  #audioMuted = false;
  #videoMuted = false;
  /** The offer of this user, which waits for the local answer. */
  offer: string | null = null;

  constructor(
    call: ParticipantCall,
    readonly userId: string,
  ) {
    this.#call = call;
    this.#signals = new ParticipantSignals(call, userId);
  }

  get state(): ParticipantState {
    return this.#state;
  }

  /** The media connection; null before there is one. */
  get link(): PeerLink | null {
    return this.#link;
  }

  /** This participant as an application sees it. */
  view(): Participant {
    const stream = this.#link?.stream;
    return {
      userId: this.userId,
      state: this.#state,
      stream: stream && stream.getTracks().length > 0 ? stream : null,
      audioMuted: this.#audioMuted,
      videoMuted: this.#videoMuted,
      reason: this.#reason,
    };
  }

  /** Calls the user. Resolves once the first `call` is stored. @throws SignalboxError */
  async call(): Promise<void> {
    let link: PeerLink | null = null;
    try {
      link = await this.#open();
      this.#isCaller = true;
      const content = { ...this.#call.callContent(), sdp: await link.offer() };
      await this.#signals.ring(content, () => this.hangUp("no-answer"));
    } catch (error) {
      // A call of this user has crossed the own one, and continues over another connection.
      if (link && this.#link !== link && this.#state !== "left") return;
      this.leave("failed", error);
      throw error;
    }
  }

  /** Answers the offer of this user. @throws SignalboxError CONFLICT when another device has answered */
  async answer(): Promise<void> {
    if (this.offer === null || this.#isAnswering) return;
    this.#isAnswering = true;
    try {
      this.#signals.stop();
      this.#isCaller = false;
      const link = await this.#open();
      const sdp = await link.answer(this.offer);
      if (this.#link !== link) return;
      this.#answer = sdp;
      await this.#signals.send("accept", { sdp });
      if (this.#link !== link) return;
      link.connect();
      this.#tellMutes();
    } finally {
      this.#isAnswering = false;
    }
  }

  /**
   * Connects with another one whom the caller has called: the one with the greater id calls, as published legacy
   * clients do.
   */
  async meet(): Promise<void> {
    if (this.#state === "left") return;
    if (this.offer !== null) return this.answer();
    if (isSmallerId(this.userId, this.#call.deps.userId)) return this.call();
    this.#signals.expect(GROUP_MS, () => this.leave("no-answer"));
  }

  /** Handles a signal of this user. @throws Error for a description that the platform refuses */
  async receive(signal: CallSignal): Promise<void> {
    const { signalType, from, userInfo } = signal;
    const sdp = signal.sdp ?? "";
    if (this.#signals.isRefused(from.device)) return;
    switch (signalType) {
      case "call":
        return this.#called(from.device, sdp);
      case "accept":
        return this.#accepted(from.device, sdp);
      case "reject":
        if (this.#isCaller && this.#state === "ringing") this.leave(rejectReason(userInfo ?? null));
        return;
      case "hangUp":
        if (!this.#isPeer(from.device)) return;
        return this.leave(this.#call.hasJoined ? "remote-hung-up" : "missed");
      case "iceCandidates":
        if (!this.#isPeer(from.device)) return;
        return this.#addCandidates(signal.iceCandidates ?? []);
      case "iceRestart":
        if (!this.#isPeer(from.device)) return;
        return this.#restarted(sdp);
      case "iceRestartAccept":
        if (!this.#isPeer(from.device)) return;
        return this.#restartAccepted(sdp);
      case "update":
        this.#updated(signal.parameters ?? {});
    }
  }

  /** Declines the call of this user. */
  reject(userInfo: SignalContent): void {
    if (this.offer !== null) this.#signals.post("reject", { userInfo });
  }

  /** Ends the call with this user. */
  hangUp(reason: EndReason, error?: unknown): void {
    if (this.#state === "left") return;
    this.#signals.post("hangUp");
    this.leave(reason, error);
  }

  /** Sends the end of the call at once, if it is not sent yet, by a request that outlives the page. */
  flush(): void {
    this.#signals.flush();
  }

  /** Settles once all signals are sent, or cannot be. */
  get sent(): Promise<unknown> {
    return this.#signals.sent;
  }

  /** Restarts ICE, if this side has called; the other one does it itself otherwise, to avoid glare. */
  async restart(): Promise<void> {
    const link = this.#link;
    if (!link || !this.#isCaller || !this.#wasConnected) return;
    if (this.#restart !== "none") {
      // The answer to an earlier offer would be taken for that to a later one.
      this.#restart = "again";
      return;
    }
    this.#restart = "running";
    try {
      const sdp = await link.restart(await this.#call.freshConfiguration());
      await this.#signals.send("iceRestart", { sdp });
    } catch (error) {
      this.#restart = "none";
      throw error;
    }
  }

  /** Says that the microphone or camera is muted or not. */
  tellMute(kind: MediaKind, muted: boolean): void {
    if (!this.#link) return;
    const name = kind === "audio" ? "microphone" : "camera";
    this.#signals.post("update", { parameters: { [name]: muted ? "off" : "on" } });
  }

  /** Leaves, without a signal. */
  leave(reason: EndReason, error?: unknown): void {
    if (this.#state === "left") return;
    this.#signals.stop();
    this.#state = "left";
    this.#reason = reason;
    this.#link?.close();
    this.#link = null;
    this.#call.onLeft(this, reason, error);
  }

  /** A `call`, the first or a repeat. */
  async #called(device: string | null, sdp: string): Promise<void> {
    if (this.#state === "left" || this.#isAnswering) return;
    if (this.#answer !== null) {
      // The answer has crossed the repeat.
      if (this.#isFrom(device)) this.#signals.post("accept", { sdp: this.#answer });
      return;
    }
    const { deps, hasJoined } = this.#call;
    // Both of a pair have called: the call of the smaller id wins.
    if (this.#isCaller && isSmallerId(deps.userId, this.userId)) return;
    this.offer = sdp;
    this.#signals.device = device;
    if (hasJoined) return this.answer();
    this.#calledAt ??= Date.now();
    this.#expectRepeat(this.#calledAt + RINGING_MS);
  }

  /** Waits for the next `call`, and longer while no signal can arrive. @param end time in milliseconds of Date.now() */
  #expectRepeat(end: number, wasOffline = false): void {
    this.#signals.expect(SILENCE_MS, () => {
      const { status = "online" } = this.#call.signals;
      const isOffline = status !== "online";
      if (Date.now() < end && (isOffline || wasOffline)) this.#expectRepeat(end, isOffline);
      else this.leave("missed");
    });
  }

  async #accepted(device: string | null, sdp: string): Promise<void> {
    if (!this.#isCaller || this.#state === "left") return;
    if (this.#signals.device !== null) {
      if (this.#signals.device !== device) this.#signals.refuse(device);
      return;
    }
    this.#signals.stop();
    this.#signals.device = device;
    await this.#link?.accepted(sdp);
    this.#link?.connect();
    this.#tellMutes();
  }

  async #restartAccepted(sdp: string): Promise<void> {
    await this.#link?.accepted(sdp);
    const isAgain = this.#restart === "again";
    this.#restart = "none";
    if (isAgain) await this.restart();
  }

  async #restarted(sdp: string): Promise<void> {
    const link = this.#link;
    if (!link) return;
    link.configure(await this.#call.freshConfiguration());
    this.#signals.post("iceRestartAccept", { sdp: await link.answer(sdp) });
  }

  async #addCandidates(candidates: readonly SignalledCandidate[]): Promise<void> {
    if (this.#link) return this.#link.addCandidates(candidates);
    this.#candidates.push(...candidates);
    this.#candidates.splice(0, this.#candidates.length - CANDIDATES_MAX);
  }

  #updated({ microphone, camera }: Record<string, unknown>): void {
    if (microphone !== undefined) this.#audioMuted = microphone === "off";
    if (camera !== undefined) this.#videoMuted = camera === "off";
    this.#call.onChange(this);
  }

  /** Tells a participant who has come what was muted before. */
  #tellMutes(): void {
    for (const kind of ["audio", "video"] as const) {
      if (this.#call.isSilent(kind)) this.tellMute(kind, true);
    }
  }

  async #open(): Promise<PeerLink> {
    const { deps, configuration, video } = this.#call;
    const link = new PeerLink(deps.platform, configuration, this.#call.requireMedia(), video);
    this.#link?.close();
    this.#link = link;
    link.on("candidates", (iceCandidates) =>
      this.#signals.post("iceCandidates", { iceCandidates }),
    );
    link.on("stream", (stream) => this.#call.onStream(this, stream));
    link.on("state", (state) => {
      if (state === "new") return;
      if (state === "lost") {
        return this.hangUp(this.#wasConnected ? "connection-lost" : "not-connected");
      }
      this.#state = state;
      this.#wasConnected ||= state === "connected";
      this.#call.onChange(this);
      if (state === "recovering") this.restart().catch(() => {});
    });
    await link.addCandidates(this.#candidates.splice(0));
    return link;
  }

  /**
   * Whether a device is the one that takes part. It has another name once it comes back with a renewed session, which
   * is believed after media has flowed; before that, it may be one that has accepted too late.
   */
  #isPeer(device: string | null): boolean {
    if (this.#isFrom(device)) return true;
    if (this.#wasConnected) this.#signals.device = device;
    return this.#wasConnected;
  }

  #isFrom(device: string | null): boolean {
    return this.#signals.device === null || this.#signals.device === device;
  }
}

/** Texts from XMPP clients; possibly a boolean or a number from others. */
function rejectReason(userInfo: Record<string, unknown> | null): EndReason {
  if (String(userInfo?.busy) === "true") return "busy";
  return userInfo?.not_supported ? "not-supported" : "rejected";
}
