import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GraphQLSchema } from "graphql";
import { isoSeconds } from "../../core/clock";
import { packageRoot } from "../../core/package-root";
import type { CreateContext } from "../graphql/engine/context";
import type { Engine } from "../graphql/engine/engine";
import { callerOf } from "../http/request-caller";
import { compileBind } from "./bind";
import { type Body, NO_BODY, readBody } from "./body";
import type { RestDocument } from "./documents";
import { sendError, sendErrors, sendNotFound } from "./error";
import { readQuery } from "./form";
import { compileResponse } from "./response";

/** Dependencies of the REST API. */
export interface RestOptions {
  engine: Engine;
  makeContext: CreateContext;
  documents: readonly RestDocument[];
  /** The schema that the documents were read with. */
  schema: GraphQLSchema;
}

/**
 * Registers the REST API: a route for each document, and GET /openapi.json. Its body parser is scoped, so
 * that other routes keep theirs. The server's bodyLimit limits the size of a body.
 * @throws GraphQLError if a document is invalid
 */
export function registerRest(server: FastifyInstance, options: RestOptions): void {
  const routes = options.documents.map((document) => ({
    document,
    handler: compileHandler(document, options),
  }));
  const openApiText = readOpenApi();
  server.register(async (scope) => {
    scope.setErrorHandler(sendError);
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (request, bytes, done) => {
      done(null, readBody(request.headers["content-type"], bytes as Buffer));
    });
    for (const { document, handler } of routes) {
      for (const url of urls(document.path)) {
        scope.route({ method: document.method, url, config: COUNTED, handler });
      }
    }
    scope.get("/openapi.json", { config: COUNTED }, (_request, reply) =>
      reply.header("content-type", JSON_TYPE).send(openApiText),
    );
  });
}

/** schema/openapi.json without its white space. `npm run generate` writes it from the documents. */
function readOpenApi(): string {
  return JSON.stringify(
    JSON.parse(readFileSync(join(packageRoot(), "schema/openapi.json"), "utf8")),
  );
}

/** The HTTP server counts one request on arrival; operations count against further limits themselves. */
const COUNTED = { counts: "request" } as const;

const JSON_TYPE = "application/json; charset=utf-8";

/**
 * A path in the router's syntax, with and without `.json`. If it ends in a parameter, one route matches both,
 * and binding removes the suffix.
 */
function urls(path: string): string[] {
  const url = path.replace(/\{([^{}]{0,64})\}/g, ":$1");
  return path.endsWith("}") ? [url] : [url, `${url}.json`];
}

/** `YYYY-MM-DD HH:MM:SS UTC`; a legacy client fails to parse a `T` separator (docs/COMPATIBILITY.md). */
function expirationDate(date: Date): string {
  const iso = isoSeconds(date);
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function compileHandler(
  document: RestDocument,
  { engine, makeContext, schema }: RestOptions,
): Handler {
  const prepared = engine.prepareTrusted(document.text, schema);
  const bind = compileBind(document);
  const serialize = compileResponse(document);
  const hasBody = document.body !== "NONE";
  return async (request, reply) => {
    const body = request.body === NO_BODY ? undefined : (request.body as Body | undefined);
    const variables = bind({
      path: request.params as Record<string, string>,
      query: readQuery(request.raw.url ?? ""),
      body: body?.fields,
      headers: request.headers,
    });
    const context = makeContext({
      ...callerOf(request, "rest"),
      parameters: body?.parameters,
    });
    const result = await engine.run(prepared, context, variables, "rest");
    if (context.expiresAt) {
      reply.header("svc-token-expirationdate", expirationDate(context.expiresAt));
    }
    if (result.errors && result.errors.length > 0) {
      return sendErrors(result.errors, document.errorKeys, request, reply);
    }
    const text = serialize(result.data);
    if (text === undefined) return sendNotFound(reply);
    reply.code(document.status);
    return hasBody ? reply.header("content-type", JSON_TYPE).send(text) : reply.send();
  };
}
