import type { Device, DeviceMessage } from "../signals/device";

/** How long a device that catches up may take until it can accept more, in milliseconds. */
export const DRAIN_TIMEOUT_MS = 10_000;

/** A message from an inbox and the devices that it is for. */
export interface Delivery {
  message: DeviceMessage & { cursor: string };
  /** Resource of the only recipient; all devices when omitted. */
  to?: string;
  /** Resource of the device that does not receive it. */
  except?: string;
}

/** A device and its position in its user's inbox. */
export class InboxSubscriber {
  /** Cursor of the last entry that was delivered to it or was not for it. */
  cursor = "";
  /** Whether it has caught up and receives new entries immediately. */
  caughtUp = false;
  /** Whether it was detached. */
  detached = false;

  constructor(
    readonly device: Device,
    /** Sequence number of the device in the inbox, in order of arrival. */
    readonly id: number,
  ) {}

  /** Whether a delivery is for this device. */
  matches({ message, to, except }: Delivery): boolean {
    const { party, answersOnly } = this.device;
    if (answersOnly && message.kind !== "answered") return false;
    return (to === undefined || to === party.resource) && except !== party.resource;
  }

  /**
   * Delivers what the device missed, with back-pressure.
   * @param send delivers one message
   * @returns whether everything was delivered; if not, the device is detached or was closed with `behind`
   */
  async deliver(deliveries: Delivery[], send: (delivery: Delivery) => void): Promise<boolean> {
    for (const delivery of deliveries) {
      if (this.detached) break;
      send(delivery);
      // After each message, since a few large ones may exceed the device's buffer.
      const drained = this.device.whenDrained?.();
      if (drained && !(await resolvesInTime(drained))) this.device.close("behind");
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
