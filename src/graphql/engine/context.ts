import { RequestAuth } from "../../access/request-auth";
import type { CallContext } from "../../calls/context";
import type { Router } from "../../calls/router";
import type { Caller } from "../../core/caller";
import type { Identity } from "../../identity/identity";
import type { PushContext } from "../../push/context";
import type { PushDeps } from "../../push/push-deps";

export type { Caller } from "../../core/caller";

/** Context of every resolver: one per HTTP request, or per operation on a socket. */
export interface Context extends CallContext, PushContext {
  /** When the caller's session expires; null until the session has been looked up. */
  readonly expiresAt: Date | null;
}

/** Creates the context of a request. */
export type CreateContext = (caller: Caller) => Context;

/** Creates contexts with this node's modules. */
export function contextFactory(identity: Identity, router: Router, push: PushDeps): CreateContext {
  return (caller) => {
    const auth = new RequestAuth(identity, caller);
    return {
      identity,
      router,
      push,
      caller,
      auth,
      get expiresAt() {
        return auth.currentSession?.expiresAt ?? null;
      },
    };
  };
}
