import { escapeHtml, toSingleLine } from "../../core/html";
import { mailPage } from "../../platform/mail/layout";
import { type Mail, type Mailer, MailRejectedError } from "../../platform/mail/mail";
import type { AccountDeps, MemberEmailChange } from "./account-deps";
import { findAccountById } from "./account-queries";

/** Name of the durable job that notifies the old address of a member of its change. */
export const MEMBER_EMAIL_JOB = "account-email-change";

/**
 * Notifies the old address of a member that it no longer signs in. The mail does not name the new address.
 * @throws MailError when a retry may help
 */
export async function sendMemberEmailNotice(
  { store, log }: Pick<AccountDeps, "store" | "log">,
  mailer: Mailer,
  { accountId, email }: MemberEmailChange,
): Promise<void> {
  const account = await findAccountById(store, accountId);
  if (account === null) return;
  try {
    await mailer.send({ to: email, ...emailChangeMail(account.name) });
  } catch (error) {
    // A retry would be rejected as well.
    if (!(error instanceof MailRejectedError)) throw error;
    log.info({ err: error }, "the mail server rejected an e-mail change notice of a member");
  }
}

/** The mail as plain text and HTML. @param accountName untrusted text of the account's owner */
function emailChangeMail(accountName: string): Omit<Mail, "to"> {
  const name = toSingleLine(accountName) || "an account";
  const subject = `Your e-mail address for ${name} was changed`;
  const intro = `You are a member of ${name}, and your e-mail address there was changed. You cannot sign in with this address any more.`;
  const otherwise =
    "If you changed it, you do not need to do anything. If it was not you, someone else has your password: ask an owner to remove the member.";
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
