import type { Outcome, Row } from "./permission-rows";

/** Callers with no token, or one that lets nobody in. */
export const NOBODY = [
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
 * Everybody who may try; user A, whose objects are asked for, comes after the other sessions and may
 * end them; an owner's token opens what a session does not, so its objects are still there.
 */
export const CALLERS = [
  ...NOBODY,
  "a web token",
  "an application token",
  "a signed-out token",
  "user B",
  "a foreign user",
  "user A",
  "another account's owner",
  "the account's owner",
];

/** What a caller is answered by a row. */
export function expected(row: Row, caller: string): Outcome {
  if (NOBODY.includes(caller)) return row.nobody;
  if (caller === "a web token") return row.web;
  if (caller === "an application token" || caller === "a signed-out token") return row.application;
  if (caller === "user B") return row.other;
  if (caller === "the account's owner") return row.account;
  if (caller === "another account's owner") return row.otherAccount;
  return caller === "a foreign user" ? row.foreign : row.owner;
}

/** How REST refuses, by outcome: the status and the one message. */
export const REST_ERRORS: Record<Exclude<Outcome, "OK">, { status: number; text: RegExp }> = {
  UNAUTHENTICATED: { status: 401, text: /^Required session does not exist$/ },
  FORBIDDEN: {
    status: 403,
    text: /^(This session may not do that: a session with a user is needed|An account owner's token may not do that: a session of the application is needed|Users can change and delete only their own account)$/,
  },
  NOT_FOUND: {
    status: 404,
    text: /^(Not found|There is no such user|There is no such subscription|There is no web session that waits for this code)$/,
  },
};
