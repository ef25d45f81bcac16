import { Emitter } from "../emitter.ts";
import { closedError, isTransient, type SignalboxError } from "../errors.ts";
import {
  CallAnswersDocument,
  type CallAnswersSubscription,
  CallSignalsDocument,
  type CallSignalsSubscription,
  SendSignalDocument,
  type SendSignalMutation,
  type SignalInput,
} from "../generated/operations.ts";
import { randomId } from "../random-id.ts";
import type { Session } from "../session/session.ts";
import { backoffMs, sleep } from "../transport/backoff.ts";
import { resumeSubscription } from "../transport/resuming-subscription.ts";
import type { ConnectionStatus, Socket } from "../transport/socket.ts";
import { Deduplicator } from "./deduplicator.ts";
import { SignalQueue } from "./signal-queue.ts";

/** A signal to this user. Only `from` identifies its sender: the service sets it. */
export type IncomingSignal = CallSignalsSubscription["callSignals"];

/** The answer with which another device of this user has settled a call. */
export type AnswerElsewhere = CallAnswersSubscription["callAnswers"];

/** Whom a signal is for: all devices of a user, or one. */
export interface SignalAddress {
  readonly userId: string | number;
  /** The `device` of a signal that was received; without it, all devices of the user. */
  readonly device?: string | null | undefined;
}

/** An entry of a loop over {@link Signals}. */
export type SignalEntry =
  | { readonly type: "signal"; readonly signal: IncomingSignal }
  | { readonly type: "answer"; readonly answer: AnswerElsewhere }
  /** Something before the next entry may be missing: what is known of calls in progress may be out of date. */
  | { readonly type: "missed" };

/** Events of {@link Signals}. */
export interface SignalsEvents {
  signal: IncomingSignal;
  answer: AnswerElsewhere;
  /** Something may have been missed: what is known of calls in progress may be out of date. */
  missed: undefined;
  status: ConnectionStatus;
  /** No more signals come: there is no session, or its user may not receive any. */
  ended: SignalboxError;
}

/** Options of {@link Signals.send}. */
export interface SendOptions {
  /** Stops the attempts. */
  signal?: AbortSignal | undefined;
  /** Sends once, in a request that outlives the page. */
  keepalive?: boolean | undefined;
}

/** Time for which an unsent signal is tried again, in milliseconds: as long as a call rings. */
const SEND_MS = 60_000;

/**
 * The user's call signals, as events and as an async iterable. It connects with the first listener or loop, and comes
 * back by itself after a lost connection, behind the last signal. A signal that is delivered twice is reported once.
 *
 * @example
 * ```ts
 * const { signals } = signalbox;
 * await signals.send({ userId: 42 }, { other: { signalType: "wave", callId: "one" } });
 *
 * async function watch() {
 *   for await (const entry of signals) {
 *     if (entry.type === "signal") console.log(entry.signal.signalType, entry.signal.from.userId);
 *     if (entry.type === "missed") console.log("Something may be missing before the next entry");
 *   }
 * }
 * void watch();
 * ```
 */
export class Signals extends Emitter<SignalsEvents> implements AsyncIterable<SignalEntry> {
  readonly #session: Session;
  readonly #socket: Socket;
  readonly #seen = new Deduplicator();
  readonly #queues = new Set<SignalQueue<SignalEntry>>();
  #stop: (() => void)[] = [];
  /** Whether somebody listens, also while no user is signed in. */
  #isWanted = false;
  /** Ends the waits before the next attempt to send. */
  readonly #wakes = new Set<() => void>();
  #isClosed = false;
  #ended: SignalboxError | null = null;
  /** Whether no signal has arrived since a gap was reported. */
  #isGapReported = false;
  /** The user whose signals are received; undefined before it is known. */
  #userId: string | null | undefined;

