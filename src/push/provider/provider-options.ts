import { type Clock, systemClock } from "../../core/clock";
import { Connector } from "../../network/connector";

/** What a provider needs beside its credentials. */
export interface ProviderOptions {
  clock: Clock;
  /** The way to the services, whose addresses come from devices and from applications. */
  connector: Connector;
  /** Milliseconds that one push may take, with its connection. */
  timeoutMs: number;
  /** Pushes that are under way at once at most; further ones wait. */
  inFlightMax: number;
}

/** What is taken where nothing else is said. */
export const PROVIDER_DEFAULTS: ProviderOptions = {
  clock: systemClock,
  connector: new Connector(),
  timeoutMs: 10_000,
  inFlightMax: 1000,
};
