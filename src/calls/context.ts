import type { IdentityContext } from "../access/request-auth";
import type { Router } from "./router";

/** The GraphQL context of the resolvers of this module. */
export interface CallContext extends IdentityContext {
  router: Router;
}
