import type { FastifyInstance } from "fastify";
import type { Fault } from "../core/errors";

/**
 * What a route's requests count as: one for their address when they arrive; nothing; or what the route
 * itself says, in a hook of its own before anything else is read.
 */
export type RouteCount = "request" | "nothing" | "by itself";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What requests to the route count as (docs/LIMITS.md). The server takes no route without it. */
    counts?: RouteCount;
  }
  interface FastifyRequest {
    /** Why the request is refused although it is not read yet: its address sends too many. */
    overLimit: Fault | null;
  }
}

/**
 * Counts each request for its address when it arrives: before its headers are looked at and its body is
 * read, whether or not there is such a path. To be called before anything else answers requests.
 * @param arrive counts one; answers why it is refused
 */
export function countRequests(server: FastifyInstance, arrive: (ip: string) => Fault | null): void {
  server.decorateRequest("overLimit", null);
  server.addHook("onRequest", (request, _reply, done) => {
    const { counts = "request" } = request.routeOptions.config;
    // A connection that was cut meanwhile has no address any more.
    if (counts === "request") request.overLimit = arrive(request.ip ?? "");
    done();
  });
}

/**
 * Refuses every route registered from here on that does not say what it counts as.
 * @throws Error at the start
 */
export function requireCounts(server: FastifyInstance): void {
  server.addHook("onRoute", ({ method, url, config }) => {
    if (config?.counts !== undefined) return;
    throw new Error(`${method} ${url} does not say what it counts as (config.counts)`);
  });
}
