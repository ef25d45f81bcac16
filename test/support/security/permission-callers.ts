import { type MemberRole, roleAllows } from "../../../src/core/viewer";
import { accessTable, restSchema } from "../../../src/transports/graphql/schema";
import { type ExpectedOutcome, PERMISSION_ROWS, type PermissionRow } from "./permission-rows";

/** The callers that are members of the account of A's application, besides its owner, with their roles. */
export const LESSER_MEMBERS: Readonly<Record<string, MemberRole>> = {
  "a support member": "support",
  "a developer": "developer",
};

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
  "another account's owner",
  ...Object.keys(LESSER_MEMBERS),
  "the account's owner",
];

/** The callers who may do what only one of them can: each gets objects of its own. */
export const CHANGING_MEMBERS = ["a developer", "the account's owner"];

const ACCESS = accessTable(restSchema());
const NAMES = new Map(Object.entries(PERMISSION_ROWS).map(([name, row]) => [row, name]));

/** The expected outcome for a caller. */
export function expectedOutcome(row: PermissionRow, caller: string): ExpectedOutcome {
  if (UNAUTHENTICATED_CALLERS.includes(caller)) return row.nobody;
  if (caller === "a web token") return row.web;
  if (caller === "an application token" || caller === "a signed-out token") return row.application;
  if (caller === "user B") return row.other;
  if (caller === "a guest by link") return row.linkGuest;
  if (caller === "the account's owner") return row.account;
  const role = LESSER_MEMBERS[caller];
  if (role !== undefined) {
    const { member = null } = ACCESS.get(NAMES.get(row) ?? "") ?? {};
    return member !== null && !roleAllows(member, role) ? "FORBIDDEN" : row.account;
  }
  if (caller === "another account's owner") return row.otherAccount;
  return caller === "a foreign user" ? row.foreign : row.self;
}

/** The expected outcome by REST: there, members of accounts run public operations only. */
export function restOutcome(row: PermissionRow, caller: string): ExpectedOutcome {
  const isMember = caller in LESSER_MEMBERS || caller.endsWith("account's owner");
  if (isMember && row.nobody !== "OK") return "FORBIDDEN";
  return expectedOutcome({ ...row, ...row.rest }, caller);
}

/** REST errors by outcome: status and message. */
export const REST_ERRORS: Record<
  Exclude<ExpectedOutcome, "OK">,
  { status: number; text: RegExp }
> = {
  UNAUTHENTICATED: {
    status: 401,
    text: /^Required session does not exist(: send a valid token .*)?$/,
  },
  FORBIDDEN: {
    status: 403,
    text: /^(A session with a user is needed: (sign in by POST \/login or the mutation login|this web session has none until it is bound)|An account owner's token may not do that: a session of the application is needed|A conference guest's token may not do that: a session of the application is needed|Users can change and delete only their own account)$/,
  },
  NOT_FOUND: {
    status: 404,
    text: /^(Not found|There is no such user|There is no such subscription|There is no web session that waits for this code)$/,
  },
};
