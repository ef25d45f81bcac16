import { closedError, isTransient, SignalboxError } from "../errors.ts";
import {
  AddConferenceCandidateDocument,
  CloseConferencePeerDocument,
} from "../generated/operations.ts";
import { backoffMs } from "../transport/backoff.ts";
import type { Document } from "../transport/document.ts";
import { ConferencePeer } from "./conference-peer.ts";

/** Runs operations of the present membership. */
export interface MembershipOperations {
  /** @throws SignalboxError */
  run<Result, Input extends { membershipId: unknown }>(
    document: Document<Result, { input: Input }>,
    input: Omit<Input, "membershipId">,
  ): Promise<Result>;
}

/** What a {@link MediaPeer} needs. */
export interface MediaPeerDeps {
  readonly membership: MembershipOperations;
  /** @returns a peer connection with the servers of the present membership */
  newConnection(): RTCPeerConnection;
}

/** Time that an interrupted connection has to come back by itself, in milliseconds. */
const INTERRUPTED_MS = 2_000;
const INTERRUPTED = ["disconnected", "failed"];
/** Errors that say nothing of the media: the membership or the media server is gone, and others deal with that. */
const PASSING = ["NOT_FOUND", "CONFLICT", "INTERNAL", "CLOSED"];

/**
 * Keeps one peer connection to the media server: negotiates it, one step at a time, restarts ICE when the network
 * has changed, and opens it again when it is lost.
 */
export abstract class MediaPeer {
  protected readonly deps: MediaPeerDeps;
  #peer: ConferencePeer | null = null;
  #work: Promise<unknown> = Promise.resolve();
  /** Number of the last opening; earlier ones that wait are skipped. */
  #opening = 0;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether ICE was restarted since the media last flowed. */
  #wasRestarted = false;
  #isClosed = false;
  #opened: { resolve(): void; reject(reason: unknown): void }[] = [];

  constructor(deps: MediaPeerDeps) {
    this.deps = deps;
  }

  /** The peer connection at this moment. */
  get peer(): ConferencePeer | null {
    return this.#peer;
  }

  /**
   * Opens a new peer connection in place of the present one, and tries until it succeeds.
   * @throws SignalboxError with which the service refuses it for good, CLOSED
   */
  open(): Promise<void> {
    const opened = new Promise<void>((resolve, reject) => {
      this.#opened.push({ resolve, reject });
    });
    if (this.#isClosed) this.#settle(closedError());
    else this.reopen();
    return opened;
  }

  /** Opens a new peer connection, because the present one is lost. */
  reopen(): void {
    if (this.#isClosed) return;
    this.#drop();
    const opening = this.#opening;
    void this.enqueue(async () => {
      if (opening !== this.#opening) return;
      const peer = this.#create();
      try {
        await this.negotiate(peer);
        this.#settle(null);
      } catch (error) {
        if (this.#peer === peer) this.#failed(error);
      }
    });
  }

  /** Restarts ICE now if the connection is interrupted; for a network that has returned. */
  recover(): void {
    const state = this.#peer?.connection.connectionState ?? "";
    if (INTERRUPTED.includes(state)) this.#restart();
  }

  /** Closes it for good, without telling the media server. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#drop();
    this.#settle(closedError());
  }

  /** Publishes or watches over a new peer connection. */
  protected abstract negotiate(peer: ConferencePeer): Promise<void>;

  /** Restarts ICE. @returns false if a new peer connection is needed */
  protected abstract restart(peer: ConferencePeer): Promise<boolean>;

  /** Runs a step after all earlier ones. Never rejects. */
  protected enqueue(step: () => Promise<void>): Promise<void> {
    const done = this.#work.then(step).catch(() => {});
    this.#work = done;
    return done;
  }

  /** Tells the media server that a peer connection of this side is gone. */
  protected forget(peerId: string): void {
    this.deps.membership.run(CloseConferencePeerDocument, { peerId }).catch(() => {});
  }

  #create(): ConferencePeer {
    const peer: ConferencePeer = new ConferencePeer(this.deps.newConnection(), {
      onState: (state) => {
        if (this.#peer === peer) this.#changed(state);
      },
      onCandidate: (peerId, candidate) => {
        const input = { peerId, ...candidate };
        // The peer connection may be over already.
        this.deps.membership.run(AddConferenceCandidateDocument, input).catch(() => {});
      },
    });
    this.#peer = peer;
    return peer;
  }

  #drop(): void {
    this.#opening += 1;
    clearTimeout(this.#timer);
    this.#peer?.close();
    this.#peer = null;
  }

  #changed(state: RTCPeerConnectionState): void {
    clearTimeout(this.#timer);
    if (state === "connected") {
      this.#failures = 0;
      this.#wasRestarted = false;
    } else if (state === "disconnected") {
      this.#timer = setTimeout(() => this.#restart(), INTERRUPTED_MS);
    } else if (state === "failed") this.#restart();
  }

  #restart(): void {
    clearTimeout(this.#timer);
    const peer = this.#peer;
    if (!peer || this.#wasRestarted) {
      this.reopen();
      return;
    }
    this.#wasRestarted = true;
    void this.enqueue(async () => {
      if (this.#peer !== peer) return;
      const isRestarted = await this.restart(peer).catch(() => false);
      if (!isRestarted && this.#peer === peer) this.reopen();
    });
  }

  #failed(error: unknown): void {
    this.#drop();
    const { code = "INTERNAL", retryAfter = null } = error instanceof SignalboxError ? error : {};
    if (!isTransient(error) && !PASSING.includes(code)) {
      this.#settle(error);
      return;
    }
    this.#failures += 1;
    const wait = Math.max(backoffMs(this.#failures), (retryAfter ?? 0) * 1000);
    this.#timer = setTimeout(() => this.reopen(), wait);
  }

  #settle(error: unknown): void {
    for (const { resolve, reject } of this.#opened.splice(0)) {
      if (error === null) resolve();
      else reject(error);
    }
  }
}
