import type { FastifyInstance } from "fastify";
import type { Fault } from "../core/errors";

/**
 * How a route counts its requests against rate limits: "request", one per request for the client's address;
 * "nothing"; or "by itself", in a hook of the route that runs before anything else is read.
 */
export type RouteCount = "request" | "nothing" | "by itself";

declare module "fastify" {
  interface FastifyContextConfig {
    /** How requests to the route count against rate limits (docs/LIMITS.md). Required for every route. */
    counts?: RouteCount;
  }
  interface FastifyRequest {
    /**
     * The error if the client's address exceeds its rate limit; the request is rejected before it is read.
     */
    rateLimitFault: Fault | null;
  }
}

/**
 * Counts each request for its client's address on arrival: before its headers are checked and its body is
 * read, even if the path does not exist. Call it before anything that answers requests is registered.
 * @param arrive counts one request; returns the error if the address exceeds its limit
 */
export function countRequests(server: FastifyInstance, arrive: (ip: string) => Fault | null): void {
  server.decorateRequest("overLimit", null);
  server.addHook("onRequest", (request, _reply, done) => {
    const { counts = "request" } = request.routeOptions.config;
    // A connection that has closed meanwhile has no address.
    if (counts === "request") request.rateLimitFault = arrive(request.ip ?? "");
    done();
  });
}

/**
 * Makes the registration of a route fail if it lacks `config.counts`.
 * @throws Error at the start
 */
export function requireCountConfig(server: FastifyInstance): void {
  server.addHook("onRoute", ({ method, url, config }) => {
    if (config?.counts !== undefined) return;
    throw new Error(`${method} ${url} does not declare how it counts (config.counts)`);
  });
}
