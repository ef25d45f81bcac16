import { trimTrailingSlashes } from "../core/host-in-url";
import { escapeHtml, toSingleLine } from "../core/html";

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
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(`Your new password for ${name}`)}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7;color:#1c2230;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:12px">
<h1 style="margin:0 0 16px;font-size:20px">Choose a new password</h1>
<p style="margin:0 0 24px">${escapeHtml(intro)} The link works once and expires after one hour.</p>
<p style="margin:0 0 24px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;background:#2f5bea;color:#ffffff;border-radius:8px;text-decoration:none;font-weight:600">Choose a new password</a></p>
<p style="margin:0 0 24px;font-size:13px;color:#5b6375;word-break:break-all">Or open this address: ${escapeHtml(link)}</p>
<p style="margin:0;font-size:13px;color:#5b6375">${escapeHtml(otherwise)}</p>
</div>
</body>
</html>
`,
  };
}
