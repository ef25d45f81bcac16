import type { FastifyInstance } from "fastify";
import type { Metrics } from "../core/metrics";

/** What a probe asks: whether the node is up, and whether it may be sent requests. */
export interface Health {
  /** Resolves when database and bus answer; rejects otherwise. */
  check(): Promise<void>;
  /** False until the start is complete, and again while the node drains. */
  ready: boolean;
}

/** Whoever watches the node is answered, however many ask and whatever the load. */
const UNCOUNTED = { config: { counts: "nothing" } } as const;

/** GET /healthz (the process answers), /readyz (it can do its work) and /metrics (Prometheus text). */
export function registerProbes(server: FastifyInstance, health: Health, metrics: Metrics): void {
  server.get("/healthz", UNCOUNTED, async () => ({ status: "ok" }));

  server.get("/readyz", UNCOUNTED, async (_, reply) => {
    if (!health.ready) return reply.code(503).send({ status: "not ready" });
    try {
      await health.check();
      return { status: "ready" };
    } catch {
      // What is wrong stands in the log, not in an answer that anybody can read.
      return reply.code(503).send({ status: "not ready" });
    }
  });

  server.get("/metrics", UNCOUNTED, async (_, reply) => {
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
}
