import type { FastifyInstance, FastifyRequest } from "fastify";
import { Fault } from "../core/errors";
import type { Metrics } from "../core/metrics";
import type { Arrival, LoadShedder } from "./load-shedder";

/** Asks for a connection that does not come as an HTTP request of a route. */
export type AdmitConnection = () => void;

/**
 * Refuses requests with UNAVAILABLE while the node is overloaded, before their bodies are read. To be
 * registered before the routes. Probes are always answered, and so are preflight requests, which cost
 * nothing and are answered before.
 */
export function registerLoadShedding(
  server: FastifyInstance,
  shedder: LoadShedder,
  metrics: Metrics,
): void {
  server.addHook("onRequest", (request, _reply, done) => {
    // Probes: what counts for nothing costs next to nothing.
    if (request.routeOptions.config.counts === "nothing") return done();
    done(refusalOf(shedder, arrivalOf(request), metrics));
  });
  // Only here: a request whose body is slow to come must not count as work of this node.
  server.addHook("preHandler", (_request, reply, done) => {
    shedder.started();
    reply.raw.once("close", () => shedder.finished());
    done();
  });
}

/**
 * Makes the check that WebSocket upgrades and chat streams pass before they are served.
 * @returns a function that throws Fault UNAVAILABLE with the seconds to wait
 */
export function connectionCheck(shedder: LoadShedder, metrics: Metrics): AdmitConnection {
  return () => {
    const refusal = refusalOf(shedder, "anonymous", metrics);
    if (refusal) throw refusal;
  };
}

function arrivalOf({ headers }: FastifyRequest): Arrival {
  return headers["svc-token"] || headers.authorization ? "request" : "anonymous";
}

function refusalOf(shedder: LoadShedder, arrival: Arrival, metrics: Metrics): Fault | undefined {
  const seconds = shedder.refusal(arrival);
  if (seconds === 0) return undefined;
  metrics.shed.inc({ arrival });
  return new Fault("UNAVAILABLE", "The server is overloaded", undefined, seconds);
}
