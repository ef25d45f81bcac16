import { trimTrailingSlashes } from "../../core/host-in-url";
import { escapeHtml, toSingleLine } from "../../core/html";
import type { MemberRole } from "../../core/viewer";
import { mailPage } from "../../platform/mail/layout";
import type { Mail } from "../../platform/mail/mail";

/**
 * The URL that an invitation links to. The secret is in the fragment, which browsers send to no server.
 * @param base base URL of the deployment, with or without a path
 */
export function invitationUrl(base: string, secret: string): string {
  return `${trimTrailingSlashes(base)}/dashboard/#/invitation/${encodeURIComponent(secret)}`;
}

/**
 * The mail of an invitation, as plain text and as HTML.
 * @param accountName untrusted text of the account's owner
 * @param base base URL of the deployment
 */
export function invitationMail(
  accountName: string,
  role: MemberRole,
  base: string,
  secret: string,
): Omit<Mail, "to"> {
  const name = toSingleLine(accountName) || "an account";
  const link = invitationUrl(base, secret);
  const server = trimTrailingSlashes(base);
  const subject = `Invitation to ${name}`;
  const intro = `You are invited to ${name} at ${server}, with the role ${role}.`;
  const action = "Choose a password with this link. It works once and expires after one day:";
  const without = "Without the page, pass this secret to the GraphQL operation acceptInvitation:";
  const otherwise =
    "If you do not know the sender, ignore this mail. Do not share the link or the secret.";
  return {
    subject,
    text: `Hello,\n\n${intro}\n\n${action}\n\n${link}\n\n${without}\n\n${secret}\n\n${otherwise}\n`,
    html: mailPage(
      subject,
      subject,
      `<p style="margin:0 0 24px">${escapeHtml(intro)} The link works once and expires after one day.</p>
<p style="margin:0 0 24px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;background:#2f5bea;color:#ffffff;border-radius:8px;text-decoration:none;font-weight:600">Accept the invitation</a></p>
<p style="margin:0 0 24px;font-size:13px;color:#5b6375;word-break:break-all">Or open this address: ${escapeHtml(link)}</p>
<p style="margin:0 0 24px;font-size:13px;color:#5b6375;word-break:break-all">${escapeHtml(without)} ${escapeHtml(secret)}</p>
<p style="margin:0;font-size:13px;color:#5b6375">${escapeHtml(otherwise)}</p>`,
    ),
  };
}
