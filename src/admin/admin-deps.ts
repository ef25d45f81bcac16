import type { RequestContext } from "../access/request-context";
import type { ApplicationDeps } from "../applications/application-deps";
import type { UserDeps } from "../users/user-deps";

/** An application whose deletion has begun. */
export interface ApplicationDeletion {
  accountId: number;
  applicationId: number;
}

/** Dependencies of the functions of this module. */
export type AdminDeps = ApplicationDeps &
  UserDeps & {
    /** Enqueues a durable job that completes the deletion of an application. Throws Fault UNAVAILABLE. */
    enqueueDeletion(deletion: ApplicationDeletion): Promise<void>;
  };

/** Context of the resolvers of this module. */
export interface AdminContext extends RequestContext {
  admin: AdminDeps;
}
