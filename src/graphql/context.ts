import type { CallContext } from "../calls/context";
import type { Router } from "../calls/router";
import type { Caller } from "../core/caller";
import { Visit } from "../identity/context";
import type { Identity } from "../identity/identity";
import type { PushContext } from "../push/context";
import type { Push } from "../push/push";

export type { Caller } from "../core/caller";

/** What every resolver is called with: one per request, or per operation on a socket. */
export interface Context extends CallContext, PushContext {
  /** When the caller's session ends as things stand; null while nobody has been looked up. */
  readonly expiresAt: Date | null;
}

/** Makes the context of a request. */
export type MakeContext = (caller: Caller) => Context;

/** Contexts over the rooms of this node. */
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
