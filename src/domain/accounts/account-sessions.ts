import type { Caller } from "../../core/caller";
import { Fault } from "../../core/errors";
import { hashToken, newToken } from "../../core/random";
import { truncateText } from "../../core/text/text";
import { type AccountViewer, roleAllows } from "../../core/viewer";
import type { PasswordAttempt } from "../../platform/limits/failure-counters";
import { purgeRows } from "../../platform/store/rows/expired-rows";
import type { Transaction } from "../../platform/store/store";
import { isMemberToken } from "../access/token-forms";
import type { AuditActor } from "../audit/entries/audit-entry";
import {
  type AuditedAction,
  finishAudited,
  recordFailedSignIn,
  type StartedEntry,
  startAudited,
} from "../audit/entries/record-entry";
import type { AccountDeps } from "./account-deps";
import {
  deleteAccountSession,
  deleteAccountSessions,
  EXPIRED_ACCOUNT_SESSIONS,
  findAccountSession,
  findLiveAccountSessions,
  insertAccountSession,
  touchAccountSession,
} from "./account-session-queries";
import { findMemberCredentials, type MemberCredentials, touchMember } from "./member-queries";

/** Lifetime of a member's session after the last request, in milliseconds. */
export const MEMBER_SESSION_MS = 12 * 60 * 60 * 1000;
/** Minimum interval between two writes of a session's last activity, in milliseconds. */
const TOUCH_INTERVAL_MS = 60_000;
/** Number of characters of a User-Agent header that are stored. */
const USER_AGENT_MAX = 255;

/** A member who has signed in. */
export interface SignedInMember {
  viewer: AccountViewer;
  token: string;
  expiresAt: Date;
}

/** The same text for an unknown e-mail and for a wrong password. */
const REFUSED = "Unauthorized: the e-mail or the password is wrong";

/**
 * The key that attempts at a member's password count under. Sign-ins and password changes share it, so that
 * neither bypasses the other's limit.
 * @param email in lower case
 */
export function memberPasswordAttempt(email: string, ip: string): PasswordAttempt {
  // Failures count per application; owners belong to none.
  return { applicationId: 0, name: `owner:${email}`, ip };
}

/**
 * Signs in a member of an account.
 * @returns the member and the token; only the token's hash is stored
 * @throws Fault UNAUTHENTICATED for an unknown e-mail and for a wrong password, with the same text and
 * after the same work; LIMITED after too many failures
 */
export async function signInMember(
  deps: AccountDeps,
  { email, password }: { email: string; password: string },
  from: Pick<Caller, "ip" | "userAgent" | "requestId">,
): Promise<SignedInMember> {
  const key = email.toLowerCase();
  const attempt = memberPasswordAttempt(key, from.ip);
  const named: { member: MemberCredentials | null } = { member: null };
  const member = await deps.limits.attemptPassword(attempt, async () => {
    const found = await findMemberCredentials(deps.store, { email: key });
    named.member = found;
    const matches = await deps.passwordHasher.verify(
      found?.passwordHash ?? null,
      password,
      attempt,
    );
    return matches ? found : null;
  });
  const action = { action: "signInMember", caller: from };
  if (member === null) {
    // The limits on failures bound the entries.
    recordFailedSignIn(deps, named.member && actorOf(named.member), action, "UNAUTHENTICATED");
    throw refused();
  }
  const entry = await startSignIn(deps, member, action);
  return openAccountSession(deps, member, entry, from);
}

function actorOf({ id: memberId, accountId, email, role }: MemberCredentials): AuditActor {
  return { accountId, memberId, email, role, apiKey: null };
}

/**
 * Writes the audit entry of a member's sign-in, which {@link openAccountSession} follows.
 * @param transaction that in which the member is created, if it is
 * @throws Fault UNAVAILABLE
 */
export function startSignIn(
  deps: AccountDeps,
  member: MemberCredentials,
  action: Pick<AuditedAction, "action" | "caller">,
  transaction?: Pick<Transaction, "prisma">,
): Promise<StartedEntry> {
  const input = { targets: [], fields: [] };
  return startAudited(deps, { ...action, actor: actorOf(member), input }, transaction);
}

/**
 * Opens a session of a member whose password was verified or set, and writes the outcome of the entry.
 * @throws Fault UNAUTHENTICATED if the password has changed since
 */
