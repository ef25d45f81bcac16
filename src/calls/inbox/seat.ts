import type { Device, Parcel } from "../device";

/** Milliseconds that a device which catches up may take until it is ready for more. */
export const PATIENCE_MS = 10_000;

/** Something of an inbox that is for devices of the user. */
export interface Handout {
  parcel: Parcel & { cursor: string };
  /** The one device that it is for; all when left out. */
  to?: string;
  /** The device that it is not for. */
  except?: string;
}

/** A device and how far it has come in its user's inbox. */
export class Seat {
  /** Cursor of the last entry that it was handed, or that was not for it. */
  cursor = "";
  /** Whether it has caught up, and is handed what comes as it comes. */
  live = false;
  /** Whether it was taken away. */
  gone = false;

  constructor(
    readonly device: Device,
    /** Counts the devices of an inbox in the order they came. */
    readonly id: number,
  ) {}

  /** Whether something is for this device. */
  isMeant({ parcel, to, except }: Handout): boolean {
    const { party, answersOnly } = this.device;
    if (answersOnly && parcel.kind !== "answered") return false;
    return (to === undefined || to === party.resource) && except !== party.resource;
  }

  /**
   * Hands the device what it missed, no faster than it takes it.
   * @param hand hands it one thing
   * @returns whether all was taken; else the device is gone, or was closed with `behind`
   */
  async take(handouts: Handout[], hand: (handout: Handout) => void): Promise<boolean> {
    for (const handout of handouts) {
      if (this.gone) break;
      hand(handout);
      // After each: a few large ones are more than a device may leave unread.
      const drained = this.device.drained?.();
      if (drained && !(await endsInTime(drained))) this.device.close("behind");
    }
    return !this.gone;
  }
}

function endsInTime(drained: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), PATIENCE_MS).unref();
    drained.then(() => {
      clearTimeout(late);
      resolve(true);
    });
  });
}
