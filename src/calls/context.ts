import type { RequestContext } from "../access/request-context";
import type { UserDeps } from "../users/user-deps";
import type { Router } from "./router";

/** Context of the resolvers of signals. */
export interface SignalContext extends RequestContext {
  router: Router;
  users: UserDeps;
}
