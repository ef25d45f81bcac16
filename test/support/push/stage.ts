import { Connector } from "../../../src/network/connector";
import type { Push } from "../../../src/push/payload/push";
import type { Provider, Target } from "../../../src/push/provider/provider";
import {
  PROVIDER_DEFAULTS,
  type ProviderOptions,
} from "../../../src/push/provider/provider-options";
import type { Behaviour } from "../stand-ins/behaviour";

/** A provider connected to its stand-in. */
export interface Stage {
  /** Opens the provider with credentials that the stand-in accepts. */
  open(options?: Partial<ProviderOptions>): Provider;
  /** Opens the provider with well-formed credentials whose keys the stand-in does not know. */
  openForged(): Provider;
  /** Opens the provider without trusting the authority of the stand-in's certificate. */
  openDistrusting(): Provider;
  /** Opens the provider at an address without a listener. */
  openNowhere(): Provider;
  push: Push;
  /** Creates a new device. */
  device(): Target;
  /** Scripts the stand-in's behaviour for the next pushes to a device. */
  tell(target: Target, ...behaviours: Behaviour[]): void;
  /** Device tokens of all received pushes, in order. */
  devices(): string[];
  /** Number of connections that have carried pushes. */
  connections(): number;
  /** Closes every connection. */
  dropConnections(): void;
  /** Texts that must never appear in a reason. */
  secrets: string[];
  close(): Promise<void>;
}

/** Provider options for tests, which allow stand-ins on this machine. */
export const staged = (options: Partial<ProviderOptions> = {}): ProviderOptions => ({
  ...PROVIDER_DEFAULTS,
  connector: new Connector({ allowPrivate: true }),
  ...options,
});

let deliveries = 0;

/** A new delivery to the device with a token. */
export const targetOf = (token: string): Target => ({
  deliveryId: ++deliveries,
  token,
  bundleId: null,
  webAuth: null,
  webP256dh: null,
});
