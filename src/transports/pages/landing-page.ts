import type { FastifyInstance } from "fastify";
import type { Config } from "../../core/config";
import { Fault } from "../../core/errors";
import { escapeHtml } from "../../core/html";
import { packageVersion } from "../../core/package-root";
import { acceptsHtml } from "../http/browser-pages";
import { pageHeaders, renderPage } from "./layout";

const STYLE = `
body { grid-template-columns: minmax(0, 1fr); place-items: start center; }
main { max-width: 768px; margin: 4vh 0; }
h2 { margin: 36px 0 12px; font-size: 1.125rem; line-height: 1.3; }
a { color: var(--accent); text-underline-offset: 3px; }
a:focus-visible, pre:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px;
  border-radius: 3px; }
.lead { font-size: 1.0625rem; }
dl { margin: 0; display: grid; grid-template-columns: max-content 1fr; gap: 10px 24px; }
dt { font-weight: 600; }
dd { margin: 0; color: var(--soft); }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre code { font-size: .8125rem; line-height: 1.6; }
pre { margin: 0 0 16px; padding: 14px 16px; overflow-x: auto; background: var(--quiet);
  border-radius: 9px; }
p code { color: var(--ink); }
@media (max-width: 560px) { main { margin: 0; }
  dl { grid-template-columns: 1fr; gap: 2px; } dd { margin-bottom: 12px; } }
`;

/** The switches of what the page links to. */
type Switches = Pick<Config, "DASHBOARD" | "GRAPHIQL" | "API_DOCS" | "INTROSPECTION">;

/** Documents of the repository, for readers who have it. */
const DOCUMENTS: Array<[file: string, content: string]> = [
  ["docs/GETTING-STARTED.md", "applications, sign-in, first push"],
  ["docs/DASHBOARD.md", "the dashboard: start, roles, security"],
  ["docs/SIGNALING.md", "build a call client, over GraphQL and XMPP"],
  ["docs/CONFERENCES.md", "build a conference client; how conferences work"],
  ["docs/FRONTEND.md", "guide: sign in, call and read data with @signalbox/client"],
  ["docs/CODEGEN.md", "TypeScript types of the schema for clients"],
  ["docs/PUSH.md", "push credentials, payloads, delivery"],
  ["docs/ERRORS.md", "error codes, their causes and remedies"],
  ["docs/COMPATIBILITY.md", "what REST and XMPP clients rely on"],
  ["docs/LIMITS.md", "rate limits and bounds"],
  ["docs/CONFIG.md", "every environment variable"],
  ["docs/DEPLOY.md", "what a service in production needs"],
  ["docs/OPERATIONS.md", "ports, certificates, several nodes"],
  ["docs/SECURITY.md", "guarantees, their tests, hardening"],
];

/**
 * Registers GET /: a browser gets a page that says what runs here, other clients the 404 of an unknown path.
 * @param baseUrl returns the public URL of this deployment, which is known once the server listens
 */
export function registerLandingPage(
  server: FastifyInstance,
  switches: Switches,
  baseUrl: () => string,
): void {
  const headers = pageHeaders(STYLE);
  server.get("/", { config: { counts: "request" } }, (request, reply) => {
    if (!acceptsHtml(request.headers)) throw new Fault("NOT_FOUND", "Not found");
    return reply.headers(headers).send(landingPage(switches, baseUrl()));
  });
}

function landingPage(switches: Switches, baseUrl: string): string {
  const links: Array<[path: string, text: string, shown: boolean]> = [
    ["/dashboard", "the dashboard: run applications from a page", switches.DASHBOARD],
    ["/docs", "the REST API: every route, with requests to try", switches.API_DOCS],
    ["/graphql", "GraphiQL: write queries and subscriptions", switches.GRAPHIQL],
    ["/openapi.json", "the REST API as OpenAPI 3.1, for code generators", true],
    ["/schema.graphql", "the GraphQL schema", switches.INTROSPECTION],
    ["/healthz", "liveness: whether the process runs", true],
    ["/readyz", "readiness: whether it serves requests", true],
  ];
  return renderPage({
    title: "Signalbox",
    mark: "signal",
    style: STYLE,
    content: `<p class="lead">A backend for applications with users, push notifications and calls. Version&nbsp;${escapeHtml(packageVersion())} runs here.</p>
<h2>On this server</h2>
${definitions(
  links
    .filter(([, , shown]) => shown)
    .map(([path, text]) => [`<a href="${path}">${path}</a>`, text]),
)}
<h2>Get a token</h2>
<p>Most requests need the token of a session, in the header <code>Svc-Token</code> or <code>Authorization: Bearer</code>. In the clone that the server runs from, the command line prints one:</p>
<pre tabindex="0"><code># Of application 1:
npx signalbox token --app 1

# Of a user, by password:
npx signalbox token --app 1 --login alice</code></pre>
<p>Anywhere else, sign the request for a session. <code>credentials.json</code> in the data folder of the server has the three values of its first application (<code>application_id</code>, <code>auth_key</code>, <code>auth_secret</code>):</p>
<pre tabindex="0"><code id="signed">${escapeHtml(signedRequest(baseUrl))}</code></pre>
<h2>Documents</h2>
<p>These files are in the repository of Signalbox.</p>
${definitions(DOCUMENTS.map(([file, content]) => [`<code>${file}</code>`, content]))}`,
  });
}

/** Shell commands that create a session of an application. */
function signedRequest(baseUrl: string): string {
  return `APP=1 KEY=… SECRET=…
LINE="application_id=$APP&auth_key=$KEY&nonce=$RANDOM&timestamp=$(date +%s)"
SIGNATURE=$(printf %s "$LINE" | openssl dgst -sha1 -hmac "$SECRET" | sed 's/.* //')
curl ${baseUrl}/session -d "$LINE&signature=$SIGNATURE"`;
}

/** A list of terms, as HTML, with their texts. */
function definitions(rows: ReadonlyArray<readonly [term: string, text: string]>): string {
  const items = rows.map(([term, text]) => `<dt>${term}</dt><dd>${text}</dd>`);
  return `<dl>\n${items.join("\n")}\n</dl>`;
}
