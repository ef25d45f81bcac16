import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { isLoopback, unmapIpv4 } from "../../core/client-address";
import { monotonicNow } from "../../core/clock";
import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import { hashToken } from "../../core/random";

/** How long a rendered text is reused, in milliseconds. */
const REUSE_MS = 1_000;

/**
 * Registers GET /metrics (Prometheus text format), for programs on this machine and for those with the token of
 * METRICS_TOKEN. For anybody else the path does not exist: the numbers of clients and failures are the operator's.
 * @param token null if no token opens it
 */
export function registerMetrics(
  server: FastifyInstance,
  { log, metrics, token }: { log: Log; metrics: Metrics; token: string | null },
): void {
  const rendered = new RenderedMetrics(metrics);
  const expected = token === null ? null : hashToken(token);
  const hasToken = ({ headers }: IncomingMessage) => {
    const given = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
    return expected !== null && given !== undefined && timingSafeEqual(hashToken(given), expected);
  };
  server.get("/metrics", { config: { counts: "nothing" } }, async ({ raw }, reply) => {
    if (!hasToken(raw) && !isLocal(raw)) return reply.callNotFound();
    reply.type(metrics.registry.contentType);
    return rendered.text();
  });
  log.info(
    token === null
      ? "/metrics answers programs on this machine only; set METRICS_TOKEN to read it from another one"
      : "/metrics answers programs on this machine, and requests with METRICS_TOKEN",
  );
}

/** Whether a request is from a program on this machine, and not from a proxy on it. */
function isLocal({ headers, socket }: IncomingMessage): boolean {
  if (headers.forwarded !== undefined || headers["x-forwarded-for"] !== undefined) return false;
  return isLoopback(unmapIpv4(socket.remoteAddress ?? ""));
}

/** Renders the metrics at most once a second for all callers together. */
class RenderedMetrics {
  private latest: { text: Promise<string>; at: number } | null = null;

  constructor(private readonly metrics: Metrics) {}

  text(): Promise<string> {
    const now = monotonicNow();
    if (this.latest === null || now - this.latest.at >= REUSE_MS) {
      this.latest = { text: this.metrics.registry.metrics(), at: now };
    }
    return this.latest.text;
  }
}
