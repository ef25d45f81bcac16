import type { IdentityContext } from "../identity/context";
import type { Router } from "./router";

/** What the resolvers of this room are called with. */
export interface CallContext extends IdentityContext {
  router: Router;
}
