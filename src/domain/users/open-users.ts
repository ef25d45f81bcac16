import { BatchLoader } from "../../core/loads/batch-loader";
import type { UserDeps, UserLoads } from "./user-deps";
import { UserExistenceCache } from "./user-existence-cache";
import { findUsersById } from "./user-queries";

/** The open module. */
export interface UserModule extends UserDeps, UserLoads {
  existence: UserExistenceCache;
}

/** Opens users. */
export function openUsers(deps: UserDeps): UserModule {
  const existence = new UserExistenceCache(deps.store);
  deps.sessionEvents.addCache(existence);
  return { ...deps, existence, byId: new BatchLoader((ids) => findUsersById(deps, ids)) };
}
