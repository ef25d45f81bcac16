import type { SharedLoads } from "../../core/loads/shared-loads";
import type { RequestAuth } from "../access/request-auth";
import type { RequestContext } from "../access/request-context";
import type { WebOrigins } from "../applications/web-origins";
import type { SignInDeps } from "../sign-in/sign-in-deps";
import type { ActivityTracker } from "./activity-tracker";
import type { Session } from "./session";
import type { SessionCache } from "./session-cache";

/** Dependencies of the functions of this module. */
export interface SessionDeps extends SignInDeps {
  /** Sessions cached on a single node; null with Redis, where every look-up reads the database. */
  sessionCache: SessionCache | null;
  /** Session activity, written to the database with a delay. */
  activity: ActivityTracker;
  /** Web origins that may use an application. */
  webOrigins: WebOrigins;
  /** Web sessions that wait to be bound, by token; their subscriptions share what they read. */
  boundSessions: SharedLoads<Session>;
}

/** Context of the resolvers of this module. */
export interface SessionContext extends RequestContext {
  auth: RequestAuth<Session>;
  sessions: SessionDeps;
}
