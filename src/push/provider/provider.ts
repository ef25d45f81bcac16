import type { Push } from "../payload/push";

/** A device to send to. */
export interface Target {
  /** Names the delivery to the provider, where it takes an id, so that a repetition is recognisable. */
  deliveryId: number;
  /** Device token; of a browser its endpoint, a URL. */
  token: string;
  /** Bundle identifier or package of the app on the device, if the device told. */
  bundleId: string | null;
  /** Secret and public key of a browser (RFC 8291), in base64url. */
  webAuth: string | null;
  webP256dh: string | null;
}

/** What became of one attempt. Reasons are the provider's own words, or ours in its place. */
export type Outcome =
  /** The provider took it. */
  | { kind: "accepted"; providerId: string | null }
  /** The device is no longer registered: its subscription is worthless. */
  | { kind: "gone"; reason: string }
  /** Not now; after so many milliseconds where the provider said when. */
  | { kind: "later"; reason: string; delayMs: number | null }
  /** Never as it stands. */
  | { kind: "refused"; reason: string };

/** How the text of a check begins where the service said nothing about the credentials. */
export const NOT_ASKED = "the service could not be asked";

/** What a check of credentials says that met no answer: no fault of theirs. */
export const couldNotAsk = (reason: string): string => `${NOT_ASKED}: ${reason}`;

/**
 * A push service, with the credentials of one application and environment. Connections are opened
 * with the first push and kept. Sending never throws: what fails has an outcome.
 */
export interface Provider {
  /** Sends once, without trying again by itself; many may be under way at once. */
  send(push: Push, target: Target): Promise<Outcome>;

  /**
   * Asks the service whether it knows the credentials, without sending anything to anybody.
   * @returns null, or what is wrong with them; a service that cannot be reached is no fault of theirs
   * and is told as such, by a text that begins with {@link NOT_ASKED}
   */
  check(): Promise<string | null>;

  /** Ends the connections, after what is under way. */
  close(): Promise<void>;
}
