import { Connector } from "../../../src/network/connector";
import type { Push } from "../../../src/push/payload/push";
import type { Provider, Target } from "../../../src/push/provider/provider";
import {
  PROVIDER_DEFAULTS,
  type ProviderOptions,
} from "../../../src/push/provider/provider-options";
import type { Behaviour } from "../stand-ins/behaviour";

/** A provider in front of its stand-in. */
export interface Stage {
  /** Opens it with the credentials that the stand-in knows. */
  open(options?: Partial<ProviderOptions>): Provider;
  /** Opens it with credentials of the right form, by keys that the stand-in does not know. */
  openForged(): Provider;
  /** Opens it without trust in the authority of the stand-in's certificate. */
  openDistrusting(): Provider;
  /** Opens it where nobody listens. */
  openNowhere(): Provider;
  push: Push;
  /** A device that has not been seen yet. */
  device(): Target;
  /** What the next pushes to a device meet, one after another. */
  tell(target: Target, ...behaviours: Behaviour[]): void;
  /** What the stand-in took or refused, as it came: the devices' tokens. */
  devices(): string[];
  /** Connections over which pushes came so far. */
  connections(): number;
  /** Cuts every connection. */
  cut(): void;
  /** Texts that nobody may find in a reason. */
  secrets: string[];
  close(): Promise<void>;
}

/** Options for tests: the stand-ins are on this machine. */
export const staged = (options: Partial<ProviderOptions> = {}): ProviderOptions => ({
  ...PROVIDER_DEFAULTS,
  connector: new Connector({ allowPrivate: true }),
  ...options,
});

let deliveries = 0;

/** A device with this token, and a delivery to it. */
export const targetOf = (token: string): Target => ({
  deliveryId: ++deliveries,
  token,
  bundleId: null,
  webAuth: null,
  webP256dh: null,
});
