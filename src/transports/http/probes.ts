import type { FastifyInstance } from "fastify";
import { Readiness } from "./readiness";

/** The state that the probes report. */
export interface Health {
  /** Resolves if database and bus accept writes; rejects otherwise. */
  check(): Promise<void>;
  /** True from the end of the start until the graceful shutdown begins. */
  ready: boolean;
}

/** Probes are exempt from rate limits and load shedding. */
const UNCOUNTED = { config: { counts: "nothing" } } as const;

/** Registers GET /healthz (liveness) and /readyz (readiness). */
export function registerProbes(server: FastifyInstance, health: Health): void {
  server.get("/healthz", UNCOUNTED, async () => ({ status: "ok" }));

  const readiness = new Readiness(() => health.check());
  server.get("/readyz", UNCOUNTED, async (_, reply) => {
    const isReady = health.ready && (await readiness.isReady());
    // The reason is only logged, since anyone can read this answer.
    return isReady ? { status: "ready" } : reply.code(503).send({ status: "not ready" });
  });
}
