import type { FastifyInstance, FastifyRequest } from "fastify";
import { Fault } from "../core/errors";
import type { Metrics } from "../core/metrics";
import type { LoadShedder, TrafficClass } from "./load-shedder";

/** Throws Fault UNAVAILABLE if a connection outside of HTTP routes must be shed. */
export type AdmitConnection = () => void;

/**
 * Rejects requests with UNAVAILABLE under overload, before their bodies are read. Must be registered before
 * the routes. Probes are always answered, and so are CORS preflights, which are cheap and answered earlier.
 */
export function registerLoadShedding(
  server: FastifyInstance,
  shedder: LoadShedder,
  metrics: Metrics,
): void {
  server.addHook("onRequest", (request, _reply, done) => {
    // Probes are not counted and cost next to nothing.
    if (request.routeOptions.config.counts === "nothing") return done();
    done(sheddingFault(shedder, classOf(request), metrics));
  });
  // Counted once the body has been read: a slow upload is not load on this node.
  server.addHook("preHandler", (_request, reply, done) => {
    shedder.requestStarted();
    reply.raw.once("close", () => shedder.requestFinished());
    done();
  });
}

/**
 * Makes the check for WebSocket upgrades and chat streams.
 * @returns a function that throws Fault UNAVAILABLE with the seconds after which to retry
 */
export function connectionCheck(shedder: LoadShedder, metrics: Metrics): AdmitConnection {
  return () => {
    const fault = sheddingFault(shedder, "anonymous", metrics);
    if (fault) throw fault;
  };
}

function classOf({ headers }: FastifyRequest): TrafficClass {
  return headers["svc-token"] || headers.authorization ? "with_token" : "anonymous";
}

function sheddingFault(
  shedder: LoadShedder,
  trafficClass: TrafficClass,
  metrics: Metrics,
): Fault | undefined {
  const seconds = shedder.shed(trafficClass);
  if (seconds === 0) return undefined;
  metrics.loadShed.inc({ class: trafficClass });
  return new Fault("UNAVAILABLE", "The server is overloaded", undefined, seconds);
}
