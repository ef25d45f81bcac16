import type { IdentityContext } from "../identity/context";
import type { PushDeps } from "./push-deps";

/** Context of the push resolvers. */
export interface PushContext extends IdentityContext {
  push: PushDeps;
}
