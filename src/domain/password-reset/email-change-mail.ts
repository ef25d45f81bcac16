import { escapeHtml, toSingleLine } from "../../core/html";
import { mailPage } from "../../platform/mail/layout";
import { type Mailer, MailRejectedError } from "../../platform/mail/mail";
import { findApplicationName } from "../applications/application-queries";
import type { EmailChange } from "../users/user-deps";
import { findUsersById } from "../users/user-queries";
import type { PasswordResetDeps } from "./password-reset-deps";

/** Name of the durable job that notifies the old address of a change. */
export const EMAIL_CHANGE_JOB = "email-change";

/**
 * Notifies the old address that it no longer belongs to the account. The mail names neither the new address
 * nor the person who changed it.
 * @throws MailError when a retry may help
 */
export async function sendEmailChangeNotice(
  deps: Pick<PasswordResetDeps, "store" | "log">,
  mailer: Mailer,
  { applicationId, userId, email }: EmailChange,
): Promise<void> {
  const name = await findApplicationName(deps.store, applicationId);
  if (name === null) return;
  // A job of an earlier version does not name the user.
  if (userId && !(await findUsersById(deps, [userId])).has(userId)) return;
  try {
    await mailer.send({ to: email, ...emailChangeMail(name) });
  } catch (error) {
    if (!(error instanceof MailRejectedError)) throw error;
    deps.log.info({ err: error }, "the mail server rejected an e-mail change notice");
  }
}

/** The mail as plain text and HTML. @param applicationName untrusted text */
function emailChangeMail(applicationName: string) {
  const name = toSingleLine(applicationName) || "your application";
  const subject = `Your e-mail address for ${name} was changed`;
  const intro = `The e-mail address of your account at ${name} was changed. This address no longer belongs to the account: you cannot sign in with it, and password reset links are no longer sent here.`;
  const otherwise = `If you changed it, you do not need to do anything. If it was not you, someone else has access to your account: contact the operators of ${name}.`;
  return {
    subject,
    text: `Hello,\n\n${intro}\n\n${otherwise}\n`,
    html: mailPage(
      subject,
      "Your e-mail address was changed",
      `<p style="margin:0 0 24px">${escapeHtml(intro)}</p>
<p style="margin:0">${escapeHtml(otherwise)}</p>`,
    ),
  };
}
