import { BoundedStream } from "../core/bounded-stream";
import { Fault } from "../core/errors";
import type { Parcel } from "./device";
import type { Router } from "./router";
import type { Party } from "./signal";

/** Maximum number of signals queued for a slow subscriber; beyond it, its connection is closed. */
export const SUBSCRIBER_QUEUE = 256;

/** Messages of one kind. */
export type ParcelOf<Kind extends Parcel["kind"]> = Parcel & { kind: Kind };

/** The options of a subscription. */
export interface SubscriberOptions<Kind extends Parcel["kind"]> {
  party: Required<Party>;
  /** The kind of messages to receive. */
  kind: Kind;
  /** Cursor to resume after; undefined for a new device. */
  after: string | undefined;
  /** Closes the subscriber's connection. */
  disconnect: (() => void) | undefined;
}

/**
 * Attaches a GraphQL subscriber to the router as a device. Resolves once messages reach it. Its queue is
 * bounded: a slow consumer receives LIMITED and is disconnected, and never misses a message silently.
 * @throws Fault INVALID on `after`
 */
export async function openSubscriber<Kind extends "signal" | "answered">(
  router: Router,
  { party, kind, after, disconnect }: SubscriberOptions<Kind>,
): Promise<AsyncIterableIterator<ParcelOf<Kind>>> {
  let ended = false;
  let missed = false;
  let detach: () => Promise<void> = async () => undefined;
  const stream = new BoundedStream<ParcelOf<Kind>>({
    capacity: SUBSCRIBER_QUEUE,
    overflow: () => new Fault("LIMITED", "Signals arrive faster than you read them", undefined, 1),
    hangUp: disconnect,
    onEnd: () => {
      ended = true;
      void detach();
    },
  });
  const attachment = await router.attach(
    {
      door: "graphql",
      party,
      answersOnly: kind === "answered",
      missed: () => {
        missed = true;
      },
      receive(parcel) {
        if (parcel.kind !== kind) return;
        // Only the first message carries the flag.
        stream.push((missed ? { ...parcel, mayHaveMissed: true } : parcel) as ParcelOf<Kind>);
        missed = false;
      },
      drained: () => stream.drained(),
      close: (reason) => (reason === "behind" ? stream.overrun() : stream.close()),
    },
    after === undefined ? undefined : { after },
  );
  detach = () => attachment.detach();
  if (ended) await detach();
  return stream;
}
