import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { MessageType } from "graphql-ws";
import { systemClock } from "../../src/core/clock";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import { Engine } from "../../src/transports/graphql/engine/engine";
import { registerGraphqlHttp } from "../../src/transports/graphql/http";
import { limitTable, restSchema } from "../../src/transports/graphql/schema";
import { registerSchemaText } from "../../src/transports/graphql/schema-text";
import { registerMetrics } from "../../src/transports/http/metrics-endpoint";
import { registerProbes } from "../../src/transports/http/probes";
import { openServer } from "../../src/transports/http/server";
import { JanusSessions } from "../../src/transports/janus-endpoint/session/janus-sessions";
import { registerJanusPolling } from "../../src/transports/janus-endpoint/transport/polling";
import { registerApiDocs } from "../../src/transports/pages/api-docs";
import { registerLandingPage } from "../../src/transports/pages/landing-page";
import { registerPages } from "../../src/transports/pages/password-reset";
import { readDocuments, readRestFiles } from "../../src/transports/rest/documents";
import { registerRestErrors, restServerOptions } from "../../src/transports/rest/error";
import { registerRest } from "../../src/transports/rest/routes";
import { registerAuthEndpoint } from "../../src/transports/xmpp/component/auth-endpoint";

/** docs/LIMITS.md describes how every route, operation and message counts, as the code does. */

const ROOT = join(__dirname, "../..");
const text = readFileSync(join(ROOT, "docs/LIMITS.md"), "utf8");
const schema = restSchema();
const documents = readDocuments(readRestFiles(join(ROOT, "schema/rest")), schema);
const log = openLog("silent");
const metrics = openMetrics();
const config = readConfig({ LOG_LEVEL: "silent" });

const open = () =>
  openServer(config, { log, countRequest: () => null, options: restServerOptions });

let server: FastifyInstance;
const routes: Array<{ route: string; counts: unknown }> = [];
beforeAll(async () => {
  server = await open();
  server.addHook("onRoute", ({ method, url, config: own }) => {
    for (const each of [method].flat()) {
      // Fastify adds HEAD to every GET route.
      if (each !== "HEAD") routes.push({ route: `${each} ${url}`, counts: own?.counts });
    }
  });
  const never = () => {
    throw new Error("not used in this test");
  };
  const engine = new Engine(schema, config, log, metrics);
  registerRestErrors(server);
  registerProbes(server, { ready: true, check: async () => undefined });
  registerMetrics(server, { log, metrics, token: null });
  registerRest(server, { engine, makeContext: never, documents, schema });
  registerPages(server, {} as never);
  registerLandingPage(server, config, never);
  registerApiDocs(server);
  registerSchemaText(server, schema);
  registerAuthEndpoint(server, {
    secret: "secret",
    log,
    clock: systemClock,
    metrics,
    authenticate: never,
    arrive: () => null,
  });
  await registerGraphqlHttp(server, {
    config,
    engine,
    makeContext: never,
    limits: { addExtra: never },
  });
  await registerJanusPolling(server, new JanusSessions({} as never));
  await server.ready();
});
afterAll(() => server.close());

const quoted = (names: string[]) => names.map((name) => `\`${name}\``).join(", ");
const routesOf = (wanted: string) =>
  routes.filter(({ counts }) => counts === wanted).map(({ route }) => route);
/** Routes from neither a REST document nor the files of GraphiQL and Swagger UI. */
const ownRoutes = () => {
  const rest = new Set(documents.map(({ method, path }) => `${method} ${path}`));
  return routesOf("request").filter((route) => {
    const named = route.replace(/\.json$/, "").replace(/:([^/]+)/g, "{$1}");
    return route === "GET /openapi.json" || (!rest.has(named) && !route.includes("/assets/"));
  });
};

test("every route declares how it counts", () => {
  expect(routes.filter(({ counts }) => counts === undefined)).toEqual([]);
  expect(routes.length).toBeGreaterThan(documents.length);
});

test("a route without this declaration is rejected", async () => {
  const other = await open();
  expect(() => other.get("/new", () => "new")).toThrow("GET /new does not declare how it counts");
  await other.close();
});

test("the document lists the routes that count for nothing or by themselves", () => {
  expect(text).toContain(`\n| ${quoted(routesOf("nothing"))} | nothing |\n`);
  expect(text).toContain(`\n| ${quoted(routesOf("by itself"))} | `);
});

test("the document lists every route that counts as a request, with the REST paths together", () => {
  const line = `\n| every REST path, ${quoted(ownRoutes())}, the files of GraphiQL and of \`/docs\`, paths that are unknown or do not decode | `;
  expect(text).toContain(line);
});

test("the document lists every operation that counts as more than a request", () => {
  for (const limit of ["session", "sign-in", "sign-up", "reset"] as const) {
    const operations = [...limitTable(schema)]
      .filter(([, counted]) => counted === limit)
      .map(([name]) => name.slice(name.indexOf(".") + 1));
    expect(text).toMatch(new RegExp(`\\n\\| [^|]*${quoted(operations)}[^|]* \\| [^|]*${limit}`));
  }
});

test.each(
  Object.values(MessageType).filter((type) => !/ack|next|error/.test(type)),
)("the document lists the WebSocket message %s", (type) => {
  expect(text).toMatch(new RegExp(`\\n\\| WebSocket of GraphQL[^|]*\`${type}\``));
});
