import { type Clock, systemClock } from "../../../../core/clock";
import { Connector } from "../../../../platform/network/connector";

/** Options of a provider besides its credentials. */
export interface ProviderOptions {
  clock: Clock;
  /** Connects to services, whose addresses come from devices and applications. */
  connector: Connector;
  /** Timeout of a push in milliseconds, including the connection. */
  timeoutMs: number;
  /** Maximum number of in-flight pushes; further ones wait. */
  inFlightMax: number;
}

/** Default options. */
export const PROVIDER_DEFAULTS: ProviderOptions = {
  clock: systemClock,
  connector: new Connector(),
  timeoutMs: 10_000,
  inFlightMax: 1000,
};
