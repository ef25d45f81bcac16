import { BoundedStream } from "../../core/bounded-stream";
import { Fault } from "../../core/errors";
import type { SubscriberMessage } from "./inbox/subscriber";
import type { Router } from "./router";
import type { Party } from "./signals/signal";

/** Maximum number of signals queued for a slow subscriber; beyond it, its connection is closed. */
export const SUBSCRIPTION_QUEUE_MAX = 256;

/** Messages of one kind. */
export type MessageOf<Kind extends SubscriberMessage["kind"]> = SubscriberMessage & { kind: Kind };

/** The options of a subscription. */
export interface SubscriptionOptions<Kind extends SubscriberMessage["kind"]> {
  party: Required<Party>;
  /** The kind of messages to receive. */
  kind: Kind;
  /** Cursor to resume after; undefined for a new device. */
  after: string | undefined;
  /** Whether it receives what is left after the cursor if something is missing. */
  allowGap?: boolean | undefined;
  /** Closes the subscriber's connection. */
  disconnect: (() => void) | undefined;
}

/**
 * Attaches a GraphQL subscriber to the router as a device. Resolves once messages reach it. Its queue is
 * bounded: a slow consumer receives LIMITED and is disconnected, and never misses a message silently.
 * @throws Fault INVALID on `after`
 */
export async function openSignalSubscription<Kind extends "signal" | "answered">(
  router: Router,
  { party, kind, after, allowGap, disconnect }: SubscriptionOptions<Kind>,
): Promise<AsyncIterableIterator<MessageOf<Kind>>> {
  let ended = false;
  let missed = false;
  let detach: () => Promise<void> = async () => undefined;
  const stream = new BoundedStream<MessageOf<Kind>>({
    capacity: SUBSCRIPTION_QUEUE_MAX,
    overflowFault: () =>
      new Fault("LIMITED", "Signals arrive faster than you read them", undefined, 1),
    disconnect,
    onEnd: () => {
      ended = true;
      void detach();
    },
  });
  const attachment = await router.attach(
    {
      protocol: "graphql",
      party,
      answersOnly: kind === "answered",
      onPossibleGap: () => {
        missed = true;
      },
      receive(message) {
        if (message.kind !== kind) return;
        // Only the first message carries the flag.
        stream.push((missed ? { ...message, mayHaveMissed: true } : message) as MessageOf<Kind>);
        missed = false;
      },
      whenDrained: () => stream.whenDrained(),
      close: (reason) => (reason === "behind" ? stream.closeOnOverflow() : stream.close()),
    },
    after === undefined ? undefined : { after, allowGap },
  );
  detach = () => attachment.detach();
  if (ended) await detach();
  return stream;
}
