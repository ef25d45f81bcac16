import type { MediaStatistics } from "../media/statistics.ts";
import type { PeerLink } from "./peer-link.ts";

/** Interval of the statistics, in milliseconds. */
const INTERVAL_MS = 2_000;

/** Reads the statistics of all participants of a call, at intervals. */
export class CallStatistics {
  readonly #participants: ReadonlyMap<string, { readonly link: PeerLink | null }>;
  readonly #report: (stats: ReadonlyMap<string, MediaStatistics>) => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    participants: ReadonlyMap<string, { readonly link: PeerLink | null }>,
    report: (stats: ReadonlyMap<string, MediaStatistics>) => void,
  ) {
    this.#participants = participants;
    this.#report = report;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#read(), INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #read(): Promise<void> {
    const stats = new Map<string, MediaStatistics>();
    for (const [userId, { link }] of this.#participants) {
      // A connection that is just closed has none.
      const each = await link?.statistics().catch(() => null);
      if (each) stats.set(userId, each);
    }
    if (this.#timer !== undefined) this.#report(stats);
  }
}
