import { trimTrailingSlashes } from "../../core/host-in-url";
import { escapeHtml, toSingleLine } from "../../core/html";
import { mailPage } from "../../platform/mail/layout";

/** A mail with a reset link. */
export interface ResetMail {
  subject: string;
  text: string;
  html: string;
}

/** Path of the page that a reset link opens, relative to the deployment's base URL. */
export const RESET_PATH = "/password/reset";

/** The URL that a mail links to. @param base base URL of the deployment, with or without a path */
export function resetLinkUrl(base: string, token: string): string {
  return `${trimTrailingSlashes(base)}${RESET_PATH}?token=${encodeURIComponent(token)}`;
}

/**
 * The mail with a reset link, as plain text and as HTML.
 * @param applicationName untrusted text of the application's owner
 */
export function resetMail(applicationName: string, link: string): ResetMail {
  const name = toSingleLine(applicationName) || "your application";
  const intro = `Someone, probably you, requested a new password for your account at ${name}.`;
  const action = "Choose a new password with this link. It works once and expires after one hour:";
  const otherwise =
    "If it was not you, ignore this mail: your password does not change. Do not share the link.";
  return {
    subject: `Your new password for ${name}`,
    text: `Hello,\n\n${intro}\n\n${action}\n\n${link}\n\n${otherwise}\n`,
    html: mailPage(
      `Your new password for ${name}`,
      "Choose a new password",
      `<p style="margin:0 0 24px">${escapeHtml(intro)} The link works once and expires after one hour.</p>
<p style="margin:0 0 24px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;background:#2f5bea;color:#ffffff;border-radius:8px;text-decoration:none;font-weight:600">Choose a new password</a></p>
<p style="margin:0 0 24px;font-size:13px;color:#5b6375;word-break:break-all">Or open this address: ${escapeHtml(link)}</p>
<p style="margin:0;font-size:13px;color:#5b6375">${escapeHtml(otherwise)}</p>`,
    ),
  };
}
