import { type ApiKeyScope, type MemberRole, roleAllows } from "../../../src/core/viewer";
import { accessTable, restSchema } from "../../../src/transports/graphql/schema";
import { type ExpectedOutcome, PERMISSION_ROWS, type PermissionRow } from "./permission-rows";

/** The callers that are members of the account of A's application, besides its owner, with their roles. */
export const LESSER_MEMBERS: Readonly<Record<string, MemberRole>> = {
  "a support member": "support",
  "a developer": "developer",
};

/** The callers with an API key of A's application, with its scope. */
export const KEY_CALLERS: Readonly<Record<string, ApiKeyScope>> = {
  "an API key for sessions": "sessions",
  "an API key for users": "users",
  "an API key for pushes": "push",
};
/** The caller with an API key of another application, for everything. */
export const FOREIGN_KEY = "another application's API key";
/** A caller with an API key that is not valid. */
const UNKNOWN_KEY = "an unknown API key";

/** Whether a caller has an API key, which counts in a header of its own over HTTP, and nowhere else. */
export function hasApiKey(caller: string): boolean {
  return caller in KEY_CALLERS || caller === FOREIGN_KEY || caller === UNKNOWN_KEY;
}

/** Callers without a token or with an invalid one. */
export const UNAUTHENTICATED_CALLERS = [
  "no token",
  "an unknown token",
  "an expired token",
  "a destroyed token",
  "a deleted user's token",
  "an unknown owner's token",
  "an expired owner's token",
  "a signed-out owner's token",
  UNKNOWN_KEY,
];
/**
 * All callers, in order. User A, who owns the objects, comes after the other sessions and may end them; the
 * owners' tokens come last, because they do not depend on those sessions.
 */
export const CALLERS = [
  ...UNAUTHENTICATED_CALLERS,
  "a web token",
  "an application token",
  "a signed-out token",
  "user B",
  "a foreign user",
  "a guest by link",
  "user A",
  FOREIGN_KEY,
  ...Object.keys(KEY_CALLERS),
  "another account's owner",
  ...Object.keys(LESSER_MEMBERS),
  "the account's owner",
];

/** The callers who may do what only one of them can: each gets objects of its own. */
export const CHANGING_MEMBERS = [
  "a developer",
  "the account's owner",
  FOREIGN_KEY,
  ...Object.keys(KEY_CALLERS),
];

const ACCESS = accessTable(restSchema());
const NAMES = new Map(Object.entries(PERMISSION_ROWS).map(([name, row]) => [row, name]));

function accessOf(row: PermissionRow) {
  return ACCESS.get(NAMES.get(row) ?? "") ?? { client: null, member: null, keyScope: null };
}

/** What an API key may run: the operations of its scopes, and the public ones, which take no notice of it. */
function keyOutcome(row: PermissionRow, caller: string): ExpectedOutcome {
  const { client, keyScope } = accessOf(row);
  if (keyScope === null) return client === "public" ? row.nobody : "FORBIDDEN";
  if (caller === FOREIGN_KEY) return row.otherKey ?? row.otherAccount;
  return KEY_CALLERS[caller] === keyScope ? "OK" : "FORBIDDEN";
}

/** The expected outcome for a caller. */
export function expectedOutcome(row: PermissionRow, caller: string): ExpectedOutcome {
  if (caller in KEY_CALLERS || caller === FOREIGN_KEY) return keyOutcome(row, caller);
  if (UNAUTHENTICATED_CALLERS.includes(caller)) return row.nobody;
  if (caller === "a web token") return row.web;
  if (caller === "an application token" || caller === "a signed-out token") return row.application;
  if (caller === "user B") return row.other;
  if (caller === "a guest by link") return row.linkGuest;
  if (caller === "the account's owner") return row.account;
  const role = LESSER_MEMBERS[caller];
  if (role !== undefined) {
    const { member } = accessOf(row);
    return member !== null && !roleAllows(member, role) ? "FORBIDDEN" : row.account;
  }
  if (caller === "another account's owner") return row.otherAccount;
  return caller === "a foreign user" ? row.foreign : row.self;
}

/** The expected outcome by REST: there, members of accounts and API keys run public operations only. */
export function restOutcome(row: PermissionRow, caller: string): ExpectedOutcome {
  const isMember = caller in LESSER_MEMBERS || caller.endsWith("account's owner");
  const isKey = caller in KEY_CALLERS || caller === FOREIGN_KEY;
  if ((isMember || isKey) && accessOf(row).client !== "public") return "FORBIDDEN";
  return isKey ? keyOutcome(row, caller) : expectedOutcome({ ...row, ...row.rest }, caller);
}

/** REST errors by outcome: status and message. */
export const REST_ERRORS: Record<
  Exclude<ExpectedOutcome, "OK">,
  { status: number; text: RegExp }
> = {
  UNAUTHENTICATED: {
    status: 401,
    text: /^(Required session does not exist(: send a valid token .*)?|The API key is not valid: it is unknown, expired or revoked|An API key \(Svc-Api-Key\) or a JWT of the backend is needed)$/,
  },
  FORBIDDEN: {
    status: 403,
    text: /^(A session with a user is needed: (sign in by POST \/login or the mutation login|this web session has none until it is bound)|An account owner's token may not do that: a session of the application is needed|A conference guest's token may not do that: a session of the application is needed|An API key may not do that: its scopes open some operations over GraphQL, and POST \/session\/server|This API key may not do that: the scope sessions is needed|Users can change and delete only their own account)$/,
  },
  NOT_FOUND: {
    status: 404,
    text: /^(Not found|There is no such user|There is no such subscription|There is no web session that waits for this code)$/,
  },
};
