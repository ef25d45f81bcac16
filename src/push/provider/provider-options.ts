import { type Clock, systemClock } from "../../core/clock";
import type { Resolve } from "./wire/private-networks";

/** What a provider needs beside its credentials. */
export interface ProviderOptions {
  clock: Clock;
  /** Whether addresses that come from devices and from applications may be in private networks. */
  allowPrivateNetworks: boolean;
  /** Milliseconds that one push may take, with its connection. */
  timeoutMs: number;
  /** Pushes that are under way at once at most; further ones wait. */
  inFlightMax: number;
  /** How names are looked up that must not lead into private networks; the name servers by default. */
  resolve?: Resolve;
}

/** What is taken where nothing else is said. */
export const PROVIDER_DEFAULTS: ProviderOptions = {
  clock: systemClock,
  allowPrivateNetworks: false,
  timeoutMs: 10_000,
  inFlightMax: 1000,
};
