import { findApplicationName } from "../applications/applications";
import { Fault } from "../core/errors";
import { hashToken, newToken } from "../core/random";
import { textProblem } from "../core/text/field-checks";
import { type Mailer, MailRejectedError } from "../mail/mail";
import { checkPassword } from "../passwords/password";
import { deleteSessions } from "../sessions/session-rows";
import { expiredRows, purgeRows } from "../store/expired-rows";
import type { Transaction } from "../store/store";
import { passwordAttemptName } from "../users/credentials";
import { findUser } from "../users/find-user";
import { exportRows, lockUser, setPasswordHash } from "../users/user-data";
import type { UserData } from "../users/user-deps";
import type { PasswordResetDeps } from "./password-reset-deps";
import { resetLinkUrl, resetMail } from "./reset-mail";
import type { ResetRequest } from "./reset-request";

/** Lifetime of a link, in milliseconds. */
const LINK_TTL_MS = 60 * 60 * 1000;
/** Maximum number of live links of a user; the oldest are deleted first. */
const LINKS_MAX = 3;
/** Maximum length of an e-mail, in characters, as of every text field of a user. */
const EMAIL_MAX = 255;

/** Name of the durable job that sends a link. */
export const RESET_JOB = "password-reset";

const ADD_LINK = {
  name: "reset_link",
  // Only while the user still has the address. A concurrent change of the address waits for this lock, so it
  // sees the link and deletes it.
  text: `INSERT INTO password_resets (user_id, token_hash, expires_at, created_at)
    SELECT id, $2::bytea, $3::timestamptz, $4::timestamptz FROM users
    WHERE id = $1 AND email = $5 FOR SHARE RETURNING id`,
};
const DROP_LINKS = {
  name: "reset_links_dropped",
  text: `DELETE FROM password_resets WHERE user_id = $1 AND (expires_at <= $2 OR id NOT IN
    (SELECT id FROM password_resets WHERE user_id = $1 ORDER BY id DESC LIMIT ${LINKS_MAX}))`,
};
const LIVE_LINK = {
  name: "reset_live_link",
  text: `SELECT u.id, u.application_id, u.email FROM password_resets r
      JOIN users u ON u.id = r.user_id WHERE r.token_hash = $1 AND r.expires_at > $2`,
};

const USE_LINK = {
  name: "use_reset_link",
  text: "DELETE FROM password_resets WHERE token_hash = $1 AND expires_at > $2 RETURNING id",
};

interface LinkRow {
  id: number;
  application_id: number;
  email: string | null;
}

/** The user whose password a link sets. */
export interface ResetLinkOwner {
  userId: number;
  applicationId: number;
  email: string | null;
  applicationName: string;
}

/**
 * Requests a mail with a reset link. The result and the work until then are the same for every e-mail; a
 * background job looks the user up.
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
  await deps.deliverReset({ applicationId, emailKey: email.toLowerCase() });
}

/**
 * Creates a link and mails it to the user's stored address. Does nothing for an unknown e-mail.
 * @throws MailError when a retry may help; the link that was not delivered expires
 */
export async function sendResetMail(
  deps: PasswordResetDeps,
  mailer: Mailer,
  { applicationId, emailKey }: ResetRequest,
): Promise<void> {
  const { store, clock, endpoints } = deps;
  const user = await findUser(deps, applicationId, { email: emailKey });
  const applicationName = await findApplicationName(deps, applicationId);
  if (!user?.email || user.isGuest || applicationName === null) return;
  const token = newToken();
  const now = new Date(clock.now());
  const expiresAt = new Date(now.getTime() + LINK_TTL_MS);
  const values = [user.id, hashToken(token), expiresAt, now, user.email];
  if ((await store.query(ADD_LINK, values)).length === 0) return;
  await store.query(DROP_LINKS, [user.id, now]);
  const mail = resetMail(applicationName, resetLinkUrl(endpoints.api(), token));
  try {
    await mailer.send({ to: user.email, ...mail });
  } catch (error) {
    // A retry would be rejected as well.
    if (!(error instanceof MailRejectedError)) throw error;
    deps.log.warn({ err: error }, "the mail server rejected a password reset mail");
  }
}

/** Finds the owner of a link without consuming it; null when the link is unknown, used or expired. */
export async function findResetLink(
  deps: PasswordResetDeps,
  token: string,
): Promise<ResetLinkOwner | null> {
  const { store, clock } = deps;
  const values = [hashToken(token), new Date(clock.now())];
  const [row] = await store.query<LinkRow>(LIVE_LINK, values);
  if (!row) return null;
  const { id: userId, application_id: applicationId, email } = row;
  const applicationName = await findApplicationName(deps, applicationId);
  return applicationName === null ? null : { userId, applicationId, email, applicationName };
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
  const { applicationId } = owner;
  await deps.limits.countPasswordChange({ kind: "user", id: owner.userId, applicationId }, ip);
  const who = { ip, name: `${applicationId} ${passwordAttemptName(owner.userId)}` };
  const passwordHash = await deps.passwordHasher.hash(password, who);
  const userId = BigInt(owner.userId);
  await deps.store.transaction(async (transaction) => {
    const now = new Date(deps.clock.now());
    // The user first: concurrent uses of two links of one user would otherwise deadlock.
    await lockUser(transaction, owner.userId);
    if ((await transaction.query(USE_LINK, [hashToken(token), now])).length === 0) throw deadLink();
    await deleteResetLinks(transaction, userId);
    await setPasswordHash(transaction, userId, passwordHash, now);
    await deleteSessions(transaction, userId);
  });
  deps.sessionEvents.publish({ kind: "user", userId: owner.userId });
}

function deadLink(): Fault {
  return Fault.field("token", "is unknown, used or expired");
}

const EXPIRED = expiredRows("password_resets");

/** Deletes expired links. Idempotent and safe to run concurrently. */
export async function purgeResetLinks({
  store,
  clock,
}: Pick<PasswordResetDeps, "store" | "clock">): Promise<void> {
  await purgeRows(store, EXPIRED, new Date(clock.now()));
}

const EXPORT = {
  name: "export_password_resets",
  text: `SELECT to_jsonb(r) - 'token_hash' AS row FROM password_resets r
    WHERE r.user_id = $1 ORDER BY r.id`,
};

/** The export of this module; deleting a user's row cascades to the links. */
export const resetLinkUserData: UserData = {
  exportUser: async (query, userId) => ({
    password_resets: await exportRows(query, EXPORT, [userId]),
  }),
};

/** Deletes all links of a user: they may have gone to an address that is no longer the user's. */
export async function deleteResetLinks({ prisma }: Transaction, userId: bigint): Promise<void> {
  await (await prisma()).passwordReset.deleteMany({ where: { userId } });
}
