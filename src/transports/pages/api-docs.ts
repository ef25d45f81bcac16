import type { FastifyInstance } from "fastify";
import { registerPageFiles } from "../http/browser-pages";
import { HANDED_TOKEN_BAR, HANDED_TOKEN_SCRIPT, HANDED_TOKEN_STYLE } from "../http/handed-token";

/** URL path of the reference of the REST API. */
const DOCS_PATH = "/docs";
/** URL path of its files. */
const ASSETS = `${DOCS_PATH}/assets`;

/** Swagger UI's files. */
const FILES = ["swagger-ui.js", "swagger-ui.css"];

/** Content Security Policy: scripts, styles and requests of this server only; images also inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signalbox REST API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${ASSETS}/swagger-ui.css">
<link rel="stylesheet" href="${ASSETS}/page.css">
</head>
<body>
<nav><a href="/">Signalbox</a> <a href="/openapi.json">openapi.json</a></nav>
${HANDED_TOKEN_BAR}
<div id="docs"><p class="loading">Loading…</p></div>
<noscript><p class="loading">This page needs JavaScript. <a href="/openapi.json">openapi.json</a> has the same content.</p></noscript>
<script src="${ASSETS}/swagger-ui.js"></script>
<script src="${ASSETS}/page.js"></script>
</body>
</html>
`;

/**
 * Tokens are kept in memory only, and no validator of another host is asked. The dialog has one box for the token, which
 * comes first: the bearer header takes the same one, and the account key serves a single route.
 */
const SCRIPT = `"use strict";
${HANDED_TOKEN_SCRIPT}
const BOXES = { svcToken: "Token", apiKey: "API key", accountKey: "Account key" };
const boxOf = (requirement) =>
  Object.fromEntries(Object.entries(requirement).map(([name, scopes]) => [BOXES[name] || name, scopes]));
function withBoxes(description) {
  const { securitySchemes: { bearer, ...schemes }, ...components } = description.components;
  schemes.svcToken.description =
    "The token of a session. In the clone that the server runs from, \`npx signalbox token --app 1\` prints one of the application, and with \`--login alice\` one of a user.";
  const names = [...Object.keys(BOXES), ...Object.keys(schemes).filter((name) => !BOXES[name])];
  const securitySchemes = boxOf(Object.fromEntries(names.map((name) => [name, schemes[name]])));
  for (const path of Object.values(description.paths)) {
    for (const operation of Object.values(path)) {
      const { security } = operation;
      if (security) operation.security = security.filter((each) => !each.bearer).map(boxOf);
    }
  }
  return { ...description, components: { ...components, securitySchemes } };
}
const dark = matchMedia("(prefers-color-scheme: dark)");
const setMode = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", setMode);
setMode();
let viewer = null;
const show = (description) => {
  viewer = SwaggerUIBundle({
    spec: withBoxes(description),
    dom_id: "#docs",
    deepLinking: true,
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    persistAuthorization: false,
    validatorUrl: null,
    onComplete() {
      const token = handedToken.get();
      if (token !== null) viewer.preauthorizeApiKey(BOXES.svcToken, token);
    },
  });
};
handedToken.onDrop(() => viewer && viewer.authActions.logout([BOXES.svcToken]));
// Swagger UI gives the focus to the last box of its dialog.
document.addEventListener("click", ({ target }) => {
  if (!target.closest(".auth-wrapper .authorize, .authorization__btn")) return;
  requestAnimationFrame(() => {
    const first = document.querySelector(".auth-container input");
    if (first) first.focus();
  });
});
fetch("/openapi.json")
  .then((response) => (response.ok ? response.json() : Promise.reject(new Error("status " + response.status))))
  .then(show)
  .catch((error) => {
    document.querySelector("#docs").textContent = "The description of the API cannot be read: " + error.message;
  });
`;

const STYLE = `html { box-sizing: border-box; color-scheme: light; background: #fff; }
html.dark-mode { color-scheme: dark; background: #1c2022; color: #e4e6e6; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; }
nav { display: flex; gap: 24px; padding: 14px 20px; background: #1b2130;
  font: 600 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
nav a { color: #eceff6; text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav a + a { font-weight: 400; color: #a8b0c3; }
.swagger-ui .info { margin: 32px 0 24px; }
.swagger-ui .scheme-container { padding: 16px 0; }
.swagger-ui .response-col_links { display: none; }
@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; padding-right: 44px; position: relative; }
  .swagger-ui .opblock-tag small { flex: 1 1 100%; padding: 4px 0 0; }
  .swagger-ui .opblock-tag .expand-operation { position: absolute; right: 10px; top: 18px; }
}
${HANDED_TOKEN_STYLE}
.loading { padding: 24px 20px; font: 16px/1.5 system-ui, sans-serif; }
`;

/** Registers GET /docs, the reference of the REST API with requests to try, by Swagger UI, and its files. */
export function registerApiDocs(server: FastifyInstance): void {
  const options = { config: { counts: "request" } } as const;
  server.get(DOCS_PATH, options, (_, reply) =>
    reply
      .type("text/html; charset=utf-8")
      .headers({
        "content-security-policy": POLICY,
        "cache-control": "no-cache",
        "cross-origin-opener-policy": "same-origin-allow-popups",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      })
      .send(PAGE),
  );
  for (const [name, type, text] of [
    ["page.js", "text/javascript", SCRIPT],
    ["page.css", "text/css", STYLE],
  ] as const) {
    server.get(`${ASSETS}/${name}`, options, (_, reply) =>
      reply
        .type(`${type}; charset=utf-8`)
        .headers({ "cache-control": "no-cache", "x-content-type-options": "nosniff" })
        .send(text),
    );
  }
  registerPageFiles(server, ASSETS, FILES);
}
