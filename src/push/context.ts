import type { IdentityContext } from "../identity/context";
import type { Push } from "./push";

/** Context of the push resolvers. */
export interface PushContext extends IdentityContext {
  push: Push;
}
