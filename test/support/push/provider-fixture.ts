import type { PushPayload } from "../../../src/domain/push/payload/push-payload";
import type { Provider, PushTarget } from "../../../src/domain/push/providers/port/provider";
import {
  PROVIDER_DEFAULTS,
  type ProviderOptions,
} from "../../../src/domain/push/providers/port/provider-options";
import { Connector } from "../../../src/platform/network/connector";
import type { Behaviour } from "../../../tools/stand-ins/behaviour";

/** A provider connected to its stand-in. */
export interface ProviderFixture {
  /** Opens the provider with credentials that the stand-in accepts. */
  open(options?: Partial<ProviderOptions>): Provider;
  /** Opens the provider with well-formed credentials whose keys the stand-in does not know. */
  openForged(): Provider;
  /** Opens the provider without trusting the authority of the stand-in's certificate. */
  openUntrusted(): Provider;
  /** Opens the provider at an address without a listener. */
  openUnreachable(): Provider;
  push: PushPayload;
  /** Creates a new device. */
  device(): PushTarget;
  /** Scripts the stand-in's behaviour for the next pushes to a device. */
  script(target: PushTarget, ...behaviours: Behaviour[]): void;
  /** Device tokens of all received pushes, in order. */
  receivedDevices(): string[];
  /** Number of connections that have carried pushes. */
  connections(): number;
  /** Closes every connection. */
  dropConnections(): void;
  /** Texts that must never appear in a reason. */
  secrets: string[];
  close(): Promise<void>;
}

/** Provider options for tests, which allow stand-ins on this machine. */
export const testOptions = (options: Partial<ProviderOptions> = {}): ProviderOptions => ({
  ...PROVIDER_DEFAULTS,
  connector: new Connector({ allowPrivate: true }),
  ...options,
});

let deliveries = 0;

/** A new delivery to the device with a token. */
export const targetOf = (token: string): PushTarget => ({
  deliveryId: ++deliveries,
  token,
  bundleId: null,
  webAuth: null,
  webP256dh: null,
});
