import type { SignalInput } from "../generated/operations.ts";
import type { CallSignalling } from "./call-signalling.ts";

/** The signals of a call. */
type SignalType = Exclude<keyof SignalInput, "other">;

/** What a signal has besides the id of its call. */
export type SignalContent = Record<string, unknown>;

/** Time without an answer after which a call is given up, in milliseconds (docs/SIGNALING.md, Call). */
const ANSWER_MS = 60_000;
/** Interval of the repeats of `call`, in milliseconds. */
const REPEAT_MS = 5_000;

/** The call that the signals belong to. */
export interface SignalledCall {
  readonly id: string;
  readonly signals: CallSignalling;
  /** Settles when the first signal may be sent. Never rejects. */
  readonly earlierSent: Promise<unknown>;
  /** Aborted when nothing is to be sent any more. */
  readonly signal: AbortSignal;
}

/** The signals of a call to one user, in order, with the repeats of `call` and the time-outs. */
export class ParticipantSignals {
  readonly #call: SignalledCall;
  #sending: Promise<unknown>;
  #repeat: ReturnType<typeof setInterval> | undefined;
  #timeout: ReturnType<typeof setTimeout> | undefined;
  /** Devices that have accepted too late. */
  readonly #refused = new Set<string | null>();
  /** Sends the `hangUp` or `reject` again that is not sent yet, by a request that outlives the page. */
  #sendLast: (() => void) | null = null;
  /** The device that takes part; null while all of the user's devices are addressed. */
  device: string | null = null;

  constructor(
    call: SignalledCall,
    readonly userId: string,
  ) {
    this.#call = call;
    this.#sending = call.earlierSent;
  }

  /**
   * Sends a signal after all earlier ones.
   * @param keepalive whether the page closes: then it is sent at once, and once
   * @throws SignalboxError
   */
  async send(type: SignalType, content: SignalContent = {}, keepalive = false): Promise<void> {
    const { id: callId, signals, signal } = this.#call;
    const input = { [type]: { callId, platform: "web", ...content } } as unknown as SignalInput;
    const { userId, device } = this;
    const isLast = !keepalive && (type === "hangUp" || type === "reject");
    const sendLast = isLast ? () => this.post(type, content, true) : null;
    this.#sendLast = sendLast;
    const sent = keepalive
      ? signals.send({ userId, device }, input, { keepalive })
      : this.#sending.then(() => signals.send({ userId, device }, input, { signal }));
    this.#sending = sent
      .catch(() => {})
      .then(() => {
        if (this.#sendLast === sendLast) this.#sendLast = null;
      });
    await sent;
  }

  /** Sends a signal whose failure changes nothing: the call continues, or ends by its time-outs. */
  post(type: SignalType, content?: SignalContent, keepalive?: boolean): void {
    this.send(type, content, keepalive).catch(() => {});
  }

  /** The page or the session ends: the `hangUp` or `reject` that waits, or is on its way, is sent at once. */
  flush(): void {
    this.#sendLast?.();
  }

  /** Ends the call for a device that has accepted too late. */
  refuse(device: string | null): void {
    this.#refused.add(device);
    const { id: callId, signals, signal } = this.#call;
    const input = { hangUp: { callId, platform: "web" } };
    signals.send({ userId: this.userId, device }, input, { signal }).catch(() => {});
  }

  /**
   * Sends `call` until it is answered or given up. Resolves once the first one is stored.
   * @throws SignalboxError for instance NOT_FOUND, FULL
   */
  async ring(content: SignalContent, onTimeout: () => void): Promise<void> {
    this.expect(ANSWER_MS, onTimeout);
    let isSending = false;
    const call = async () => {
      isSending = true;
      await this.send("call", content).finally(() => {
        isSending = false;
      });
    };
    this.#repeat = setInterval(() => {
      // While the service cannot be reached, repeats must not pile up.
      if (!isSending) call().catch(() => {});
    }, REPEAT_MS);
    await call();
  }

  /** Whether a device has accepted too late. */
  isRefused(device: string | null): boolean {
    return this.#refused.has(device);
  }

  /** Settles once everything so far is sent, or cannot be. */
  get sent(): Promise<unknown> {
    return this.#sending;
  }

  /** Calls back unless {@link stop} is called in time. */
  expect(ms: number, onTimeout: () => void): void {
    clearTimeout(this.#timeout);
    this.#timeout = setTimeout(onTimeout, ms);
  }

  /** Stops the repeats and the time-out. */
  stop(): void {
    clearInterval(this.#repeat);
    clearTimeout(this.#timeout);
  }
}
