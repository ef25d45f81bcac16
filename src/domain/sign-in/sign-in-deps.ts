import type { Config } from "../../core/config";
import type { Connector } from "../../platform/network/connector";
import type { UserDeps } from "../users/user-deps";
import type { KeySets } from "./key-sets";

/** Dependencies of the functions of this module. */
export interface SignInDeps extends UserDeps {
  config: Pick<Config, "PROVIDER_TIMEOUT_MS">;
  /** Opens connections to the addresses of providers, which owners choose. */
  connector: Connector;
  /** Public keys that verify sign-ins by phone, and by JWTs of backends. */
  keySets: KeySets;
}
