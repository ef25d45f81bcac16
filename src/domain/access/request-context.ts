import type { Caller } from "../../core/caller";
import type { RateLimits } from "../../platform/limits/rate-limits";
import type { RequestAuth } from "./request-auth";
import type { ViewerSubscriptions } from "./viewer-subscriptions";

/** What the GraphQL context has for every resolver: one per request, or per operation on a socket. */
export interface RequestContext {
  caller: Caller;
  auth: RequestAuth;
  /** Rate and failure limits (docs/LIMITS.md). */
  limits: RateLimits;
  /** The open subscriptions of this node. */
  viewerSubscriptions: ViewerSubscriptions;
}
