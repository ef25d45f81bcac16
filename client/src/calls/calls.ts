import { Emitter } from "../emitter.ts";
import { SignalboxError } from "../errors.ts";
import type { CaptureOptions } from "../media/local-media.ts";
import type { MediaPlatform } from "../media/media-platform.ts";
import { randomId } from "../random-id.ts";
import { onWindow } from "../transport/platform-events.ts";
import { Call } from "./call.ts";
import type { CallSignal, CallSignalling } from "./call-signalling.ts";
import { type CallDeps, isSmallerId } from "./call-types.ts";

/** Whom to call, and with what. */
export interface StartOptions {
  /** One to three users. */
  readonly users: readonly (string | number)[];
  /** Whether the call has video; false by default. */
  readonly video?: boolean;
  /** What to capture in place of the default devices, or a stream of the application's own. */
  readonly media?: CaptureOptions | MediaStream;
  /** Custom data for the others, such as a topic. */
  readonly userInfo?: Readonly<Record<string, unknown>>;
}

/** Options of {@link Calls}. */
export interface CallsOptions {
  /** The signals of a client of this package, or those of another protocol. */
  readonly signals: CallSignalling;
  /** Id of the signed-in user; null while nobody is. */
  userId(): Promise<string | null>;
  /** The name of a user, for `callerName`; null if it has none. Without this, callers have no name. */
  userName?(userId: string): Promise<string | null>;
  /** STUN and TURN servers with fresh credentials. */
  iceServers(): Promise<RTCIceServer[]>;
  /** The platform's media objects; null if it has none: calls are then declined as not supported. */
  readonly media: MediaPlatform | null;
  /** Whether all media goes through a TURN server. */
  readonly relayOnly: boolean;
}

/** Events of {@link Calls}. */
export interface CallsEvents {
  /** A call that rings. While another call is in progress, further ones are declined as busy. */
  incoming: Call;
  /** A call began or ended. */
  change: undefined;
}

/** Maximum number of users besides the own one. */
const USERS_MAX = 3;
/** Maximum number of settled calls that are remembered, because their caller may repeat `call`. */
const SETTLED_MAX = 100;

/**
 * The calls of the signed-in user on this device: one at a time.
 *
 * @example
 * ```ts
 * const { calls } = signalbox;
 * calls.on("incoming", (call) => {
 *   if (call.video) void call.accept();
 *   else call.reject();
 * });
 * const call = await calls.start({ users: [42], userInfo: { topic: "Order 7" } });
 * console.log(calls.current === call);
 * call.hangUp();
 * ```
 */
export class Calls extends Emitter<CallsEvents> {
  readonly #options: CallsOptions;
  /** Calls that have ended, with the `reject` that a repeat of their `call` gets again. */
  readonly #settled = new Map<string, Readonly<Record<string, unknown>> | null>();
  readonly #stop: (() => void)[] = [];
  #current: Call | null = null;
  /** The call in progress, and those whose last signals are not sent yet. */
  readonly #unsent = new Set<Call>();
  #earlierSent: Promise<unknown> = Promise.resolve();
  /** The own user, as it was known last. */
  #userId: string | null = null;
  /** Signals wait until the own user is known. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: CallsOptions) {
    super();
    this.#options = options;
  }

  /** The call in progress, which may still ring; null if there is none. */
  get current(): Call | null {
    return this.#current;
  }

  /** Calls a listener for each event of a name, and connects. @returns a function that removes it */
  override on<Name extends keyof CallsEvents>(
    name: Name,
    listener: (argument: CallsEvents[Name]) => void,
  ): () => void {
    this.#connect();
    return super.on(name, listener);
  }

