import type { IdentityContext } from "../identity/context";
import type { Push } from "./push";

/** What the resolvers of this room are called with. */
export interface PushContext extends IdentityContext {
  push: Push;
}
