import type { RequestContext } from "../access/request-context";
import type { ApplicationDeps } from "../applications/application-deps";
import type { UserDeps } from "../users/user-deps";

/** Dependencies of the functions of this module. */
export type AdminDeps = ApplicationDeps & UserDeps;

/** Context of the resolvers of this module. */
export interface AdminContext extends RequestContext {
  admin: AdminDeps;
}
