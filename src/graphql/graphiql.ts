import type { FastifyInstance, FastifyReply } from "fastify";
import { registerPackageFiles } from "../http/browser-pages";

/** GraphiQL's files by served name: npm package, and path in the package. */
const FILES = {
  "react.js": ["react", "umd/react.production.min.js"],
  "react-dom.js": ["react-dom", "umd/react-dom.production.min.js"],
  "graphiql.js": ["graphiql", "graphiql.min.js"],
  "graphiql.css": ["graphiql", "graphiql.min.css"],
  "graphql-ws.js": ["graphql-ws", "umd/graphql-ws.min.js"],
} as const;

/** URL path of the files. */
const ASSETS = "/graphql/assets";

/** Content Security Policy: only scripts and resources of this server. */
const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self' ws: wss:",
  "frame-ancestors 'none'",
].join("; ");

const EXAMPLE = `# Welcome to Signalbox.
#
# Open the docs with the book icon on the left. Most
# operations require a session token: the README
# shows how to get one. Put it under "Headers" below;
# subscriptions over WebSocket use it as well.

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

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signalbox GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${ASSETS}/graphiql.css">
<style>html, body, #graphiql { height: 100%; margin: 0 }</style>
</head>
<body>
<div id="graphiql">Loading…</div>
<script src="${ASSETS}/react.js"></script>
<script src="${ASSETS}/react-dom.js"></script>
<script src="${ASSETS}/graphiql.js"></script>
<script src="${ASSETS}/graphql-ws.js"></script>
<script src="${ASSETS}/page.js"></script>
</body>
</html>
`;

const SCRIPT = `"use strict";
// Reconnects when the token under "Headers" changes.
let client = null, clientToken = null;
function socketFor(headers) {
  const token = headers["Svc-Token"] || headers["svc-token"] || "";
  if (client && token === clientToken) return client;
  if (client) client.dispose();
  clientToken = token;
  const url = location.href.split("?")[0].replace(/^http/, "ws");
  client = graphqlWs.createClient({ url, lazy: true, connectionParams: token ? { token } : {} });
  return client;
}
const overHttp = GraphiQL.createFetcher({ url: location.pathname });
function fetcher(params, options) {
  const definitions = (options && options.documentAST && options.documentAST.definitions) || [];
  const subscription = definitions.some((node) =>
    node.kind === "OperationDefinition" && node.operation === "subscription" &&
    (!params.operationName || !node.name || node.name.value === params.operationName));
  if (!subscription) return overHttp(params, options);
  return socketFor((options && options.headers) || {}).iterate(params);
}
ReactDOM.createRoot(document.getElementById("graphiql")).render(
  React.createElement(GraphiQL, {
    fetcher,
    defaultQuery: ${JSON.stringify(EXAMPLE)},
    defaultEditorToolsVisibility: "headers",
    defaultHeaders: '{\\n  "Svc-Token": ""\\n}',
    shouldPersistHeaders: false,
  }),
);
`;

/** Serves GraphiQL's files from the installed packages. */
export function registerGraphiqlFiles(server: FastifyInstance): void {
  server.get(`${ASSETS}/page.js`, { config: { counts: "request" } }, (_, reply) =>
    reply.type("text/javascript; charset=utf-8").send(SCRIPT),
  );
  registerPackageFiles(server, ASSETS, FILES);
}

/** Sends the GraphiQL page. */
export function sendGraphiql(reply: FastifyReply): FastifyReply {
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", POLICY)
    .header("x-content-type-options", "nosniff")
    .send(PAGE);
}