  constructor(session: Session, socket: Socket) {
    super();
    this.#session = session;
    this.#socket = socket;
    socket.on("status", (status) => this.emit("status", status));
    session.on("changed", ({ userId }) => this.#userChanged(userId));
  }

  /** State of the connection. */
  get status(): ConnectionStatus {
    return this.#socket.status;
  }

  /** Calls a listener for each event of a name, and connects. @returns a function that removes it */
  override on<Name extends keyof SignalsEvents>(
    name: Name,
    listener: (argument: SignalsEvents[Name]) => void,
  ): () => void {
    const off = super.on(name, listener);
    if (name === "signal" || name === "answer") this.connect();
    return off;
  }

  /** Subscribes, unless that is done. */
  connect(): void {
    this.#isWanted = true;
    if (this.#stop.length > 0 || this.#ended) return;
    const { session, socket } = { session: this.#session, socket: this.#socket };
    const variables = (after: string | null, allowGap: boolean) => ({ after, allowGap });
    this.#stop = [
      resumeSubscription({
        socket,
        session,
        variables,
        takesAllowGap: true,
        document: CallSignalsDocument,
        entry: ({ callSignals }) => callSignals,
        onEntry: (signal) => this.#receive(signal),
        onGap: () => {
          this.#isGapReported = true;
          this.#missed();
        },
        onEnd: (reason) => reason && this.#end(reason),
      }),
      resumeSubscription({
        socket,
        session,
        variables,
        takesAllowGap: true,
        document: CallAnswersDocument,
        entry: ({ callAnswers }) => callAnswers,
        onEntry: (answer) => this.#answered(answer),
        // The subscription of signals reports the same.
        onGap: () => {},
        onEnd: (reason) => reason && this.#end(reason),
      }),
    ];
  }

  /**
   * Sends a signal, and tries again for a minute while the service cannot be reached; the signal keeps its id, by
   * which receivers recognize a repeat. Resolves once it is stored in the recipient's inbox.
   * @throws SignalboxError, for instance NOT_FOUND, FULL, CONFLICT, or CLOSED if it was aborted
   */
  async send(
    { userId, device }: SignalAddress,
    signal: SignalInput,
    { signal: abort, keepalive }: SendOptions = {},
  ): Promise<SendSignalMutation["sendSignal"]> {
    const to = { userId: String(userId), device: device ?? null };
    const variables = { input: { id: randomId(), to, signal } };
    const end = Date.now() + SEND_MS;
    for (let failures = 1; ; failures += 1) {
      try {
        const sent = keepalive
          ? await this.#session.execute(SendSignalDocument, variables, { keepalive })
          : await this.#socket.execute(SendSignalDocument, variables, abort);
        return sent.sendSignal;
      } catch (error) {
        if (!isTransient(error) || keepalive || abort?.aborted || Date.now() > end) throw error;
        const wait = Math.max(backoffMs(failures), (error.retryAfter ?? 0) * 1000);
        await sleep(wait, abort, (wake) => {
          this.#wakes.add(wake);
          return () => this.#wakes.delete(wake);
        });
        if (abort?.aborted || this.#isClosed) throw closedError();
      }
    }
  }

  /** Loops over all that arrives from now on. Leaving the loop ends it; an error of the connection is thrown. */
  [Symbol.asyncIterator](): AsyncIterableIterator<SignalEntry> {
    const queue: SignalQueue<SignalEntry> = new SignalQueue<SignalEntry>(
      () => ({ type: "missed" }),
      () => this.#queues.delete(queue),
    );
    if (this.#ended) queue.end(this.#ended);
    else this.#queues.add(queue);
    this.connect();
    return queue;
  }

  /** Ends the subscriptions, the loops and what waits to be sent. */
  close(): void {
    this.#isWanted = false;
    this.#isClosed = true;
    for (const wake of [...this.#wakes]) wake();
    this.#stopAll();
    for (const queue of this.#queues) queue.end();
    this.#queues.clear();
    this.removeListeners();
  }

  #receive(signal: IncomingSignal): void {
    // The first signal after a gap repeats what was reported when the gap was found.
    if (signal.mayHaveMissed && !this.#isGapReported) this.#missed();
    this.#isGapReported = false;
    if (this.#seen.isDuplicate(signal.cursor)) return;
    this.#push({ type: "signal", signal });
    this.emit("signal", signal);
  }

  #answered(answer: AnswerElsewhere): void {
    if (this.#seen.isDuplicate(answer.cursor)) return;
    this.#push({ type: "answer", answer });
    this.emit("answer", answer);
  }

  #missed(): void {
    this.#push({ type: "missed" });
    this.emit("missed", undefined);
  }

  /** Another user has another inbox. */
  #userChanged(userId: string | null): void {
    if (this.#userId === userId) return;
    const isFirst = this.#userId === undefined;
    this.#userId = userId;
    if (isFirst && !this.#ended) return;
    this.#stopAll();
    this.#ended = null;
    this.#seen.clear();
    if (this.#isWanted && userId !== null) this.connect();
  }

  #push(entry: SignalEntry): void {
    for (const queue of this.#queues) queue.push(entry);
  }

  #end(reason: SignalboxError): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.#stopAll();
    for (const queue of this.#queues) queue.end(reason);
    this.#queues.clear();
    this.emit("ended", reason);
  }

  #stopAll(): void {
    for (const stop of this.#stop.splice(0)) stop();
  }
}
