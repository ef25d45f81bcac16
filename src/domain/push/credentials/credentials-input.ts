import { Fault } from "../../../core/errors";
import { listInProse, type PushService, SERVICES } from "../channels/channel";
import { type ApnsInput, validateApns } from "./apns-input";
import type { Credentials } from "./credentials";
import { type FcmInput, validateFcm } from "./fcm-input";
import { validateWeb, type WebInput } from "./web-input";

interface InputByService {
  apns: ApnsInput;
  fcm: FcmInput;
  web: WebInput;
}

/** Credentials to set, for exactly one service. */
export type CredentialsChange = { [S in PushService]?: InputByService[S] | null };

const VALIDATORS: {
  readonly [S in PushService]: (input: InputByService[S], now: number) => Credentials;
} = { apns: validateApns, fcm: validateFcm, web: validateWeb };

/**
 * Validates credentials and normalizes them for storage.
 * @param now milliseconds since the Unix epoch
 * @throws Fault INVALID on the wrong field, or if there is not exactly one service
 */
export function validateCredentials(change: CredentialsChange, now: number): Credentials {
  const [service, ...others] = SERVICES.filter((each) => change[each]);
  if (service && others.length === 0) return validateFor(service, change, now);
  throw Fault.base(`exactly one of ${listInProse(SERVICES, "and")} is required`);
}

function validateFor<S extends PushService>(
  service: S,
  change: CredentialsChange,
  now: number,
): Credentials {
  return VALIDATORS[service](change[service] as InputByService[S], now);
}
