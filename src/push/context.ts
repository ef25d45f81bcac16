import type { IdentityContext } from "../access/request-auth";
import type { PushDeps } from "./push-deps";

/** Context of the push resolvers. */
export interface PushContext extends IdentityContext {
  push: PushDeps;
}
