import { Fault } from "../core/errors";
import type { Device, Parcel } from "./device";
import type { Router } from "./router";
import type { Party } from "./signal";

/** Signals that wait for a slow subscriber at most; then its connection is closed. */
export const SUBSCRIBER_QUEUE = 256;

type SignalParcel = Parcel & { kind: "signal" };

/**
 * Connects a subscriber as a device of the router; resolves once signals reach it. The queue is
 * bounded: a subscriber that does not keep up is told LIMITED and disconnected, never passed over.
 * @param hangUp closes the subscriber's connection
 */
export async function openSubscriber(
  router: Router,
  party: Required<Party>,
  hangUp: (() => void) | undefined,
): Promise<AsyncIterableIterator<SignalParcel>> {
  const subscriber = new Subscriber(party, hangUp);
  subscriber.detach = await router.attach(subscriber);
  return subscriber;
}

class Subscriber implements Device, AsyncIterableIterator<SignalParcel> {
  readonly door = "graphql";
  detach: () => Promise<void> = async () => undefined;
  private readonly queue: SignalParcel[] = [];
  private waiting: ((next: IteratorResult<SignalParcel>) => void) | null = null;
  private failure: Fault | null = null;
  private done = false;

  constructor(
    readonly party: Required<Party>,
    private readonly hangUp: (() => void) | undefined,
  ) {}

  receive(parcel: Parcel): void {
    // A stanza that is no signal has no form in GraphQL.
    if (this.done || parcel.kind !== "signal") return;
    if (this.waiting) {
      const resolve = this.waiting;
      this.waiting = null;
      resolve({ value: parcel, done: false });
    } else if (this.queue.length < SUBSCRIBER_QUEUE) {
      this.queue.push(parcel);
    } else {
      this.failure = new Fault("LIMITED", "Signals came faster than they were taken", undefined, 1);
      this.close();
      this.hangUp?.();
    }
  }

  /** Ends the subscription; the reasons all read the same to a subscriber. */
  close(): void {
    if (this.done) return;
    this.done = true;
    this.queue.length = 0;
    this.waiting?.({ value: undefined, done: true });
    this.waiting = null;
    void this.detach();
  }

  async next(): Promise<IteratorResult<SignalParcel>> {
    const parcel = this.queue.shift();
    if (parcel) return { value: parcel, done: false };
    if (this.failure) {
      const { failure } = this;
      this.failure = null;
      throw failure;
    }
    if (this.done) return { value: undefined, done: true };
    return new Promise((resolve) => {
      this.waiting = resolve;
    });
  }

  async return(): Promise<IteratorResult<SignalParcel>> {
    this.close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<SignalParcel> {
    return this;
  }
}
