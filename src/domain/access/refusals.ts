import { Fault } from "../../core/errors";
import type { ApiKeyScope, MemberRole, Viewer } from "../../core/viewer";

/** The faults of callers who may not run an operation. */

/** FORBIDDEN, for a session without the user that an operation needs; it says how to get one. */
export function withoutUser(kind: Viewer["kind"]): Fault {
  const next =
    kind === "web"
      ? "this web session has none until it is bound"
      : "sign in by POST /login or the mutation login";
  return new Fault("FORBIDDEN", `A session with a user is needed: ${next}`);
}

/** FORBIDDEN, for a member of an account with a lesser role. */
export function roleRefused(required: MemberRole): Fault {
  return new Fault("FORBIDDEN", `Your role may not do that: the role ${required} is needed`);
}

/** FORBIDDEN, for a member of an account in an operation of clients. */
export function memberRefused(): Fault {
  return new Fault(
    "FORBIDDEN",
    "An account owner's token may not do that: a session of the application is needed",
  );
}

/** FORBIDDEN, for a guest by link outside of the conference. */
export function linkGuestRefused(): Fault {
  return new Fault(
    "FORBIDDEN",
    "A conference guest's token may not do that: a session of the application is needed",
  );
}

/** FORBIDDEN, for an API key in an operation that no scope opens, or by a path of clients. */
export function keyRefused(): Fault {
  return new Fault(
    "FORBIDDEN",
    "An API key may not do that: its scopes open some operations over GraphQL, and POST /session/server",
  );
}

/** FORBIDDEN, for an API key without the scope of the operation. */
export function scopeRefused(required: ApiKeyScope): Fault {
  return new Fault("FORBIDDEN", `This API key may not do that: the scope ${required} is needed`);
}

/** UNAUTHENTICATED, the same for an unknown, an expired and a revoked API key. */
export function unknownApiKey(): Fault {
  return new Fault(
    "UNAUTHENTICATED",
    "The API key is not valid: it is unknown, expired or revoked",
  );
}

/** FORBIDDEN, for a session in an operation of members. */
export function sessionRefused(): Fault {
  return new Fault("FORBIDDEN", "A session may not do that: an account owner's token is needed");
}