export function openAccountSession(
  deps: AccountDeps,
  member: MemberCredentials,
  entry: StartedEntry,
  from: Pick<Caller, "ip" | "userAgent">,
): Promise<SignedInMember> {
  return finishAudited(deps, entry, () => openSession(deps, member, from));
}

/** Creates a session of a member. @throws Fault UNAUTHENTICATED if the password is another one */
async function openSession(
  deps: AccountDeps,
  member: MemberCredentials,
  from: Pick<Caller, "ip" | "userAgent">,
): Promise<SignedInMember> {
  const { id: memberId, accountId, email, role, passwordHash } = member;
  const token = `acct_${newToken()}`;
  const now = deps.clock.now();
  const expiresAt = new Date(now + MEMBER_SESSION_MS);
  const accountSessionId = await insertAccountSession(deps.store.query, {
    memberId,
    passwordHash,
    tokenHash: hashToken(token),
    expiresAt,
    createdAt: new Date(now),
    ip: from.ip,
    userAgent: from.userAgent === undefined ? null : truncateText(from.userAgent, USER_AGENT_MAX),
  });
  if (accountSessionId === null) throw refused();
  await touchMember(deps.store, memberId, new Date(now));
  const viewer = { kind: "member" as const, accountId, accountSessionId, memberId, email, role };
  return { viewer, token, expiresAt };
}

function refused(): Fault {
  return new Fault("UNAUTHENTICATED", REFUSED);
}

/**
 * Finds the member of a token and extends the session, unless `extend` is false.
 * @throws Fault UNAUTHENTICATED, always with the same text, if the token is missing, unknown, expired or
 * signed out
 */
export async function findMemberByToken(
  deps: AccountDeps,
  token: string | undefined,
  extend = true,
): Promise<AccountViewer> {
  if (!isMemberToken(token)) throw Fault.noSession();
  const now = deps.clock.now();
  const at = new Date(now);
  const session = await findAccountSession(deps.store, hashToken(token), at);
  if (session === null) throw Fault.noSession();
  if (extend && now - session.lastActivityAt.getTime() >= TOUCH_INTERVAL_MS) {
    const expiresAt = new Date(now + MEMBER_SESSION_MS);
    await touchAccountSession(deps.store, session.id, { lastActivityAt: at, expiresAt });
    await touchMember(deps.store, session.memberId, at);
  }
  const { id: accountSessionId, accountId, memberId, email, role } = session;
  return { kind: "member", accountId, accountSessionId, memberId, email, role };
}

/** Ends a member's session, which invalidates its token. */
export async function signOutMember(deps: AccountDeps, viewer: AccountViewer): Promise<void> {
  const { accountSessionId } = viewer;
  await deleteAccountSession(deps.store, accountSessionId);
  deps.sessionEvents.publish({ kind: "member session", accountSessionId });
}

/** Ends all sessions of a member, also the calling one. */
export async function signOutMemberEverywhere(
  deps: AccountDeps,
  { memberId }: AccountViewer,
): Promise<void> {
  await deleteAccountSessions(deps.store, memberId);
  deps.sessionEvents.publish({ kind: "member", memberId });
}

/**
 * Closes the connections of this node whose session has ended or expired, or whose member has a lesser role than when
 * they were opened. An open connection does not extend its session.
 */
export async function closeEndedMemberConnections({
  store,
  clock,
  sessionEvents,
}: Pick<AccountDeps, "store" | "clock" | "sessionEvents">): Promise<void> {
  const connections = sessionEvents.members.tracked();
  if (connections.length === 0) return;
  const ids = [...new Set(connections.map(({ accountSessionId }) => accountSessionId))];
  const live = await findLiveAccountSessions(store, ids, new Date(clock.now()));
  for (const connection of connections) {
    const role = live.get(connection.accountSessionId);
    if (role === undefined || !roleAllows(connection.role, role)) connection.close();
  }
}

/** Deletes expired sessions of members. Idempotent and safe to run concurrently. */
export async function purgeAccountSessions({
  store,
  clock,
}: Pick<AccountDeps, "store" | "clock">): Promise<void> {
  await purgeRows(store, EXPIRED_ACCOUNT_SESSIONS, new Date(clock.now()));
}
