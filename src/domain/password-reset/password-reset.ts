import { Fault } from "../../core/errors";
import { hashToken, newToken } from "../../core/random";
import { textProblem } from "../../core/text/field-checks";
import { type Mailer, MailRejectedError } from "../../platform/mail/mail";
import { purgeRows } from "../../platform/store/rows/expired-rows";
import { findApplicationName } from "../applications/application-queries";
import { checkPassword } from "../passwords/password";
import { deleteSessions } from "../sessions/session-queries";
import { hashUserPassword, passwordAttemptName } from "../users/credentials";
import { lockUser, writeUser } from "../users/user-change-queries";
import type { UserData } from "../users/user-deps";
import { findUser, findUsersById } from "../users/user-queries";
import type { PasswordResetDeps, ResetRequest } from "./password-reset-deps";
import {
  consumeResetLink,
  deleteResetLinks,
  EXPIRED_LINKS,
  EXPORTED_RESET_LINKS,
  findUserOfLink,
  insertResetLink,
} from "./password-reset-queries";
import { resetLinkUrl, resetMail } from "./reset-mail";

/** Lifetime of a link, in milliseconds. */
const LINK_TTL_MS = 60 * 60 * 1000;
/** Maximum length of an e-mail, in characters, as of every text field of a user. */
const EMAIL_MAX = 255;

/** Name of the durable job that sends a link. */
export const RESET_JOB = "password-reset";

/** The user whose password a link sets. */
export interface ResetLinkOwner {
  userId: number;
  applicationId: number;
  email: string | null;
  applicationName: string;
}

/**
 * Requests a mail with a reset link. The result and the work until then are the same for every e-mail: one look-up, and
 * one job.
 * @throws Fault UNAVAILABLE if this deployment cannot send mail, INVALID for the e-mail
 */
export async function requestPasswordReset(
  deps: PasswordResetDeps,
  applicationId: number,
  email: string,
): Promise<void> {
  if (deps.deliverReset === null) {
    throw new Fault("UNAVAILABLE", "This server has no way to send mail");
  }
  if (email === "") throw Fault.field("email", "is required");
  const problem = textProblem(email, EMAIL_MAX);
  if (problem !== null) throw Fault.field("email", problem);
  const user = await findUser(deps, applicationId, { email });
  await deps.deliverReset({ applicationId, userId: user?.id ?? null });
}

/**
 * Creates a link and mails it to the user's stored address. Does nothing without a user, or for one who was erased.
 * @throws MailError when a retry may help; the link that was not delivered expires
 */
export async function sendResetMail(
  deps: Pick<PasswordResetDeps, "store" | "clock" | "log" | "endpoints">,
  mailer: Mailer,
  { applicationId, userId }: ResetRequest,
): Promise<void> {
  const { store, clock, endpoints } = deps;
  // A job of an earlier version has none.
  const user = userId ? (await findUsersById(deps, [userId])).get(userId) : null;
  const applicationName = await findApplicationName(deps.store, applicationId);
  if (!user?.email || user.isGuest || applicationName === null) return;
  const token = newToken();
  const now = new Date(clock.now());
  const expiresAt = new Date(now.getTime() + LINK_TTL_MS);
  const link = { userId: user.id, tokenHash: hashToken(token), expiresAt, createdAt: now };
  if (!(await insertResetLink(store, { ...link, email: user.email }))) return;
  const mail = resetMail(applicationName, resetLinkUrl(endpoints.api(), token));
  try {
    await mailer.send({ to: user.email, ...mail });
  } catch (error) {
    // A retry would be rejected as well.
    if (!(error instanceof MailRejectedError)) throw error;
    deps.log.info({ err: error }, "the mail server rejected a password reset mail");
  }
}

/** Finds the owner of a link without consuming it; null when the link is unknown, used or expired. */
export async function findResetLink(
  deps: PasswordResetDeps,
  token: string,
): Promise<ResetLinkOwner | null> {
  const { store, clock } = deps;
  const userId = await findUserOfLink(store, hashToken(token), new Date(clock.now()));
  const user = userId === null ? undefined : (await findUsersById(deps, [userId])).get(userId);
  if (user === undefined) return null;
  const { applicationId, email } = user;
  const applicationName = await findApplicationName(deps.store, applicationId);
  return applicationName === null
    ? null
    : { userId: user.id, applicationId, email, applicationName };
}

/**
 * Sets a new password with a link. Deletes all links of the user, and ends all sessions and connections of
 * the user.
 * @param ip the client's address
 * @throws Fault INVALID on password when it breaks the rules; INVALID on token when the link is unknown, used
 * or expired; LIMITED. The link stays usable after the first and the last
 */
export async function resetPassword(
  deps: PasswordResetDeps,
  token: string,
  password: string,
  ip: string,
): Promise<void> {
  checkPassword(password);
  // Checked before the hash, so that only the owner of a link can make the server compute one.
  const owner = await findResetLink(deps, token);
  if (owner === null) throw deadLink();
  const { userId, applicationId } = owner;
  await deps.limits.countPasswordChange({ kind: "user", id: userId, applicationId }, ip);
  const who = { ip, name: `${applicationId} ${passwordAttemptName(userId)}` };
  const columns = await hashUserPassword(deps, password, who);
  await deps.store.transaction(async (transaction) => {
    const now = new Date(deps.clock.now());
    // The user first: concurrent uses of two links of one user would otherwise deadlock.
    await lockUser(transaction.query, userId);
    if (!(await consumeResetLink(transaction, hashToken(token), now))) throw deadLink();
    await deleteResetLinks(transaction, userId);
    await writeUser(transaction, userId, { updatedAt: now }, columns);
    await deleteSessions(transaction, userId);
  });
  deps.sessionEvents.publish({ kind: "user", userId });
}

function deadLink(): Fault {
  return Fault.field("token", "is unknown, used or expired");
}

/** Deletes expired links. Idempotent and safe to run concurrently. */
export async function purgeResetLinks({
  store,
  clock,
}: Pick<PasswordResetDeps, "store" | "clock">): Promise<void> {
  await purgeRows(store, EXPIRED_LINKS, new Date(clock.now()));
}

/** The export of this module; deleting a user's row cascades to the links. */
export const resetLinkUserData: UserData = {
  exports: [EXPORTED_RESET_LINKS],
};
