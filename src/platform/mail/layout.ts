import { escapeHtml } from "../../core/html";

/**
 * The HTML form of a mail: a heading above what the mail says.
 * @param body HTML whose untrusted parts are escaped
 */
export function mailPage(subject: string, heading: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7;color:#1c2230;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:12px">
<h1 style="margin:0 0 16px;font-size:20px">${escapeHtml(heading)}</h1>
${body}
</div>
</body>
</html>
`;
}
