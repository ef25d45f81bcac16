import type { CallContext } from "../calls/context";
import type { Router } from "../calls/router";
import type { Caller } from "../core/caller";
import { Visit } from "../identity/context";
import type { Identity } from "../identity/identity";
import type { PushContext } from "../push/context";
import type { Push } from "../push/push";

export type { Caller } from "../core/caller";

/** Context of every resolver: one per HTTP request, or per operation on a socket. */
export interface Context extends CallContext, PushContext {
  /** When the caller's session expires; null until the session has been looked up. */
  readonly expiresAt: Date | null;
}

/** Creates the context of a request. */
export type MakeContext = (caller: Caller) => Context;

/** Creates contexts with this node's modules. */
export function contextMaker(identity: Identity, router: Router, push: Push): MakeContext {
  return (caller) => {
    const visit = new Visit(identity, caller);
    return {
      identity,
      router,
      push,
      caller,
      visit,
      get expiresAt() {
        return visit.current?.expiresAt ?? null;
      },
    };
  };
}
