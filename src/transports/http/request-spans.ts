import type { FastifyInstance, FastifyRequest } from "fastify";
import { failSpan, inOpenSpan, type OpenSpan, openServerSpan } from "../../core/tracing";

/**
 * Gives each HTTP request a span, of the client's trace if the request has a traceparent (OpenTelemetry semantic
 * conventions "HTTP server"). Probes and /metrics have none. Without path, query and addresses, which may name users.
 */
export function traceRequests(server: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  server.addHook("onRequest", (request, reply, done) => {
    const { config, url: route } = request.routeOptions;
    if (config.counts === "nothing") return done();
    const { method } = request;
    const { traceparent, tracestate } = request.headers;
    const name = route === undefined ? method : `${method} ${route}`;
    const attributes = {
      "http.request.method": method,
      "url.scheme": request.protocol,
      ...(route !== undefined && { "http.route": route }),
    };
    const opened = openServerSpan(name, attributes, { traceparent, tracestate });
    if (opened === undefined) return done();
    spans.set(request, opened);
    // Also emitted if the client closes the connection first.
    reply.raw.once("close", () => {
      const { statusCode } = reply;
      opened.span.setAttribute("http.response.status_code", statusCode);
      if (statusCode >= 500) failSpan(opened.span, String(statusCode));
      opened.span.end();
    });
    done();
  });
  // What follows the body and the response is called by the connection, and not by the hook above.
  const resume = (request: FastifyRequest, done: () => void) => {
    const opened = spans.get(request);
    if (opened === undefined) done();
    else inOpenSpan(opened, done);
  };
  server.addHook("preHandler", (request, _reply, done) => resume(request, done));
  server.addHook("onResponse", (request, _reply, done) => resume(request, done));
}
