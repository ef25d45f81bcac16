import { BoundedStream } from "../core/bounded-stream";
import { Fault } from "../core/errors";
import type { Parcel } from "./device";
import type { Router } from "./router";
import type { Party } from "./signal";

/** Signals that wait for a slow subscriber at most; then its connection is closed. */
export const SUBSCRIBER_QUEUE = 256;

/** Parcels of one kind. */
export type ParcelOf<Kind extends Parcel["kind"]> = Parcel & { kind: Kind };

/** What a subscriber asks for. */
export interface SubscriberOptions<Kind extends Parcel["kind"]> {
  party: Required<Party>;
  /** What it is told of; a stanza that is no signal has no form in GraphQL. */
  kind: Kind;
  /** Cursor to go on after; none for what comes from now on. */
  after: string | undefined;
  /** Closes the subscriber's connection. */
  hangUp: (() => void) | undefined;
}

/**
 * Connects a subscriber as a device of the router; resolves once parcels reach it. The queue is
 * bounded: a subscriber that does not keep up is told LIMITED and disconnected, never passed over.
 * @throws Fault INVALID on `after`
 */
export async function openSubscriber<Kind extends "signal" | "answered">(
  router: Router,
  { party, kind, after, hangUp }: SubscriberOptions<Kind>,
): Promise<AsyncIterableIterator<ParcelOf<Kind>>> {
  let ended = false;
  let missed = false;
  let detach: () => Promise<void> = async () => undefined;
  const stream = new BoundedStream<ParcelOf<Kind>>({
    capacity: SUBSCRIBER_QUEUE,
    overflow: () => new Fault("LIMITED", "Signals came faster than they were taken", undefined, 1),
    hangUp,
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
        // The first one says so.
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
