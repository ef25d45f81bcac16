import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isoSeconds } from "../core/clock";
import type { Caller, MakeContext } from "../graphql/context";
import type { Engine } from "../graphql/engine";
import { compileBind } from "./bind";
import { type Body, NO_BODY, readBody } from "./body";
import type { RestDocument } from "./documents";
import { sendError, sendErrors, sendNotFound } from "./error";
import { readQuery } from "./form";
import { API_INFO, type OpenApiInfo, openApi } from "./openapi";
import { compileAnswer } from "./respond";

/** What the REST door is made of. */
export interface RestOptions {
  engine: Engine;
  makeContext: MakeContext;
  documents: readonly RestDocument[];
  /** Title, version and servers of the OpenAPI document. */
  info?: OpenApiInfo;
}

/**
 * Opens the REST door: a route for each document, and GET /openapi.json. Bodies are read here in a
 * scope of their own, so that the server's other routes keep their parsers; the size of a body is
 * limited by the server's bodyLimit.
 * @throws GraphQLError when the engine refuses a document
 */
export function registerRest(server: FastifyInstance, options: RestOptions): void {
  const { engine, makeContext, documents, info = API_INFO } = options;
  const routes = documents.map((document) => ({
    document,
    handler: compileHandler(document, engine, makeContext),
  }));
  const description = JSON.stringify(openApi(documents, engine.schema, info));
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
      reply.header("content-type", JSON_TYPE).send(description),
    );
  });
}

/** Requests count when they arrive; what their operation counts as besides, it says itself. */
const COUNTED = { counts: "request" } as const;

const JSON_TYPE = "application/json; charset=utf-8";

/**
 * A path in the router's words, with and without `.json`. Where it ends in a parameter one route
 * matches both, and binding takes the suffix off.
 */
function urls(path: string): string[] {
  const url = path.replace(/\{([^{}]{0,64})\}/g, ":$1");
  return path.endsWith("}") ? [url] : [url, `${url}.json`];
}

/** `YYYY-MM-DD HH:MM:SS UTC`; a `T` between breaks a client of the field. */
function expirationDate(date: Date): string {
  const iso = isoSeconds(date);
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function compileHandler(document: RestDocument, engine: Engine, makeContext: MakeContext): Handler {
  const prepared = engine.prepareTrusted(document.text);
  const bind = compileBind(document);
  const answer = compileAnswer(document);
  const empty = document.body === "NONE";
  return async (request, reply) => {
    const body = request.body === NO_BODY ? undefined : (request.body as Body | undefined);
    const variables = bind({
      path: request.params as Record<string, string>,
      query: readQuery(request.raw.url ?? ""),
      body: body?.fields,
      headers: request.headers,
    });
    const context = makeContext(callerOf(request, body));
    const result = await engine.run(prepared, context, variables, "rest");
    if (context.expiresAt) {
      reply.header("svc-token-expirationdate", expirationDate(context.expiresAt));
    }
    if (result.errors && result.errors.length > 0) {
      return sendErrors(result.errors, document.errorKeys, request, reply);
    }
    const text = answer(result.data);
    if (text === undefined) return sendNotFound(reply);
    reply.code(document.status);
    return empty ? reply.send() : reply.header("content-type", JSON_TYPE).send(text);
  };
}

function callerOf(request: FastifyRequest, body: Body | undefined): Caller {
  const token = request.headers["svc-token"];
  return {
    door: "rest",
    // Of a connection that was cut before anybody asked there is none, whatever the type says.
    ip: request.ip ?? "",
    userAgent: request.headers["user-agent"],
    token: typeof token === "string" && token !== "" ? token : undefined,
    origin: request.headers.origin,
    requestId: request.id,
    parameters: body?.parameters,
  };
}
