/**
 * Decides what a node refuses while it has more to do than it can. A node that accepts everything answers
 * nothing in time; one that refuses early keeps the latency of what it accepts.
 */

/** What asks to be served, in the order in which it is refused. */
export type Arrival =
  /** A connection of a client that has not signed in, or a request without a token. */
  | "anonymous"
  /** A request with a token, good or not: tokens are not looked up here. */
  | "request";

/** The part of the configuration that says when a node sheds load. */
export interface OverloadLimits {
  /** Milliseconds of event-loop delay that are normal; 0 never sheds for it. */
  OVERLOAD_DELAY_MS: number;
  /** Requests in flight that are normal; 0 never sheds for them. */
  OVERLOAD_REQUESTS: number;
}

/**
 * Samples above the limit, one after the other, before anything is refused. One long turn of the event loop
 * gives one late sample, and no queue stands behind it; a standing queue delays every sample (the idea
 * of CoDel, RFC 8289 section 3).
 */
const LATE_SAMPLES = 5;
/** How much of an arrival class one late sample refuses more, at most, and per multiple of the limit. */
const STEP_MAX = 0.5;
const STEP = 0.1;
/** How much one good sample refuses less. */
const RECOVERY = 0.05;
/** {@link LoadShedder.level} at which every anonymous arrival, and every request, is refused. */
const LEVEL = { anonymous: 1, all: 2 } as const;
/** Seconds that clients are told to stay away: different ones, so that they do not return together. */
const RETRY_SECONDS = [2, 5, 3, 6, 4];

/**
 * Measures pressure by the delay of the event loop and by requests in flight, and refuses a growing share of
 * what arrives: anonymous arrivals first, and requests with a token only once every anonymous arrival is
 * refused. What is open already (sockets, streams, requests in flight) is never ended.
 */
export class LoadShedder {
  /** 0 refuses nothing, 1 every anonymous arrival, 2 everything. */
  private level = 0;
  private late = 0;
  private inFlight = 0;
  private refusals = 0;
  /** What the refused share of each class has come to; a whole number of it is a refusal. */
  private readonly due: Record<Arrival, number> = { anonymous: 0, request: 0 };

  constructor(private readonly limits: OverloadLimits) {}

  /**
   * Takes one sample of the event-loop delay; samples come at a steady interval.
   * @param delayMs how much later than due a timer ran, in milliseconds
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
   * Asks whether an arrival is served.
   * @returns 0 when it is, else the seconds after which the client may try again
   */
  refusal(arrival: Arrival): number {
    if (this.isFull(arrival) || this.isDue(arrival)) {
      this.refusals = (this.refusals + 1) % RETRY_SECONDS.length;
      return RETRY_SECONDS[this.refusals] ?? 1;
    }
    return 0;
  }

  /** A request is in flight from now on; {@link finished} follows. */
  started(): void {
    this.inFlight += 1;
  }

  /** A request is no longer in flight. */
  finished(): void {
    this.inFlight -= 1;
  }

  /** Too many requests in flight: twice as many for what is refused last. */
  private isFull(arrival: Arrival): boolean {
    const limit = this.limits.OVERLOAD_REQUESTS;
    return limit > 0 && this.inFlight >= (arrival === "anonymous" ? limit : 2 * limit);
  }

  /** Spreads refusals evenly: a share of 0.25 refuses every fourth arrival. */
  private isDue(arrival: Arrival): boolean {
    const from = arrival === "anonymous" ? 0 : LEVEL.anonymous;
    const share = Math.min(1, this.level - from);
    if (share <= 0) return false;
    this.due[arrival] += share;
    if (this.due[arrival] < 1) return false;
    this.due[arrival] -= 1;
    return true;
  }
}
