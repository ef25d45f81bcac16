import { isTransient } from "../errors.ts";
import { backoffMs, sleep } from "../transport/backoff.ts";

/** What is muted. */
export interface Mutes {
  readonly audio: boolean;
  readonly video: boolean;
}

const KINDS = ["audio", "video"] as const;

/**
 * Tells the service what is muted here, until it knows: after each change, and after a rejoin, which begins a
 * membership without the participant's own mutes.
 */
export class MuteSync {
  readonly #wanted: () => Mutes;
  readonly #tell: (change: Partial<Mutes>) => Promise<unknown>;
  readonly #signal: AbortSignal;
  /** What the service knows; null before the first join. */
  #told: { audio: boolean | null; video: boolean | null } | null = null;
  #isRunning = false;

  /** @param signal aborted when nothing is to be told any more */
  constructor(
    wanted: () => Mutes,
    tell: (change: Partial<Mutes>) => Promise<unknown>,
    signal: AbortSignal,
  ) {
    this.#wanted = wanted;
    this.#tell = tell;
    this.#signal = signal;
  }

  /** Whether the service does not know yet what is muted here; what it reports until then is out of date. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The service has this state. {@link sync} tells it what differs. */
  known({ audio, video }: { audio: boolean | null; video: boolean | null }): void {
    this.#told = { audio, video };
  }

  /** Tells what has changed. */
  sync(): void {
    if (this.#isRunning || !this.#told) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#signal.aborted; ) {
      const told = this.#told;
      const wanted = this.#wanted();
      const differing = KINDS.filter((kind) => told?.[kind] !== wanted[kind]);
      if (differing.length === 0) return;
      const change = Object.fromEntries(differing.map((kind) => [kind, wanted[kind]]));
      try {
        await this.#tell(change);
        Object.assign(told ?? {}, change);
        failures = 0;
      } catch (error) {
        if (this.#told !== told) continue;
        // The membership is gone: the next one starts from the beginning.
        if (!isTransient(error)) return;
        failures += 1;
        await sleep(backoffMs(failures), this.#signal);
      }
    }
  }
}
