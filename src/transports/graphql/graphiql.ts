import type { FastifyInstance, FastifyReply } from "fastify";
import { registerPageFiles } from "../http/browser-pages";
import { HANDED_TOKEN_BAR, HANDED_TOKEN_SCRIPT, HANDED_TOKEN_STYLE } from "../http/handed-token";

/** GraphiQL's files. */
const FILES = ["react.js", "react-dom.js", "graphiql.js", "graphiql.css", "graphql-ws.js"];

/** URL path of the files. */
const ASSETS = "/graphql/assets";

/**
 * Content Security Policy: only scripts and resources of this server, and no connection to another one, which could get
 * the token. GraphiQL's editors add style elements.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** No line is wider than the editor on a small screen: 45 characters. */
const EXAMPLE = `# Welcome to Signalbox.
#
# Most operations need the token of a user.
# In the clone of the server, this prints one
# and asks for the password:
#
#   npx signalbox token --app 1 --login alice
#
# Put it below, under Headers. The book icon
# on the left opens the documentation.

query Me {
  currentSession {
    id
    expiresAt
    user {
      id
      login
      fullName
    }
  }
}
`;

/** The first query of somebody whom the dashboard has handed a token. */
const MEMBER_EXAMPLE = `# Welcome to Signalbox.
#
# Operations run with your token of the
# dashboard, which the bar above names. The
# book icon on the left opens the
# documentation.

query Account {
  account {
    name
    applications {
      id
      name
    }
  }
}
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signalbox GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${ASSETS}/graphiql.css">
<link rel="stylesheet" href="${ASSETS}/page.css">
</head>
<body>
${HANDED_TOKEN_BAR}
<div id="graphiql">Loading…</div>
<script src="${ASSETS}/react.js"></script>
<script src="${ASSETS}/react-dom.js"></script>
<script src="${ASSETS}/graphiql.js"></script>
<script src="${ASSETS}/graphql-ws.js"></script>
<script src="${ASSETS}/page.js"></script>
</body>
</html>
`;

const STYLE = `html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; }
#graphiql { flex: 1; min-height: 0; }
${HANDED_TOKEN_STYLE}`;

const SCRIPT = `"use strict";
${HANDED_TOKEN_SCRIPT}
// Reconnects when the token under "Headers" changes.
let client = null, clientToken = null;
function socketFor(headers) {
  const [, token = ""] = Object.entries(headers).find(([name]) => name.toLowerCase() === "svc-token") || [];
  if (client && token === clientToken) return client;
  if (client) client.dispose();
  clientToken = token;
  const url = location.href.split("?")[0].replace(/^http/, "ws");
  client = graphqlWs.createClient({ url, lazy: true, connectionParams: token ? { token } : {} });
  return client;
}
handedToken.onDrop(() => {
  if (client) client.dispose();
  client = null;
});
// What somebody enters under "Headers" goes first. An empty token is none.
function headersOf(options) {
  const given = Object.entries((options && options.headers) || {});
  const isToken = (name) => name.toLowerCase() === "svc-token";
  const headers = Object.fromEntries(given.filter(([name, value]) => !isToken(name) || value));
  const token = handedToken.get();
  if (token === null || Object.keys(headers).some(isToken)) return headers;
  return { ...headers, "Svc-Token": token };
}
const overHttp = GraphiQL.createFetcher({ url: location.pathname });
function fetcher(params, options) {
  const definitions = (options && options.documentAST && options.documentAST.definitions) || [];
  const subscription = definitions.some((node) =>
    node.kind === "OperationDefinition" && node.operation === "subscription" &&
    (!params.operationName || !node.name || node.name.value === params.operationName));
  const headers = headersOf(options);
  if (!subscription) return overHttp(params, { ...options, headers });
  return socketFor(headers).iterate(params);
}
ReactDOM.createRoot(document.getElementById("graphiql")).render(
  React.createElement(GraphiQL, {
    fetcher,
    defaultQuery: handedToken.get() === null ? ${JSON.stringify(EXAMPLE)} : ${JSON.stringify(MEMBER_EXAMPLE)},
    defaultEditorToolsVisibility: "headers",
    // With a token of the dashboard, an empty one would only be in the way.
    defaultHeaders: handedToken.get() === null ? '{\\n  "Svc-Token": ""\\n}' : "",
    shouldPersistHeaders: false,
  }),
);
`;

/** Serves GraphiQL's files from the installed packages. */
export function registerGraphiqlFiles(server: FastifyInstance): void {
  for (const [name, type, text] of [
    ["page.js", "text/javascript", SCRIPT],
    ["page.css", "text/css", STYLE],
  ] as const) {
    server.get(`${ASSETS}/${name}`, { config: { counts: "request" } }, (_, reply) =>
      reply
        .type(`${type}; charset=utf-8`)
        .headers({ "cache-control": "no-cache", "x-content-type-options": "nosniff" })
        .send(text),
    );
  }
  registerPageFiles(server, ASSETS, FILES);
}

/** Sends the GraphiQL page. */
export function sendGraphiql(reply: FastifyReply): FastifyReply {
  return reply
    .type("text/html; charset=utf-8")
    .headers({
      "content-security-policy": POLICY,
      "cross-origin-opener-policy": "same-origin-allow-popups",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    })
    .send(PAGE);
}
