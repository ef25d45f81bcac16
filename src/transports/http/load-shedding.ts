import type { FastifyInstance, FastifyRequest } from "fastify";
import { Fault } from "../../core/errors";
import type { Metrics } from "../../core/metrics";
import { hasCredential } from "./request-caller";

/**
 * Load shedding: decides what an overloaded node rejects. A node that accepts everything answers nothing in
 * time; a node that rejects early keeps the latency of what it accepts.
 */

/** Classes of incoming work, in the order in which they are shed. */
export type TrafficClass =
  /** An unauthenticated connection, or a request without a token. */
  | "anonymous"
  /** A request with a token, valid or not: tokens are not looked up here. */
  | "with_token";

/** The part of the configuration that defines overload. */
export interface OverloadLimits {
  /** Maximum normal event-loop delay, in milliseconds; 0 disables the check. */
  OVERLOAD_DELAY_MS: number;
  /** Maximum normal number of in-flight requests; 0 disables the check. */
  OVERLOAD_REQUESTS: number;
}

/**
 * Number of consecutive late samples before anything is shed. One long turn of the event loop causes one late
 * sample; a standing queue delays every sample (the idea of CoDel, RFC 8289 section 3).
 */
const LATE_SAMPLES = 5;
/** Increase of the level for a late sample: its maximum, and its value per multiple of the limit. */
const STEP_MAX = 0.5;
const STEP = 0.1;
/** Decrease of the level for a normal sample. */
const RECOVERY = 0.05;
/** {@link LoadShedder.level} at which every anonymous arrival, and every request, is shed. */
const LEVEL = { anonymous: 1, all: 2 } as const;
/** Values of Retry-After, in seconds. They vary, so that clients do not all return at once. */
const RETRY_SECONDS = [2, 5, 3, 6, 4];

/**
 * Measures load by event-loop delay and in-flight requests, and sheds a growing share of new arrivals:
 * anonymous ones first, and requests with a token only once all anonymous arrivals are shed. Open sockets,
 * streams and in-flight requests are never closed.
 */
export class LoadShedder {
  /** 0 sheds nothing, 1 every anonymous arrival, 2 everything. */
  private level = 0;
  private late = 0;
  private inFlight = 0;
  private refusals = 0;
  /** Accumulated share per class; each time it reaches 1, an arrival is shed. */
  private readonly due: Record<TrafficClass, number> = { anonymous: 0, with_token: 0 };

  constructor(private readonly limits: OverloadLimits) {}

  /**
   * Adds a sample of the event-loop delay. Samples must come at a constant interval.
   * @param delayMs how late a timer ran, in milliseconds
   */
  sample(delayMs: number): void {
    const limit = this.limits.OVERLOAD_DELAY_MS;
    if (limit === 0) return;
    if (delayMs <= limit) {
      this.late = 0;
      this.level = Math.max(0, this.level - RECOVERY);
      return;
    }
    this.late += 1;
    if (this.late < LATE_SAMPLES && this.level === 0) return;
    const step = Math.min(STEP_MAX, STEP * (delayMs / limit));
    this.level = Math.min(LEVEL.all, this.level + step);
  }

  /**
   * Decides whether to shed an arrival.
   * @returns 0 to accept it, otherwise the number of seconds after which the client may retry
   */
  shed(trafficClass: TrafficClass): number {
    if (this.isFull(trafficClass) || this.isDue(trafficClass)) {
      this.refusals = (this.refusals + 1) % RETRY_SECONDS.length;
      return RETRY_SECONDS[this.refusals] ?? 1;
    }
    return 0;
  }

  /** Counts a request as in flight. */
  requestStarted(): void {
    this.inFlight += 1;
  }

  /** Counts a request as finished. */
  requestFinished(): void {
    this.inFlight -= 1;
  }

  /** Whether too many requests are in flight. Requests with a token get twice the limit. */
  private isFull(trafficClass: TrafficClass): boolean {
    const limit = this.limits.OVERLOAD_REQUESTS;
    return limit > 0 && this.inFlight >= (trafficClass === "anonymous" ? limit : 2 * limit);
  }

  /** Spreads rejections evenly: a share of 0.25 sheds every fourth arrival. */
  private isDue(trafficClass: TrafficClass): boolean {
    const from = trafficClass === "anonymous" ? 0 : LEVEL.anonymous;
    const share = Math.min(1, this.level - from);
    if (share <= 0) return false;
    this.due[trafficClass] += share;
    if (this.due[trafficClass] < 1) return false;
    this.due[trafficClass] -= 1;
    return true;
  }
}

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
  server.addHook("preHandler", (request, reply, done) => {
    if (request.routeOptions.config.waits) return done();
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

function classOf({ headers, routeOptions }: FastifyRequest): TrafficClass {
  const hasToken = routeOptions.config.hasToken || hasCredential(headers);
  return hasToken ? "with_token" : "anonymous";
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
