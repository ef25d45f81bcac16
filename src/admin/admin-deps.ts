import type { RequestContext } from "../access/request-context";
import type { ApplicationDeps } from "../applications/application-deps";
import type { UserDeps } from "../users/user-deps";

/** Dependencies of the functions of this module. */
export interface AdminDeps extends ApplicationDeps, UserDeps {
  /** Public addresses of this deployment; the API's is known once the server listens. */
  endpoints: { api(): string; chat: string; turn: string };
}

/** Context of the resolvers of this module. */
export interface AdminContext extends RequestContext {
  admin: AdminDeps;
}
