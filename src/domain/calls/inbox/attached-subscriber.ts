import type { SignalSubscriber, SubscriberMessage } from "./subscriber";

/** How long a subscriber that catches up may take until it can accept more, in milliseconds. */
export const DRAIN_TIMEOUT_MS = 10_000;

/** A message from an inbox, and the devices that it is for. */
export interface AddressedMessage {
  message: SubscriberMessage & { cursor: string };
  /** Resource of the only device that receives it; all devices when omitted. */
  to?: string;
  /** Resource of the device that does not receive it. */
  except?: string;
  /** The trace of its sender, if it is sampled. */
  trace?: string;
}

/** A subscriber that is attached to an inbox, and its cursor. */
export class AttachedSubscriber {
  /** Cursor of the last entry that was delivered to it or was not for it. */
  cursor = "";
  /** Whether it has caught up and receives new entries immediately. */
  caughtUp = false;
  /** Whether it was detached. */
  detached = false;

  constructor(
    readonly subscriber: SignalSubscriber,
    /** Sequence number in the inbox, in order of arrival. */
    readonly id: number,
  ) {}

  /** Whether a message is for this subscriber. */
  matches({ message, to, except }: AddressedMessage): boolean {
    const { party, answersOnly } = this.subscriber;
    if (answersOnly && message.kind !== "answered") return false;
    return (to === undefined || to === party.resource) && except !== party.resource;
  }

  /**
   * Delivers what the subscriber missed, with back-pressure.
   * @param send delivers one message
   * @returns whether everything was delivered; if not, the subscriber is detached or was closed with `behind`
   */
  async deliver(
    messages: AddressedMessage[],
    send: (message: AddressedMessage) => void,
  ): Promise<boolean> {
    for (const message of messages) {
      if (this.detached) break;
      send(message);
      // After each message, since a few large ones may exceed the subscriber's buffer.
      const drained = this.subscriber.whenDrained?.();
      if (drained && !(await resolvesInTime(drained))) this.subscriber.close("behind");
    }
    return !this.detached;
  }
}

function resolvesInTime(drained: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), DRAIN_TIMEOUT_MS).unref();
    drained.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
