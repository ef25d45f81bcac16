import { createHash } from "node:crypto";
import { escapeHtml } from "../../core/html";

/** The style sheet of every page. */
const STYLE = `
:root { color-scheme: light dark; --page: #f3f4f8; --card: #fff; --ink: #1b2130; --soft: #596176;
  --line: #8b93a7; --accent: #2f55d4; --on-accent: #fff; --bad: #b3261e; --bad-page: #fdeceb;
  --good: #17734a; --good-page: #e6f5ed; --quiet: #eceef4; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12151d; --card: #1b202b; --ink: #eceff6; --soft: #a8b0c3; --line: #6f788e;
    --accent: #8fa8ff; --on-accent: #10131b; --bad: #ffb4ab; --bad-page: #3d1f1d;
    --good: #85d8ae; --good-page: #173427; --quiet: #262c39; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px;
  background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { width: 100%; max-width: 416px; padding: 36px 32px; background: var(--card);
  border-radius: 16px; box-shadow: 0 1px 2px rgb(0 0 0 / 8%), 0 12px 32px rgb(20 28 60 / 10%);
  overflow-wrap: anywhere; }
.mark { width: 44px; height: 44px; display: grid; place-items: center; border-radius: 50%;
  margin: 0 0 20px; background: var(--quiet); color: var(--accent); }
.mark.good { background: var(--good-page); color: var(--good); }
.mark.bad { background: var(--bad-page); color: var(--bad); }
.mark svg { width: 22px; height: 22px; fill: none; stroke: currentColor; stroke-width: 2;
  stroke-linecap: round; stroke-linejoin: round; }
h1 { margin: 0 0 8px; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
p { margin: 0 0 16px; color: var(--soft); }
p strong { color: var(--ink); font-weight: 600; }
p:last-child { margin-bottom: 0; }
form { margin-top: 24px; }
label { display: block; margin: 0 0 6px; font-weight: 600; font-size: .9375rem; }
.field { margin-bottom: 20px; }
.hint { margin: 6px 0 0; font-size: .875rem; }
.problem { margin: 6px 0 0; font-size: .875rem; font-weight: 500; color: var(--bad); }
input { width: 100%; padding: 11px 13px; font: inherit; color: inherit; background: transparent;
  border: 1px solid var(--line); border-radius: 9px; }
input[aria-invalid] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
button { width: 100%; margin-top: 4px; padding: 12px 16px; font: inherit; font-weight: 600;
  color: var(--on-accent); background: var(--accent); border: 0; border-radius: 9px; cursor: pointer; }
button:hover { filter: brightness(1.08); }
input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.alone { display: none; }
@media (max-width: 480px) { main { padding: 28px 20px; } }
@media (forced-colors: active) { main, button { border: 1px solid; } }
`;

/**
 * Headers of a page. Its style sheets are inline and allowed by their hashes; it has no scripts, no external resources
 * and no frames, and forms go only to the same origin. The URL of a page may contain a secret, so it must be neither
 * cached nor sent as a referrer.
 * @param styles style sheets besides the one of every page
 */
export function pageHeaders(...styles: string[]): Record<string, string> {
  const hashes = [STYLE, ...styles].map(
    (style) => `'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  );
  const policy = [
    "default-src 'none'",
    `style-src ${hashes.join(" ")}`,
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-robots-tag": "noindex",
  };
}

/** SVG icons above the heading. */
const MARKS = {
  key: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  good: '<path d="M5 12.5l4.5 4.5L19 7.5"/>',
  bad: '<path d="M12 7v6M12 17v.01"/>',
  signal:
    '<circle cx="12" cy="12" r="1.6"/><path d="M8.2 15.8a5.4 5.4 0 0 1 0-7.6M15.8 8.2a5.4 5.4 0 0 1 0 7.6M5 19a9.9 9.9 0 0 1 0-14M19 5a9.9 9.9 0 0 1 0 14"/>',
};

/** Content of a page. */
export interface PageContent {
  /** The heading, and the title of the window. */
  title: string;
  mark: keyof typeof MARKS;
  /** HTML, with all external text escaped. */
  content: string;
  /** Whether the form has errors; the window title then starts with "Error: ". */
  failed?: boolean;
  /** A style sheet besides the one of every page. */
  style?: string;
}

/** Renders a page as HTML. */
export function renderPage({ title, mark, content, failed, style }: PageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${failed ? "Error: " : ""}${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>${style ? `\n<style>${style}</style>` : ""}
</head>
<body>
<main>
<div class="mark ${mark}"><svg viewBox="0 0 24 24" aria-hidden="true">${MARKS[mark]}</svg></div>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`;
}