  /**
   * Calls one to three users. Resolves when they are being called.
   * @throws SignalboxError FULL for more users, CONFLICT during another call, NOT_FOUND for an unknown user,
   *   PERMISSION_DENIED and others of the devices, CLOSED if it was hung up in the meantime
   */
  async start({ users, video = false, media = {}, userInfo = {} }: StartOptions): Promise<Call> {
    this.#connect();
    if (this.#current) throw new SignalboxError("CONFLICT", "Another call is in progress");
    const deps = await this.#deps();
    if (this.#current) throw new SignalboxError("CONFLICT", "Another call is in progress");
    const description = {
      id: randomId(),
      video,
      callerId: deps.userId,
      users: [...new Set(users.map(String))].filter((userId) => userId !== deps.userId),
      userInfo,
    };
    const { length } = description.users;
    if (length === 0) throw new SignalboxError("INVALID", "Nobody to call");
    if (length > USERS_MAX) {
      throw new SignalboxError("FULL", `A call has at most ${USERS_MAX} other users`);
    }
    const call = new Call(deps, description, false);
    this.#follow(call);
    await call.start(media);
    return call;
  }

  /**
   * Hangs up because the page or the session ends; resolves once that is sent, or cannot be. A ringing call continues to
   * ring on the user's other devices.
   */
  async leave(): Promise<void> {
    const leaving = [...this.#unsent].map((call) => {
      call.hangUp(true);
      return call.sent;
    });
    await Promise.all(leaving);
  }

  /** Hangs up, and stops listening. A ringing call continues to ring on the user's other devices. */
  close(): void {
    void this.leave();
    for (const stop of this.#stop.splice(0)) stop();
    this.removeListeners();
  }

  #connect(): void {
    if (this.#stop.length > 0) return;
    this.#stop.push(
      this.#options.signals.on("signal", (signal) => this.#receive(signal)),
      this.#options.signals.on("answer", ({ callId, signalType }) => {
        if (this.#current?.id === callId) this.#current.settledElsewhere(signalType);
        this.#remember(callId, null);
      }),
      // After a change of the network the old path may be dead.
      onWindow("online", () => void this.#current?.restartIce().catch(() => {})),
      onWindow("pagehide", () => void this.leave()),
    );
  }

  #receive(signal: CallSignal): void {
    this.#work = this.#work
      .then(async () => this.#handle(signal, await this.#ownUser()))
      .catch(() => {});
  }

  /** The own user. While the service does not tell, it is the one that was known last. */
  async #ownUser(): Promise<string | null> {
    try {
      this.#userId = await this.#options.userId();
    } catch (error) {
      if (this.#userId === null) throw error;
    }
    return this.#userId;
  }

  #handle(signal: CallSignal, userId: string | null): void {
    const { signalType, callId } = signal;
    if (callId === null || userId === null) return;
    if (this.#current?.id === callId) this.#current.receive(signal);
    else if (signalType === "call") this.#called(signal, callId, userId);
  }

  /** A `call` that is not the one in progress. */
  #called(signal: CallSignal, callId: string, userId: string): void {
    const current = this.#current;
    const { userId: callerId } = signal.from;
    if (this.#settled.has(callId)) {
      // The answer to an earlier `call` was lost.
      const userInfo = this.#settled.get(callId);
      if (userInfo) this.#reject(signal, userInfo);
    } else if (!this.#options.media) this.#decline(signal, { not_supported: 1 });
    else if (!current) this.#ring(signal, userId, this.#options.media);
    else if (!current.isCallingOnly(callerId)) this.#decline(signal, { busy: true });
    else if (isSmallerId(callerId, userId)) {
      // Both have called each other: the call of the user with the smaller id wins.
      const media = current.giveWay();
      this.#ring(signal, userId, this.#options.media)
        .accept(media)
        .catch(() => {});
    }
  }

  #ring(signal: CallSignal, userId: string, platform: MediaPlatform): Call {
    const { callId, from, callType, callerId, opponentIds, userInfo } = signal;
    const called = opponentIds ?? [];
    // In a group, the call of another one who was called may arrive before that of the caller.
    const claimed = called.includes(from.userId) ? [callerId ?? "", ...called] : called;
    const others = new Set([from.userId, ...claimed.filter((id) => /^\d{1,19}$/.test(id))]);
    others.delete(userId);
    const description = {
      id: callId ?? "",
      video: callType !== "AUDIO",
      callerId: from.userId,
      users: [...others].slice(0, USERS_MAX),
      userInfo: userInfo ?? {},
    };
    const call = new Call(this.#depsOf(userId, platform), description, true);
    // A device that learns of the call may answer it immediately.
    call.receive(signal);
    this.#follow(call);
    this.emit("incoming", call);
    // A call rings without waiting for the name, and also if that cannot be read.
    this.#options.userName?.(from.userId).then(
      (name) => call.setCallerName(name),
      () => {},
    );
    return call;
  }

  #follow(call: Call): void {
    this.#current = call;
    this.#unsent.add(call);
    call.on("ended", () => {
      this.#earlierSent = call.sent;
      void call.sent.then(() => this.#unsent.delete(call));
      this.#remember(call.id, call.wasRejected ? {} : null);
      if (this.#current === call) this.#current = null;
      this.emit("change", undefined);
    });
    this.emit("change", undefined);
  }

  #decline(signal: CallSignal, userInfo: Readonly<Record<string, unknown>>): void {
    this.#remember(signal.callId ?? "", userInfo);
    this.#reject(signal, userInfo);
  }

  #reject({ from, callId }: CallSignal, userInfo: Readonly<Record<string, unknown>>): void {
    const reject = { callId: callId ?? "", platform: "web", userInfo };
    this.#options.signals.send(from, { reject }).catch(() => {});
  }

  #remember(callId: string, userInfo: Readonly<Record<string, unknown>> | null): void {
    this.#settled.set(callId, userInfo);
    const [oldest] = this.#settled.keys();
    if (this.#settled.size > SETTLED_MAX && oldest !== undefined) this.#settled.delete(oldest);
  }

  async #deps(): Promise<CallDeps> {
    const { media } = this.#options;
    if (!media) {
      throw new SignalboxError(
        "UNSUPPORTED",
        "This page has no WebRTC: it needs a browser and TLS",
      );
    }
    const userId = await this.#options.userId();
    if (userId === null) throw new SignalboxError("FORBIDDEN", "Nobody is signed in");
    return this.#depsOf(userId, media);
  }

  #depsOf(userId: string, platform: MediaPlatform): CallDeps {
    const { signals, relayOnly, iceServers } = this.#options;
    const earlierSent = this.#earlierSent;
    return { signals, platform, userId, relayOnly, iceServers, earlierSent };
  }
}
